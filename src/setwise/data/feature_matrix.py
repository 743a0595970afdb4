"""Feature matrices from rows of columns and values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from setwise.data.documents import VectorDocument
from setwise.exceptions import InvalidData
from setwise.labels.matrix import row_starts

__all__ = ["feature_matrix", "stacked"]


def feature_matrix(documents: Sequence[VectorDocument], n_features: int | None = None) -> sp.csr_array:
    """Put documents one below the other, ``n_features`` wide, or as wide as the largest feature that occurs."""
    X = stacked(
        [document.columns for document in documents],
        [document.values for document in documents],
        [len(document.columns) for document in documents],
        n_features,
    )
    return X


def stacked(
    columns: Sequence[NDArray[np.int32]],
    values: Sequence[NDArray[np.float32]],
    lengths: ArrayLike,
    n_features: int | None,
) -> sp.csr_array:
    """Make a CSR array of rows, given in pieces, and of how long each row is."""
    indices = np.concatenate([np.empty(0, dtype=np.int32), *columns])
    data = np.concatenate([np.empty(0, dtype=np.float32), *values])
    starts = row_starts(lengths)
    widest = int(indices.max(initial=-1)) + 1
    if n_features is not None and widest > n_features:
        raise InvalidData(f"Features must lie between 1 and {n_features}; got {widest}.")
    return sp.csr_array((data, indices, starts), shape=(len(starts) - 1, widest if n_features is None else n_features))
