"""Held-out documents with their posterior, scored once: what recipes are tuned and evaluated on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import IndependentLabels, LabelMatrix, MostProbable, SizeMarginals, Support, csr_of_ones
from setwise.metrics import MetricName, evaluate_metric
from setwise.posterior import Posterior, Rows, Scaling
from setwise.prediction.recipe import Recipe

__all__ = [
    "HeldOut",
    "StoredPosterior",
    "evaluate_recipe",
    "evaluate_sets",
    "marginals",
    "stacked_sets",
    "standard_error",
    "true_sets",
]

MAX_STORED = 2**26
"""Log-probabilities of documents and sets that are stored: 512 MB. Beyond that they are computed again."""

N_RESAMPLES = 200
"""Bootstrap samples of a standard error, of which two digits are enough."""

MAX_STORED_SAMPLES = 2**22
"""Label sets drawn for documents that are stored. Beyond that they are drawn again."""


class StoredPosterior(Posterior):
    """A posterior that computes log-probabilities over a support, and samples, once for any number of recipes.

    Parameters
    ----------
    posterior : Posterior
        Of all documents.
    rows : array of int, optional
        The documents of this posterior; None means all. Those of a fold share the stored log-probabilities.
    """

    def __init__(self, posterior: Posterior, rows: Rows | None = None, cache: dict[Any, Any] | None = None) -> None:
        self._whole = posterior
        self._rows = rows
        self._cache: dict[Any, Any] = {} if cache is None else cache
        self._part = posterior if rows is None else None
        self.classes = posterior.classes
        self.abilities = posterior.abilities
        self.n_samples = posterior.n_samples if rows is None else len(np.arange(posterior.n_samples)[rows])

    def take(self, rows: Rows) -> StoredPosterior:
        if self._rows is None:
            return StoredPosterior(self._whole, rows, self._cache)
        within = np.arange(self._whole.n_samples)[self._rows][rows]
        return StoredPosterior(self._whole, within, self._cache)

    @property
    def _scored(self) -> Posterior:
        """The posterior of these documents."""
        if self._part is None:
            assert self._rows is not None
            self._part = self._whole.take(self._rows)
        return self._part

    def log_prob(self, sets: Any) -> NDArray[np.float64]:
        """Return log-probabilities that the caller may read but not change."""
        if not isinstance(sets, LabelMatrix) or self._whole.n_samples * sets.n_samples > MAX_STORED:
            return self._scored.log_prob(sets)
        if id(sets) not in self._cache:
            stored = self._whole.log_prob(sets)
            stored.flags.writeable = False
            self._cache[id(sets)] = sets, stored  # the sets too, so that their id stays theirs
        _, log_prob = self._cache[id(sets)]
        return np.asarray(log_prob if self._rows is None else log_prob[self._rows])

    def marginals(self) -> NDArray[np.float64]:
        return self._scored.marginals()

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        return self._scored.size_marginals(max_size)

    def mode(self, *, non_empty: bool = False) -> MostProbable:
        return self._scored.mode(non_empty=non_empty)

    def sample(self, n: int, random_state: int) -> sp.csr_array:
        if self._whole.n_samples * n > MAX_STORED_SAMPLES:
            return self._scored.sample(n, random_state)
        key = n, random_state  # the draws of a document do not depend on the others
        if key not in self._cache:
            self._cache[key] = self._whole.sample(n, random_state)
        if self._rows is None:
            return self._cache[key]
        rows = np.arange(self._whole.n_samples)[self._rows]
        return self._cache[key][(rows[:, None] * n + np.arange(n)).ravel()]

    def rescaled(self, scale: Scaling, shift: Scaling) -> Posterior:
        return self._scored.rescaled(scale, shift)

    def independent_labels(self) -> IndependentLabels:
        return self._scored.independent_labels()


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The posterior of held-out documents, their true sets, and the support of the training documents.

    Cross-validation has one per fold, each with its own model.
    """

    posterior: Posterior
    y: LabelMatrix
    support: Support

    @classmethod
    def of(cls, model: Any, X: Any, y: LabelMatrix, support: Support) -> HeldOut:
        """Score documents once with a model that was not trained on them."""
        return cls(StoredPosterior(model.posterior(X).scored()), y, support)

    def take(self, documents: NDArray[np.int64]) -> HeldOut:
        """Return some of the documents."""
        return replace(self, posterior=self.posterior.take(documents), y=self.y.take(documents))


def evaluate_recipe(
    recipe: Recipe,
    parts: Sequence[HeldOut],
    scoring: MetricName = "instance_f1",
    *,
    truth: LabelMatrix | None = None,
) -> float:
    """Return the metric of a recipe over the documents of all parts together.

    Who evaluates many recipes passes the ``true_sets`` of the parts as ``truth``.
    """
    sets = [recipe.decide(part.posterior, part.support, with_value=False).sets for part in parts]
    return evaluate_sets(parts, sets, scoring, truth=truth)


def evaluate_sets(
    parts: Sequence[HeldOut], sets: Sequence[sp.csr_array], scoring: MetricName, *, truth: LabelMatrix | None = None
) -> float:
    """Return the metric of the sets that were chosen for each part."""
    truth = true_sets(parts) if truth is None else truth
    return evaluate_metric(scoring, truth, replace(truth, indicator=stacked_sets(sets)))


def true_sets(parts: Sequence[HeldOut]) -> LabelMatrix:
    """Return the true label sets of the documents of all parts."""
    if len(parts) == 1:
        return parts[0].y
    return replace(parts[0].y, indicator=stacked_sets([part.y.indicator for part in parts]))


def stacked_sets(parts: Sequence[sp.csr_array]) -> sp.csr_array:
    """Return the label sets of all parts, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    columns = np.concatenate([part.indices for part in parts])
    return csr_of_ones(columns, np.concatenate([np.diff(part.indptr) for part in parts]), parts[0].shape[1])


def standard_error(
    parts: Sequence[HeldOut], sets: Sequence[sp.csr_array], scoring: MetricName, random_state: int = 0
) -> float:
    """Return the standard error of the metric of chosen sets, by a bootstrap over the documents of all parts."""
    truth = true_sets(parts)
    chosen = replace(truth, indicator=stacked_sets(sets))
    random = np.random.default_rng(random_state)
    values = []
    for _ in range(N_RESAMPLES):
        rows = random.integers(truth.n_samples, size=truth.n_samples)
        values.append(evaluate_metric(scoring, truth.take(rows), chosen.take(rows)))
    return float(np.std(values))


def marginals(recipe: Recipe, parts: Sequence[HeldOut]) -> NDArray[np.float64]:
    """Return the label probabilities of the documents of all parts."""
    return np.concatenate([recipe.marginals(part.posterior, part.support) for part in parts])
