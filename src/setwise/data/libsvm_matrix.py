"""Whole LIBSVM multi-label files as two matrices, with labels numbered from 0 and features from 1."""

from __future__ import annotations

from functools import cache
from itertools import chain
from os import PathLike

import numpy as np
import scipy.sparse as sp

from setwise.data.feature_matrix import csr_from_rows
from setwise.data.formats.errors import Problems
from setwise.data.formats.libsvm import parse_label_number
from setwise.data.formats.libsvm_lines import LineParser, read_blocks
from setwise.data.formats.options import DEFAULT_LARGEST_INDEX
from setwise.data.formats.streams import Lines, open_source
from setwise.exceptions import InvalidData
from setwise.labels import csr_of_ones

__all__ = ["read_libsvm"]


def read_libsvm(
    path: str | PathLike[str],
    n_features: int | None = None,
    n_labels: int | None = None,
    *,
    largest_index: int = DEFAULT_LARGEST_INDEX,
) -> tuple[sp.csr_array, sp.csr_array]:
    """Read a LIBSVM multi-label file into a feature matrix and a label indicator matrix.

    Parameters
    ----------
    path : str or path
        The file, compressed if its name ends in ``.gz``.
    n_features, n_labels : int, optional
        Numbers of columns; None is as many as occur in the file.
    largest_index : int
        Largest number of a feature or label where ``n_features`` or ``n_labels`` is None.

    Returns
    -------
    X : csr_array of float32, shape (n_samples, n_features)
    y : csr_array of 0 and 1, shape (n_samples, n_labels)

    Examples
    --------
    >>> import tempfile
    >>> from setwise.data import read_libsvm
    >>> with tempfile.NamedTemporaryFile("w", suffix=".svm") as file:
    ...     _ = file.write("0,2 1:0.5 3:1")
    ...     file.flush()
    ...     X, y = read_libsvm(file.name)
    >>> X.toarray().tolist(), y.toarray().tolist()
    ([[0.5, 0.0, 1.0]], [[1, 0, 1]])
    """
    parser = LineParser(
        cache(lambda token: parse_label_number(token, n_labels=n_labels, largest=largest_index)),
        n_features,
        largest_index,
    )
    with open_source(path) as source:
        blocks = list(read_blocks(Lines(source), parser, Problems(source.name)))
        if not blocks:
            raise InvalidData(f"{source.name} contains no documents: it is empty.")
    X = csr_from_rows(
        [block.columns for block in blocks],
        [block.values for block in blocks],
        np.concatenate([np.diff(block.starts) for block in blocks]),
        n_features,
    )
    labels = [sorted(numbers) for block in blocks for numbers in block.labels]
    width = 1 + max(chain.from_iterable(labels), default=-1) if n_labels is None else n_labels
    return X, csr_of_ones(list(chain.from_iterable(labels)), [*map(len, labels)], width)
