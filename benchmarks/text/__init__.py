"""Text to features against scikit-learn, and text to label sets against fastText."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.harness.benchmark import Benchmark

if TYPE_CHECKING:  # numpy must not be imported before the command has set the number of threads
    from benchmarks.text.corpora import TextCorpus

INTRODUCTION = """\
**How to read it.** Vectorizers are fitted to the training texts of a corpus and transform its test texts. The peer is
scikit-learn's `TfidfVectorizer(sublinear_tf=True, min_df=2, dtype=np.float32)`; with the rule *sklearn* our features
are the same, and every run checks that. Entries take turns, the fastest round of each counts, and a short call is
repeated until the round takes 0.3 seconds; *seconds* and *cpu* are those of one call.
"""

CORPORA = ("reuters21578", "goemotions", "ohsumed_raw")


@dataclass(frozen=True)
class TextEffort:
    """How much a run of this benchmark measures."""

    # Rounds per timing; the fastest counts.
    n_rounds: int = 5
    # Least duration of a round: shorter calls are repeated.
    min_seconds: float = 0.3
    # Number of training and test texts, the first ones; None for all.
    n_texts: int | None = None

    def subset(self, corpus: TextCorpus) -> TextCorpus:
        """Return the corpus with as many texts as the effort allows."""
        return corpus if self.n_texts is None else corpus.first(self.n_texts)


def load_corpus(name: str) -> TextCorpus:
    """Read the texts of a corpus with their labels."""
    from benchmarks.text.corpora import read_corpus

    return read_corpus(name)


TEXT = Benchmark(
    name="text",
    description="Time text to features against scikit-learn, and text to label sets against fastText.",
    title="Benchmark of text",
    introduction=INTRODUCTION,
    datasets=dict.fromkeys(("transform", "fit", "threads", "predict"), CORPORA),
    full_effort=TextEffort(),
    quick_effort=TextEffort(n_rounds=1, min_seconds=0.0, n_texts=1_000),
    quick_description="1,000 texts, one round",
    packages=("setwise", "scikit-learn", "numpy", "scipy", "fasttext-wheel"),
    load=load_corpus,
)
