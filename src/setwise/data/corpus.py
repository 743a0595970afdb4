"""Corpora by name: one folder each, in the folder that the environment variable ``SETWISE_DATA`` names."""

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
    """A folder with ``train.svm.gz`` and ``test.svm.gz``, and one label or feature name per line in text files.

    Parameters
    ----------
    name : str
        Name of the corpus.
    folder : Path
        The folder with ``train.svm.gz``, ``test.svm.gz``, ``labels.txt`` and ``features.txt``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from setwise.data import Corpus
    >>> Corpus("bibtex", Path("data/bibtex")).name
    'bibtex'
    """

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
        """Read ``"train"`` or ``"test"`` as (X, y), with one column per feature and label of the corpus."""
        return read_libsvm(self.folder / f"{part}.svm.gz", len(self.feature_names), len(self.label_names))


def find_corpus(name: str, *, folder: Path | None = None, default_folder: Path = DEFAULT_FOLDER) -> Corpus:
    """Return a corpus by name.

    Parameters
    ----------
    name : str
        Name of the corpus, which is the name of its folder.
    folder : Path, optional
        The folder that contains the corpora; None is that of the environment variable ``SETWISE_DATA``.
    default_folder : Path
        The folder to use if the variable is not set.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> from pathlib import Path
    >>> from setwise.data import find_corpus
    >>> find_corpus("bibtex", folder=Path("absent"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    setwise.exceptions.InvalidData: Corpus 'bibtex' not found: ...
    """
    folder = Path(folder or os.environ.get(DATA_VARIABLE) or default_folder) / name
    if not folder.is_dir():
        raise InvalidData(
            f"Corpus {name!r} not found: {folder} is not a folder. "
            f"Set {DATA_VARIABLE} to the folder that contains the corpora."
        )
    return Corpus(name, folder)
