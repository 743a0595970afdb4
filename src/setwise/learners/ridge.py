"""Least squares with a penalty, for many targets that share one matrix.

Minimizes for each target z, over w and b (b is not penalized)::

    (1 / sum_i c_i) sum_i c_i (z_i - b - x_i . w)^2  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

Without an L1 part all targets share one factorization: of the covariance of the features, or, where there are fewer
documents than features, of that of the documents. Where both are large, conjugate gradients run on all targets
together. With an L1 part each target is fitted by scikit-learn's coordinate descent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._validation import as_matrix, normalized_weights, require_finite
from setwise.exceptions import InvalidData

__all__ = ["LeastSquares", "LeastSquaresFit"]

Array = NDArray[np.float64]

LARGEST_SYSTEM = 6000
"""Rows of the largest system that is factorized: 288 MB."""

_ROUNDS = 500
"""Most rounds of conjugate gradients."""


@dataclass(frozen=True, eq=False)
class LeastSquaresFit:
    """Weights and intercepts of all targets, with their certificate."""

    coef: Array
    """Targets by features."""
    intercept: Array
    violation: float
    """The certificate: the largest violation of the optimality conditions over targets and features."""
    objective: float
    """Sum over targets."""


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """The data of a fit: documents, targets, and their weighted means."""

    X: sp.csr_array
    targets: Array
    weight: Array
    """One per document; they sum to one."""
    mean: Array
    """Of the features."""
    target_mean: Array

    @classmethod
    def of(cls, X: Any, targets: Any, sample_weight: Any = None) -> LeastSquares:
        """Check the data of a fit; targets are documents by targets, sparse or dense."""
        matrix = sp.csr_array(as_matrix(X, "X"), dtype=np.float64)
        require_finite(matrix.data, "X")
        dense = np.asarray(targets.toarray() if sp.issparse(targets) else targets, dtype=np.float64)
        if dense.shape[0] != matrix.shape[0]:
            raise InvalidData(f"X has {matrix.shape[0]} rows but the targets have {dense.shape[0]}.")
        weight = normalized_weights(sample_weight, matrix.shape[0])
        return cls(matrix, dense, weight, np.asarray(matrix.T @ weight), weight @ dense)

    def solve(self, strength: float, tol: float = 1e-8) -> Array:
        """Return the weights under a squared penalty, targets by features."""
        n_samples, n_features = self.X.shape
        if n_features <= min(n_samples, LARGEST_SYSTEM):
            return self._solve_by_features(strength)
        if n_samples <= LARGEST_SYSTEM:
            return self._solve_by_documents(strength)
        return self._solve_iteratively(strength, tol)

    def evaluated(self, coef: Array, strength: float, l1_ratio: float) -> LeastSquaresFit:
        """Return the weights with the best intercepts, their objective and their violation."""
        intercept = self.target_mean - coef @ self.mean
        residual = np.asarray(self.X @ coef.T) + intercept - self.targets
        l1, l2 = strength * l1_ratio, strength * (1.0 - l1_ratio)
        loss = float(self.weight @ (residual * residual).sum(axis=1))
        penalty = l1 * float(np.abs(coef).sum()) + l2 * float((coef * coef).sum())
        gradient = 2.0 * np.asarray(self.X.T @ (self.weight[:, None] * residual)).T + 2.0 * l2 * coef
        at_zero = np.maximum(np.abs(gradient) - l1, 0.0)
        violation = np.where(coef != 0.0, np.abs(gradient + l1 * np.sign(coef)), at_zero).max(initial=0.0)
        return LeastSquaresFit(coef, intercept, float(violation), loss + penalty)

    def _right_side(self) -> Array:
        """Return the covariance of features and targets, features by targets."""
        return np.asarray(self.X.T @ (self.weight[:, None] * self.targets)) - np.outer(self.mean, self.target_mean)

    def _solve_by_features(self, strength: float) -> Array:
        scaled = sp.diags_array(np.sqrt(self.weight)) @ self.X
        covariance = (scaled.T @ scaled).toarray() - np.outer(self.mean, self.mean)
        covariance[np.diag_indices_from(covariance)] += strength
        return np.asarray(scipy.linalg.solve(covariance, self._right_side(), assume_a="pos").T)

    def _solve_by_documents(self, strength: float) -> Array:
        # With rows a_i = sqrt(weight_i) (x_i - mean) the weights are A' (A A' + strength I)^-1 sqrt(weight) (z - mean).
        root = np.sqrt(self.weight)
        toward_mean = np.asarray(self.X @ self.mean)
        products = (self.X @ self.X.T).toarray() - toward_mean - toward_mean[:, None] + self.mean @ self.mean
        products *= root * root[:, None]
        products[np.diag_indices_from(products)] += strength
        centred = root[:, None] * (self.targets - self.target_mean)
        dual = root[:, None] * scipy.linalg.solve(products, centred, assume_a="pos")
        return np.asarray((self.X.T @ dual - np.outer(self.mean, dual.sum(axis=0))).T)

    def _solve_iteratively(self, strength: float, tol: float) -> Array:
        """Run conjugate gradients on all targets, each with step lengths of its own."""
        squares = self.X.copy()
        squares.data **= 2
        diagonal = (np.asarray(squares.T @ self.weight) - self.mean**2 + strength)[:, None]

        def times(move: Array) -> Array:
            scores = np.asarray(self.X @ move) - self.mean @ move
            scores *= self.weight[:, None]
            return np.asarray(self.X.T @ scores) - np.outer(self.mean, scores.sum(axis=0)) + strength * move

        residual = self._right_side()
        weights = np.zeros_like(residual)
        scaled = residual / diagonal
        move, slope = scaled.copy(), (residual * scaled).sum(axis=0)
        target = tol * np.abs(residual).max(initial=0.0)
        for _ in range(_ROUNDS):
            if np.abs(residual).max(initial=0.0) <= target:
                break
            product = times(move)
            bend = (move * product).sum(axis=0)
            length = np.divide(slope, bend, out=np.zeros_like(slope), where=bend > 0.0)
            weights += length * move
            residual -= length * product
            scaled = residual / diagonal
            after = (residual * scaled).sum(axis=0)
            move = scaled + np.divide(after, slope, out=np.zeros_like(slope), where=slope > 0.0) * move
            slope = after
        return weights.T

    def solve_sparse(self, strength: float, l1_ratio: float, tol: float, max_iter: int) -> Array:
        """Return the weights under a penalty with an L1 part, targets by features."""
        from sklearn.linear_model import ElasticNet

        # scikit-learn halves the loss and the squared term, so its penalty is half of ours.
        l1, l2 = 0.5 * strength * l1_ratio, strength * (1.0 - l1_ratio)
        model = ElasticNet(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2), tol=tol, max_iter=max_iter)
        columns = sp.csc_array(self.X)
        rows = [model.fit(columns, target, sample_weight=self.weight).coef_ for target in self.targets.T]
        return np.array(rows).reshape(self.targets.shape[1], self.X.shape[1])
