"""Which features speak loudest for each label."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["strongest_features"]


def strongest_features(model: Any, n: int) -> dict[int, list[tuple[int, float]]]:
    """Give by label the ``n`` features of the largest positive weights, each with its weight, the largest first.

    A model with several regressions a label, such as CBM with one a component, counts with their mean.
    """
    weights = _by_label(model)
    found = {}
    for label in range(weights.shape[0]):
        row = slice(weights.indptr[label], weights.indptr[label + 1])
        features, values = weights.indices[row], weights.data[row]
        order = np.lexsort((features, -values))[:n]
        found[label] = [(int(features[k]), float(values[k])) for k in order if values[k] > 0.0]
    return found


def _by_label(model: Any) -> sp.csr_array:
    n_labels, weights = len(model.classes_), sp.csr_array(model.coef_)
    labels = getattr(model, "pair_labels_", None)
    if labels is not None and getattr(model, "form", None) == "binary":  # LSF: a row a label and size
        own = np.asarray(labels)
        weights = weights[: len(own)]
    else:
        weights = weights[: weights.shape[0] // n_labels * n_labels]  # LSF's last row may be the empty set's
        own = np.arange(weights.shape[0]) % n_labels
    share = 1.0 / np.maximum(np.bincount(own, minlength=n_labels), 1)
    label = np.repeat(own, np.diff(weights.indptr))
    # A product of matrices would take memory for every feature, used or not.
    mean = sp.coo_array((share[label] * weights.data, (label, weights.indices)), shape=(n_labels, weights.shape[1]))
    return sp.csr_array(mean)
