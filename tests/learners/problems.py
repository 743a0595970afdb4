"""Random problems for the learners, and what the oracles say of their fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from numpy.typing import NDArray

from setwise.learners import LabelFits
from tests.oracles.logistic import logistic_objective, recompute_violation
from tests.oracles.squared_hinge import hinge_objective, hinge_violation

Array = NDArray[np.float64]

KINDS = ("ones", "counts", "float32", "float64")
"""What the entries of X are: the compiled core has a path of its own for ones, for single and for double precision."""

OBJECTIVES = {"logistic": logistic_objective, "squared_hinge": hinge_objective}
VIOLATIONS = {"logistic": recompute_violation, "squared_hinge": hinge_violation}


@dataclass(frozen=True)
class Problem:
    """Documents and targets, with the weights and offsets that some problems have."""

    X: Any
    y: Array
    sample_weight: Array | None = None
    offset: Array | None = None
    soft: bool = False
    loss: str = "logistic"

    @property
    def data(self) -> dict[str, Any]:
        """The arguments of ``fit_labels`` and its siblings."""
        return {"X": self.X, "y": self.y} | self.options

    @property
    def options(self) -> dict[str, Any]:
        """The same without X and y."""
        return {"sample_weight": self.sample_weight, "offset": self.offset, "soft": self.soft, "loss": self.loss}

    @property
    def dense(self) -> Array:
        return np.asarray(self.X.toarray() if sp.issparse(self.X) else self.X, dtype=np.float64)

    @property
    def largest(self) -> float:
        return float(np.abs(self.dense).max())

    def offset_of(self, label: int) -> Array | float:
        if self.offset is None:
            return 0.0
        return self.offset if self.offset.ndim == 1 else self.offset[:, label]

    def violations(self, fits: LabelFits, strength: float, l1_ratio: float) -> Array:
        """What the certificates must say, by the oracle."""
        return self._by_label(VIOLATIONS[self.loss], fits, strength, l1_ratio)

    def objectives(self, fits: LabelFits, strength: float, l1_ratio: float) -> Array:
        """What the objectives must be, by the oracle."""
        return self._by_label(OBJECTIVES[self.loss], fits, strength, l1_ratio)

    def _by_label(self, measure: Any, fits: LabelFits, strength: float, l1_ratio: float) -> Array:
        X, coef = self.dense, fits.coef.toarray()
        return np.array(
            [
                measure(
                    X,
                    self.y[:, label],
                    coef[label],
                    fits.intercept[label],
                    strength,
                    l1_ratio,
                    self.sample_weight,
                    self.offset_of(label),
                )
                for label in range(self.y.shape[1])
            ]
        )


def random_features(random: np.random.Generator, n: int, d: int, kind: str, density: float = 1.0) -> NDArray[Any]:
    """Documents as a dense array with a share of non-zeros; some rows and columns may be empty."""
    kept = random.random((n, d)) < density
    match kind:
        case "ones":
            values = np.ones((n, d))
        case "counts":
            values = random.poisson(1.0, (n, d)).astype(np.float64)
        case "float32":
            values = random.normal(size=(n, d)).astype(np.float32)
        case "float64":
            values = random.normal(size=(n, d))
    return kept * values


def random_labels(random: np.random.Generator, X: Any, n_labels: int, share: float = 0.4) -> Array:
    """Labels that depend on X, each about a share of the documents; rare ones may become constant."""
    scores = X @ random.normal(size=(X.shape[1], n_labels))
    spread = scores.std(axis=0) + 1e-300
    noisy = scores / spread + random.logistic(size=scores.shape)
    return np.asarray(noisy >= np.quantile(noisy, 1.0 - share, axis=0, method="higher"), dtype=np.float64)


def small_problem(seed: int = 0, n: int = 60, d: int = 12, n_labels: int = 3, kind: str = "float64") -> Problem:
    """A plain problem: no label is constant, no weights, no offsets."""
    random = np.random.default_rng([seed, n, d])
    X = random_features(random, n, d, kind, density=0.5)
    return Problem(sp.csr_array(X), random_labels(random, X, n_labels))


@st.composite
def problems(
    draw: st.DrawFn, max_samples: int = 40, max_features: int = 60, max_labels: int = 3, loss: str = "logistic"
) -> Problem:
    """Problems of every kind that the learners take: tall and wide, empty rows and columns, rare labels."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, max_samples)), draw(st.integers(1, max_features))
    n_labels = draw(st.integers(1, max_labels))
    X = random_features(random, n, d, draw(st.sampled_from(KINDS)), draw(st.sampled_from([0.05, 0.3, 1.0])))
    if draw(st.booleans()):
        X[random.integers(n)] = 0.0
        X[:, random.integers(d)] = 0.0
    y = random_labels(random, X, n_labels, share=draw(st.sampled_from([0.03, 0.3, 0.5])))
    if soft := loss == "logistic" and draw(st.booleans()):
        y = np.where(random.random(y.shape) < 0.5, y, random.random(y.shape))
    weight = None
    if draw(st.booleans()):
        weight = random.exponential(size=n) * (random.random(n) < 0.8)
        weight[random.integers(n)] += 0.1
    match draw(st.sampled_from(["none", "shared", "by label"])):
        case "none":
            offset = None
        case "shared":
            offset = random.normal(size=n)
        case "by label":
            offset = random.normal(size=(n, n_labels))
    return Problem(sp.csr_array(X), y, weight, offset, soft, loss)


def same_bits(one: LabelFits, other: LabelFits) -> bool:
    """Whether two results are equal to the last bit, iterations included."""
    rows = [[fits.history_rows(label) for label in range(fits.intercept.size)] for fits in (one, other)]
    return (
        np.array_equal(one.coef.toarray(), other.coef.toarray())
        and np.array_equal(one.intercept, other.intercept)
        and np.array_equal(one.violation, other.violation)
        and np.array_equal(one.objective, other.objective)
        and np.array_equal(one.n_iter, other.n_iter)
        and rows[0] == rows[1]
    )
