"""Feature matrices from sparse rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from setwise.data.documents import VectorDocument
from setwise.exceptions import InvalidData
from setwise.labels import row_starts

__all__ = ["csr_from_rows", "feature_matrix"]


def feature_matrix(documents: Sequence[VectorDocument], n_features: int | None = None) -> sp.csr_array:
    """Stack documents into a matrix with one row per document.

    Parameters
    ----------
    documents : sequence of VectorDocument
        The rows.
    n_features : int, optional
        Number of columns; None is one more than the largest column that occurs.

    Returns
    -------
    csr_array of float32, shape (n_samples, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.data import VectorDocument, feature_matrix
    >>> document = VectorDocument(np.array([1], np.int32), np.array([0.5], np.float32))
    >>> feature_matrix([document], n_features=3).toarray().tolist()
    [[0.0, 0.5, 0.0]]
    """
    return csr_from_rows(
        [document.columns for document in documents],
        [document.values for document in documents],
        [len(document.columns) for document in documents],
        n_features,
    )


def csr_from_rows(
    columns: Sequence[NDArray[np.int32]],
    values: Sequence[NDArray[np.float32]],
    lengths: ArrayLike,
    n_features: int | None,
) -> sp.csr_array:
    """Return a CSR array from pieces of columns and values and the length of each row."""
    indices = np.concatenate([np.empty(0, dtype=np.int32), *columns])
    data = np.concatenate([np.empty(0, dtype=np.float32), *values])
    starts = row_starts(lengths)
    widest = int(indices.max(initial=-1)) + 1
    if n_features is not None and widest > n_features:
        raise InvalidData(f"Features must lie between 1 and {n_features}; got {widest}.")
    return sp.csr_array((data, indices, starts), shape=(len(starts) - 1, widest if n_features is None else n_features))
