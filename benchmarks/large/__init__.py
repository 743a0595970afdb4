"""Training on many documents, features, labels and label sets: time, memory and growth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.harness.benchmark import Benchmark

if TYPE_CHECKING:
    from benchmarks.harness.corpora import Parts

INTRODUCTION = """\
**How to read it.** *wise* is generated: as many documents, features, labels and label sets as the WISE corpus has,
which cannot be had. Words follow Zipf's law, every label has words of its own, and one document in eight has the
words of another's labels, so that no classifier is right everywhere. *cpu* is the CPU time of all threads in seconds,
*peak* the most memory that the process took, in megabytes.
"""


@dataclass(frozen=True)
class LargeEffort:
    """How much is trained."""

    budget: str = "normal"
    shrinks: tuple[int, ...] = (16, 4, 1)
    """Sizes of the generated corpora: the full one divided by these."""
    scale: int = 1
    """The full corpus is the generated one divided by this."""


def load(name: str) -> Parts:
    """Return a corpus whose parts are read, or generated, when they are needed."""
    from benchmarks.harness.corpora import Parts
    from benchmarks.harness.synthetic import SYNTHETIC, SyntheticParts

    return SyntheticParts(name) if name in SYNTHETIC else Parts(name)


LARGE = Benchmark(
    name="large",
    description="Measure the default, single fits and their growth on large corpora.",
    title="Benchmark of large corpora",
    introduction=INTRODUCTION,
    datasets={"default": ("wise", "imdb"), "one_strength": ("wise",), "growth": ("wise",)},
    full_effort=LargeEffort(),
    quick_effort=LargeEffort("quick", (64, 32), 32),
    quick_description="the quick budget, a generated corpus of a thirty-second of the size",
    packages=("setwise", "scikit-learn", "numpy", "scipy"),
    load=load,
)
