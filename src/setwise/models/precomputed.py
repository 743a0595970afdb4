"""Probabilities that somebody else computed, as a model: what was said of labels alone, asked about sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit, logit

from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, MostProbable, SizeMarginals
from setwise.learners.checks import as_matrix, checked_n_jobs, require_finite
from setwise.learners.fits import CONSTANT_LOGIT
from setwise.models import bernoulli_kernels

__all__ = ["PrecomputedMarginals"]

Array = NDArray[np.float64]


class PrecomputedMarginals:
    """Independent labels whose probabilities are the documents themselves: X is documents by labels, in [0, 1].

    A probability of 0 or 1 counts as within rounding of it, so that one sure label never rules out every set.
    """

    def __init__(self, names: tuple[str, ...], n_jobs: int | None = None) -> None:
        self.classes_ = names
        self.n_jobs = n_jobs

    def scores(self, X: Any) -> Array:
        """Give the logit of every label, documents by labels."""
        matrix = as_matrix(X, "probabilities")
        given = np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix, dtype=np.float64)
        require_finite(given, "probabilities")
        if given.shape[1] != len(self.classes_):
            raise InvalidData(f"probabilities must have a column a label, {len(self.classes_)}; got {given.shape[1]}.")
        if given.min() < 0.0 or given.max() > 1.0:
            wrong = given[(given < 0.0) | (given > 1.0)][0]
            raise InvalidData(f"probabilities must lie in [0, 1]; got {wrong:g}. Hint: give probabilities, not scores.")
        return np.asarray(np.clip(logit(given), -CONSTANT_LOGIT, CONSTANT_LOGIT))

    def log_prob(self, X: Any, sets: Any) -> Array:
        """log p(set | x), documents by sets."""
        rows = LabelMatrix.of(sets, self.classes_, called="sets").indicator
        return bernoulli_kernels.log_prob(*self._mixture(X), rows, checked_n_jobs(self.n_jobs))

    def scaled_marginals(self, X: Any, scale: float, shift: float) -> Array:
        """Give p(y_l = 1 | x) with every logit z replaced by scale z + shift, documents by labels."""
        return np.asarray(expit(scale * self.scores(X) + shift))

    def mode(self, X: Any) -> MostProbable:
        """The most probable set of each document."""
        return bernoulli_kernels.mode(*self._mixture(X), 0, checked_n_jobs(self.n_jobs))

    def size_marginals(self, X: Any) -> SizeMarginals:
        """p(y_l = 1, |y| = s | x) for every label and size."""
        return bernoulli_kernels.size_marginals(*self._mixture(X), None, checked_n_jobs(self.n_jobs))

    def scaled_size_marginals(self, X: Any, scale: float, shift: float) -> SizeMarginals:
        """Give the size marginals with every logit z replaced by scale z + shift."""
        logits, log_gate = self._mixture(X)
        return bernoulli_kernels.size_marginals(scale * logits + shift, log_gate, None, checked_n_jobs(self.n_jobs))

    def _mixture(self, X: Any) -> tuple[Array, Array]:
        return bernoulli_kernels.one_component(self.scores(X))
