"""Weights of whole counts, such as the word counts of a LIBSVM or ARFF file."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import BaseEstimator, TransformerMixin, check_is_fitted
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.text.checks import check_idf

__all__ = ["WEIGHTINGS", "CountWeighting", "WeightingName", "are_counts"]

WeightingName = Literal["sublinear", "tfidf"]
WEIGHTINGS: tuple[WeightingName, ...] = ("sublinear", "tfidf")


class CountWeighting(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replaces counts by 1 + log(count), times the inverse document frequency for TF-IDF; rows get unit length.

    Parameters
    ----------
    weighting : {"sublinear", "tfidf"}, default="tfidf"

    Attributes
    ----------
    idf_ : array of float32, shape (n_features,)
        Inverse document frequency of each feature, as in :class:`setwise.TextVectorizer`; ones where ``weighting`` is
        "sublinear".

    Examples
    --------
    >>> from setwise.text import CountWeighting
    >>> CountWeighting("sublinear").fit_transform([[3.0, 0.0], [0.0, 2.0]]).toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    idf_: NDArray[np.float32]

    def __init__(self, weighting: WeightingName = "tfidf") -> None:
        self.weighting = weighting

    def fit(self, X: Any, y: Any = None) -> CountWeighting:
        """Learn the document frequencies from counts, dense or sparse.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        if self.weighting not in WEIGHTINGS:
            raise InvalidParameter(f"weighting must be one of {', '.join(WEIGHTINGS)}; got {self.weighting!r}.")
        counts = sp.csr_array(X)
        self.idf_ = np.ones(counts.shape[1], dtype=np.float32)
        if self.weighting == "tfidf":
            from sklearn.feature_extraction.text import TfidfTransformer  # late: a prediction does not need it

            self.idf_ = TfidfTransformer().fit(counts).idf_.astype(np.float32)
        return self

    def transform(self, X: Any) -> sp.csr_array:
        """Return the weighted counts, each row of unit length; values of 0 and below stay out of it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        csr_array of float32, shape (n_samples, n_features)
        """
        check_is_fitted(self)
        counts = sp.csr_array(X, dtype=np.float64)
        if counts.shape[1] != self.idf_.size:
            raise InvalidData(f"X must have the {self.idf_.size} features of the fit; got {counts.shape[1]}.")
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.where(counts.data > 0.0, 1.0 + np.log(counts.data), 0.0)
        values = np.maximum(values, 0.0) * self.idf_[counts.indices]
        row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        length = np.sqrt(np.bincount(row, values * values, minlength=counts.shape[0]))
        values /= np.where(length > 0.0, length, 1.0)[row]
        parts = values.astype(np.float32), counts.indices, counts.indptr
        return sp.csr_array(parts, shape=counts.shape)

    @classmethod
    def from_state(cls, weighting: Any, idf: Any, n_features: int) -> CountWeighting:
        """Return a fitted weighting from its name and its idf, after checking them."""
        if weighting not in WEIGHTINGS:
            raise InvalidData(f"weighting must be one of {', '.join(WEIGHTINGS)}; got {weighting!r:.40}.")
        check_idf(idf, n_features)
        fitted = cls(weighting)
        fitted.idf_ = idf
        return fitted


def are_counts(X: Any) -> bool:
    """Return whether all values of a matrix are whole and not negative, and some are larger than 1."""
    values = X.data if sp.issparse(X) else np.asarray(X)
    return bool(values.size and values.max() > 1.0 and values.min() >= 0.0 and (values == np.floor(values)).all())
