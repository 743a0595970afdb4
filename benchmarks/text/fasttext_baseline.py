"""fastText with one classifier per label, the fastest text classifier that users know."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import fasttext

THRESHOLD = 0.5  # a label is predicted where its probability is higher
ALL_LABELS = -1  # as many labels as are above the threshold
LABEL_PREFIX = "__label__"


class FastText:
    """A supervised model with loss "ova", trained and used on one thread, all else as by default."""

    def __init__(self, texts: Sequence[str], labels: Sequence[Sequence[str]]) -> None:
        # Label names may contain spaces, which fastText reads as the end of a label.
        numbers = {name: number for number, name in enumerate(sorted({name for names in labels for name in names}))}
        with _training_file(texts, [[numbers[name] for name in names] for names in labels]) as path:
            self._model = fasttext.train_supervised(str(path), loss="ova", thread=1, verbose=0)

    def predict(self, lines: list[str]) -> object:
        """Return the labels of texts without newlines, with their probabilities."""
        return self._model.predict(lines, k=ALL_LABELS, threshold=THRESHOLD)


def as_lines(texts: Sequence[str]) -> list[str]:
    """Return texts with spaces in place of newlines: fastText reads one text per line."""
    return [" ".join(text.split("\n")) for text in texts]


@contextmanager
def _training_file(texts: Sequence[str], labels: Sequence[Sequence[int]]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for line, numbers in zip(as_lines(texts), labels, strict=True):
                file.write(" ".join([*(f"{LABEL_PREFIX}{number}" for number in numbers), line]) + "\n")
        yield path
