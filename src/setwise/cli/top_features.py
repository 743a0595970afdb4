"""The features with the largest weights for each label."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["strongest_features", "top_features"]


def top_features(model: Any, n: int) -> list[list[tuple[int, float]]]:
    """Return, for each label, the ``n`` features with the largest positive weights, largest first."""
    weights = model.label_weights()
    return [_largest(weights, label, n, sign=1.0) for label in range(weights.shape[0])]


def strongest_features(model: Any, label: int, n: int) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """Return the ``n`` features with the largest weights for a label, and the ``n`` with the largest against it."""
    weights = model.label_weights()
    return _largest(weights, label, n, sign=1.0), _largest(weights, label, n, sign=-1.0)


def _largest(weights: sp.csr_array, label: int, n: int, sign: float) -> list[tuple[int, float]]:
    row = slice(weights.indptr[label], weights.indptr[label + 1])
    features, values = weights.indices[row], weights.data[row]
    order = np.lexsort((features, -sign * values))[:n]
    return [(int(features[k]), float(values[k])) for k in order if sign * values[k] > 0.0]
