"""Corpora by name: a folder each, under the folder that the environment variable ``SETWISE_DATA`` names."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import scipy.sparse as sp

from setwise.data.formats.names import FEATURES_FILE, LABELS_FILE, read_names
from setwise.data.libsvm_matrix import read_libsvm
from setwise.exceptions import InvalidData

__all__ = ["DATA_VARIABLE", "DEFAULT_FOLDER", "Corpus", "find_corpus"]

DATA_VARIABLE = "SETWISE_DATA"
DEFAULT_FOLDER = Path("../shared/data")


@dataclass(frozen=True)
class Corpus:
    """A folder with ``train.svm.gz`` and ``test.svm.gz``, and names of labels and features, one a line."""

    name: str
    folder: Path

    @property
    def label_names(self) -> tuple[str, ...]:
        """The names of the labels, in the order of their numbers."""
        return read_names(self.folder / LABELS_FILE)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, in the order of their numbers."""
        return read_names(self.folder / FEATURES_FILE)

    def read(self, part: str) -> tuple[sp.csr_array, sp.csr_array]:
        """Read a part, ``"train"`` or ``"test"``, as (X, y), all features and labels of the corpus wide."""
        return read_libsvm(self.folder / f"{part}.svm.gz", len(self.feature_names), len(self.label_names))


def find_corpus(name: str, *, folder: Path | None = None, default_folder: Path = DEFAULT_FOLDER) -> Corpus:
    """Find a corpus by name in ``folder``, or the folder ``SETWISE_DATA`` names, or in ``default_folder``."""
    folder = Path(folder or os.environ.get(DATA_VARIABLE) or default_folder) / name
    if not folder.is_dir():
        raise InvalidData(
            f"The corpus {name!r} must be a folder; {folder} is none. "
            f"Hint: set {DATA_VARIABLE} to the folder that holds the corpora."
        )
    return Corpus(name, folder)
