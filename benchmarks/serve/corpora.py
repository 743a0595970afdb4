"""Short texts to predict, and both predictors trained on texts like them."""

from __future__ import annotations

import atexit
import pickle
from functools import cached_property
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.harness.corpora import read_texts
from benchmarks.serve.sklearn_service import SklearnSets
from benchmarks.stream.texts import generate_texts
from setwise import SetClassifier

N_SYNTHETIC = 4000
N_ASKED = 5000  # different texts that are sent
SYNTHETIC_WORDS = 20  # of the 80 words that a synthetic text has
MODEL, RIVAL = "model.setwise", "sklearn.pickle"

Documents = list[tuple[str, list[str]]]


class ServedCorpus:
    """The texts of one data set."""

    def __init__(self, name: str) -> None:
        self.name = name

    def files(self, n_train: int | None) -> Path:
        """Return a folder with both predictors, trained on so many documents."""
        folder = self._folder / str(n_train)
        if not folder.exists():
            folder.mkdir()
            documents = self._documents("train")[:n_train]
            texts, labels = [text for text, _ in documents], [names for _, names in documents]
            SetClassifier("br", budget="quick").fit(texts, labels).save(folder / MODEL)
            (folder / RIVAL).write_bytes(pickle.dumps(SklearnSets.fit(texts, labels)))
        return folder

    @cached_property
    def texts(self) -> list[str]:
        """Texts that neither predictor was trained on."""
        return [text for text, _ in self._documents("test")[:N_ASKED]]

    @cached_property
    def _folder(self) -> Path:
        folder = TemporaryDirectory(prefix="setwise-bench-")
        atexit.register(folder.cleanup)
        return Path(folder.name)

    def _documents(self, part: str) -> Documents:
        if self.name == "synthetic_texts":
            drawn = islice(generate_texts(N_SYNTHETIC + N_ASKED, 0), *_rows_of(part))
            return [(" ".join(text.split()[:SYNTHETIC_WORDS]), labels) for text, labels in drawn]
        return [(document.text, list(document.labels or ())) for document in read_texts(self.name, part)]


def _rows_of(part: str) -> tuple[int, int]:
    """Return which synthetic texts belong to a part."""
    return (0, N_SYNTHETIC) if part == "train" else (N_SYNTHETIC, N_SYNTHETIC + N_ASKED)
