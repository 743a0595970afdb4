"""Classifiers for the benchmark of prediction: those that share one training, and those that need none."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from setwise.classifier import SetClassifier
from setwise.labels import LabelMatrix
from setwise.learners import LabelFits
from setwise.models import BinaryRelevance
from setwise.models.base import Callback


class SharedRelevance(BinaryRelevance):
    """BR that is trained once on the same documents, whoever asks for it: only predictions differ then.

    Documents are the same where they are as many: all classifiers hold out the same part. A copy is the model itself,
    so that a classifier is good until the next one is fitted.
    """

    def __sklearn_clone__(self) -> SharedRelevance:
        return self

    def fit(self, X: Any, y: Any, callback: Callback | None = None) -> SharedRelevance:
        known: dict[int, tuple[LabelMatrix, LabelFits]] = self.__dict__.setdefault("known_", {})
        if X.shape[0] not in known:
            super().fit(X, y, callback)
            known[X.shape[0]] = (LabelMatrix.of(y), self.fits_)
        self._take(*known[X.shape[0]])
        return self


class MadeRelevance(BinaryRelevance):
    """BR with made-up weights, where only the shape of things matters; as often as in y it expects a label."""

    def fit(self, X: Any, y: Any, callback: Callback | None = None) -> MadeRelevance:
        labels, random = LabelMatrix.of(y), np.random.default_rng(0)
        self.classes_, self.n_features_in_ = labels.names, X.shape[1]
        shape = (labels.n_labels, X.shape[1])
        self.coef_ = sp.csr_array(random.normal(size=shape) / np.sqrt(X.shape[1]))
        share = (labels.indicator.sum(axis=0) + 1) / (labels.n_samples + 2)
        self.intercept_ = np.log(share / (1 - share))
        return self


def with_made_weights(X: sp.csr_array, y: sp.csr_array) -> SetClassifier:
    """Support inference and GFM over the sets of y, on one thread, without any training."""
    documents = sp.csr_array((y.shape[0], X.shape[1]), dtype=X.dtype)
    return SetClassifier(MadeRelevance(n_jobs=1), "support", "gfm", calibration=None, n_jobs=1).fit(documents, y)
