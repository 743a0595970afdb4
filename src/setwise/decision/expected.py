"""What a given set can expect: the F of any choice, under what is known of labels and sizes."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import SizeMarginals

__all__ = ["expected_f"]


def expected_f(known: SizeMarginals, sets: sp.csr_array, *, beta: float = 1.0) -> NDArray[np.float64]:
    """Give the expected F_beta of a set a document; two empty sets have F 1."""
    square, sizes = beta * beta, np.diff(sets.indptr)
    labels = np.repeat(np.arange(sets.shape[0]), sizes)
    s = np.arange(1, known.joint.shape[2] + 1)
    weight = (1.0 + square) / (square * s + np.maximum(sizes, 1)[:, None])
    each = (known.joint[labels, sets.indices] * weight[labels]).sum(axis=1)
    total = np.bincount(labels, each, minlength=sets.shape[0])
    return np.asarray(np.where(sizes == 0, known.empty, total))
