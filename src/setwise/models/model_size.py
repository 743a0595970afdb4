"""How large a fitted model is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from setwise.models.base import LabelModel

__all__ = ["ModelSize", "model_size"]

_BYTES_OF_A_WEIGHT = 4
"""Weights are kept in single precision."""


class ModelSize(NamedTuple):
    """What a model keeps."""

    n_nonzero: int
    """Weights of features that are not zero."""
    n_features_used: int
    """Features with any such weight."""
    n_bytes: int
    """All numbers that a prediction reads, weights in single precision."""


def model_size(model: LabelModel) -> ModelSize:
    """Count what a fitted model keeps."""
    used = [np.zeros(0, dtype=np.int32)]
    n_nonzero = 0
    for name in model._fitted:
        weights = getattr(model, name)
        if sp.issparse(weights) and name.endswith("coef_"):
            alive = weights.data != 0
            n_nonzero += int(alive.sum())
            used.append(np.unique(weights.indices[alive]))
    arrays = model.state().arrays.values()
    n_bytes = sum(a.size * (_BYTES_OF_A_WEIGHT if a.dtype.kind == "f" else a.itemsize) for a in arrays)
    return ModelSize(n_nonzero, np.unique(np.concatenate(used)).size, int(n_bytes))
