"""Explanations of predictions, put together from the model's terms, the beliefs of the recipe and the decided sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.explain.explanation import Explanation, FeatureShare, LabelReason, Rival
from setwise.explain.set_reasons import document_of, likely_sets, neighbors
from setwise.labels import Beliefs, MostProbable, SetDistribution, Support
from setwise.models import LabelModel, LabelTerms
from setwise.posterior import lacking
from setwise.prediction import DocumentBlock, Recipe
from setwise.text import TermPlaces

__all__ = ["Limits", "explain_documents"]

Array = NDArray[np.float64]

_LEAST_SHARE = 0.01
"""Components of a mixture with a smaller share are not listed."""


@dataclass(frozen=True)
class Limits:
    """How much an explanation lists."""

    n_labels: int = 5
    """Labels that are not predicted."""
    n_features: int = 10
    """Features per label."""
    n_rivals: int = 5


def explain_documents(
    model: LabelModel,
    recipe: Recipe,
    support: Support,
    features: Any,
    names: Sequence[str],
    places: Sequence[TermPlaces] | None,
    limits: Limits,
) -> list[Explanation]:
    """Explain the prediction for each document of a feature matrix.

    Parameters
    ----------
    model, recipe, support
        As for ``recipe.decide(model.posterior(features), support)``.
    features : array or sparse matrix of shape (n_samples, n_features)
    names : sequence of str
        One per feature.
    places : sequence of TermPlaces, optional
        Where the features of each text are in it.
    limits : Limits
    """
    rows = sp.csr_array(features)
    rows.sum_duplicates()
    posterior = model.posterior(rows)
    alone = posterior.marginals() if not lacking(model, "marginals") else None
    explanations: list[Explanation] = []
    for block in recipe.blocks(posterior, support):
        start = len(explanations)
        decision = recipe.decide_block(block)
        here = rows[start : start + decision.sets.shape[0]]
        beliefs = _beliefs(recipe, block)
        marginals = None if isinstance(beliefs, MostProbable) else block.marginals
        for i, terms in enumerate(model.label_terms(here, decision.sets)):
            chosen = decision.sets[[i]].toarray()[0] > 0
            about = None if beliefs is None else document_of(beliefs, i)
            where = None if places is None else places[start + i]
            one = _Document(terms, chosen, about, None if marginals is None else marginals[i], names, where)
            explanations.append(
                replace(one.explanation(support.sets.labels, limits), cut_at_half=_cut(alone, start + i, support))
            )
    return explanations


def _beliefs(recipe: Recipe, block: DocumentBlock) -> Beliefs | None:
    """Return the beliefs that sets are chosen by; None for a model of marginals alone."""
    if lacking(block, *recipe.needs_for_value(block)):
        return None
    return recipe.conditioned(block).beliefs


def _cut(marginals: Array | None, i: int, support: Support) -> tuple[str, ...]:
    """Return the labels whose own probability is above one half."""
    if marginals is None:
        return ()
    return _names(support.sets.labels, marginals[i] > 0.5)


@dataclass(frozen=True, eq=False)
class _Document:
    """One document with everything that its explanation is made of."""

    terms: LabelTerms
    chosen: NDArray[np.bool_]
    beliefs: Beliefs | None
    marginals: Array | None
    feature_names: Sequence[str]
    places: TermPlaces | None

    def explanation(self, labels: Sequence[Any], limits: Limits) -> Explanation:
        """Return the explanation, without what the classifier alone knows."""
        near = None if self.beliefs is None else neighbors(self.beliefs, self.chosen)
        by_label = np.full(len(self.chosen), np.nan) if near is None else near.by_label
        value = None if near is None else _none_for_nan(near.value)
        components = [
            (int(k), float(self.terms.components[k])) for k in np.argsort(-self.terms.components, kind="stable")
        ]
        return Explanation(
            labels=_names(labels, self.chosen),
            confidence=None,
            expected_f1=value,
            stated_expected_f1=value,
            cut_at_half=(),
            reasons=tuple(self._reason(label, labels, by_label[label], limits) for label in self._listed(limits)),
            rivals=self._rivals(labels, limits),
            components=tuple((k, share) for k, share in components if share >= _LEAST_SHARE),
            without_words=(),
        )

    def _listed(self, limits: Limits) -> list[int]:
        """Return the predicted labels, and those that come next, each the surest first."""
        order = np.argsort(-(self.terms.score if self.marginals is None else self.marginals), kind="stable")
        inside, outside = order[self.chosen[order]], order[~self.chosen[order]]
        return [int(label) for label in (*inside, *outside[: limits.n_labels])]

    def _reason(self, label: int, labels: Sequence[Any], changed: float, limits: Limits) -> LabelReason:
        terms = self.terms
        start, end = terms.features.indptr[label], terms.features.indptr[label + 1]
        columns, values = terms.features.indices[start:end], terms.features.data[start:end]
        order = np.argsort(-np.abs(values), kind="stable")
        listed, rest = order[: limits.n_features], order[limits.n_features :]
        return LabelReason(
            label=str(labels[label]),
            predicted=bool(self.chosen[label]),
            probability=None if self.marginals is None else float(self.marginals[label]),
            score=float(values.sum() + terms.intercept[label] + terms.other_labels[label]),
            intercept=float(terms.intercept[label]),
            other_labels=float(terms.other_labels[label]),
            features=tuple(self._share(int(columns[k]), float(values[k])) for k in listed if values[k] != 0.0),
            other_features=float(values[rest].sum()),
            expected_f1_without=_none_for_nan(changed),
        )

    def _share(self, column: int, value: float) -> FeatureShare:
        spans = () if self.places is None else self.places.of(column)
        return FeatureShare(str(self.feature_names[column]), value, spans)

    def _rivals(self, labels: Sequence[Any], limits: Limits) -> tuple[Rival, ...]:
        """Return the most probable other sets of the support; none where the beliefs are not about sets."""
        if not isinstance(self.beliefs, SetDistribution):
            return ()
        own = _names(labels, self.chosen)
        (likely,) = likely_sets(self.beliefs, limits.n_rivals + 1)
        return tuple([rival for rival in likely if rival.labels != own][: limits.n_rivals])


def _names(labels: Sequence[Any], chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(str(labels[label]) for label in np.flatnonzero(chosen).tolist())


def _none_for_nan(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
