"""Checks of arrays that every part of the package shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.exceptions import InvalidData

__all__ = ["check_sparse_structure"]


def check_sparse_structure(matrix: Any, name: str) -> None:
    """Raise ``InvalidData`` unless the index arrays of a scipy sparse matrix describe a matrix of its shape.

    scipy's compiled loops trust these arrays: an index out of range would make them read and write outside the matrix.
    Formats that are neither compressed nor coordinates check themselves when they are converted.
    """
    if matrix.format in ("csr", "csc", "bsr"):
        _check_compressed(matrix, name)
    elif matrix.format == "coo":
        for axis, index in enumerate(matrix.coords):
            _check_range(index, matrix.shape[axis], name)


def _check_compressed(matrix: Any, name: str) -> None:
    n_rows, n_columns = matrix.shape
    if matrix.format == "bsr":
        block_rows, block_columns = matrix.blocksize
        n_rows, n_columns = n_rows // block_rows, n_columns // block_columns
    n_outer, n_inner = (n_columns, n_rows) if matrix.format == "csc" else (n_rows, n_columns)
    starts = np.asarray(matrix.indptr)
    if starts.shape != (n_outer + 1,) or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise InvalidData(f"{name} is a damaged sparse matrix: its indptr must rise from 0 in {n_outer} steps.")
    if starts[-1] > min(len(matrix.indices), len(matrix.data)):
        raise InvalidData(f"{name} is a damaged sparse matrix: its indptr ends beyond its indices or data.")
    _check_range(matrix.indices[: starts[-1]], n_inner, name)


def _check_range(index: Any, length: int, name: str) -> None:
    if len(index) and not (index.min() >= 0 and index.max() < length):
        wrong = index.max() if index.max() >= length else index.min()
        raise InvalidData(f"{name} is a damaged sparse matrix: it has the index {wrong}, outside 0 to {length - 1}.")
