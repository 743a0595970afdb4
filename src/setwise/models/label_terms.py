"""Where the scores of the labels of a document come from: its features, the other labels, and the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["LabelTerms", "feature_terms", "mixed_terms"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelTerms:
    """The terms of each label's score for one document, given the set that the other labels are in.

    Where the scores are linear, they are the logit of each label given all the others, and the sum of all terms.

    Attributes
    ----------
    features : sparse array of shape (n_labels, n_features)
        Weight times value of each feature.
    intercept : array of shape (n_labels,)
        What is there without any feature and any other label.
    other_labels : array of shape (n_labels,)
        What the other labels of the set add.
    components : array of shape (n_components,)
        In a mixture, the share of each component in the set; the terms are averaged by it. Empty elsewhere.
    """

    features: sp.csr_array
    intercept: Array
    other_labels: Array
    components: Array

    @property
    def score(self) -> Array:
        """The sum of all terms of each label."""
        return np.asarray(self.features.sum(axis=1)).ravel() + self.intercept + self.other_labels


def feature_terms(weights: sp.csc_array, intercept: Array, X: sp.csr_array) -> Iterator[LabelTerms]:
    """Yield the terms of each document of a model with one weight per label and feature."""
    nothing = np.zeros(weights.shape[0])
    for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        columns, values = X.indices[start:end], X.data[start:end]
        begins, counts = weights.indptr[columns], np.diff(weights.indptr)[columns]
        # The entries of a weight matrix in the columns that the document has: their places, one after the other.
        place = np.arange(counts.sum()) + np.repeat(begins - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        entries = (
            weights.data[place] * np.repeat(values, counts),
            (weights.indices[place], np.repeat(columns, counts)),
        )
        yield LabelTerms(sp.csr_array(entries, shape=weights.shape), intercept, nothing, np.zeros(0))


def mixed_terms(terms: list[LabelTerms], shares: Array) -> LabelTerms:
    """Return the mean of the terms, weighted by shares that sum to one."""
    features = [share * one.features for share, one in zip(shares, terms, strict=True)]
    intercept, other_labels = (
        np.sum([share * term for share, term in zip(shares, each, strict=True)], axis=0)
        for each in zip(*((one.intercept, one.other_labels) for one in terms), strict=True)
    )
    return LabelTerms(sp.csr_array(sum(features[1:], start=features[0])), intercept, other_labels, np.zeros(0))
