"""The features with the largest weights for each label."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["top_features"]


def top_features(model: Any, n: int) -> list[list[tuple[int, float]]]:
    """Return, for each label, the ``n`` features with the largest positive weights, largest first."""
    weights = model.label_weights()
    top = []
    for label in range(weights.shape[0]):
        row = slice(weights.indptr[label], weights.indptr[label + 1])
        features, values = weights.indices[row], weights.data[row]
        order = np.lexsort((features, -values))[:n]
        top.append([(int(features[k]), float(values[k])) for k in order if values[k] > 0.0])
    return top
