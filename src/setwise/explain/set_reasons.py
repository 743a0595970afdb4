"""Why this set: its expected F1, that of its neighbors, and the rival sets, under the beliefs that it was chosen by."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from setwise.explain.explanation import Rival
from setwise.labels import Beliefs, IndependentLabels, MostProbable, SetDistribution, SizeMarginals, csr_of_ones
from setwise.prediction import expected_f1

__all__ = ["Neighbors", "document_of", "expected_f1_of_sets", "likely_sets", "neighbors"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The expected F1 of a set, and of every set that differs from it by one label."""

    value: float
    by_label: Array
    """After the label at this position is removed from the set, or added to it."""


def document_of(beliefs: Beliefs, i: int) -> Beliefs:
    """Return the beliefs about one document."""
    if isinstance(beliefs, SetDistribution):
        return SetDistribution(beliefs.sets, beliefs.probability[i : i + 1])
    if isinstance(beliefs, SizeMarginals):
        return SizeMarginals(beliefs.joint[i : i + 1], beliefs.empty[i : i + 1])
    if isinstance(beliefs, IndependentLabels):
        return replace(beliefs, logits=beliefs.logits[i : i + 1])
    return MostProbable(beliefs.sets[[i]], beliefs.log_prob[i : i + 1], beliefs.exact[i : i + 1])


def expected_f1_of_sets(beliefs: Beliefs, sets: NDArray[np.bool_]) -> Array:
    """Return the expected F1 of several sets for one document; NaN where the beliefs have no probabilities."""
    n = len(sets)
    indicator = csr_of_ones(np.nonzero(sets)[1], sets.sum(axis=1), sets.shape[1])
    if isinstance(beliefs, MostProbable):
        return np.full(n, np.nan)
    if isinstance(beliefs, SetDistribution):
        return _over_sets(beliefs, sets)
    if isinstance(beliefs, IndependentLabels):
        return expected_f1(replace(beliefs, logits=np.repeat(beliefs.logits, n, axis=0)), indicator)
    joint, empty = (np.repeat(one, n, axis=0) for one in (beliefs.joint, beliefs.empty))
    return expected_f1(SizeMarginals(joint, empty), indicator)


def _over_sets(beliefs: SetDistribution, sets: NDArray[np.bool_]) -> Array:
    """Return the sum of p(true set) F1(true set, set) over the support."""
    support = beliefs.sets.indicator
    shared = np.asarray(support @ sets.T.astype(np.float64))
    sizes = beliefs.sets.sizes[:, None] + sets.sum(axis=1)
    f1 = np.where(sizes > 0, 2.0 * shared / np.maximum(sizes, 1), 1.0)
    return np.asarray(beliefs.probability[0] @ f1)


def neighbors(beliefs: Beliefs, chosen: NDArray[np.bool_]) -> Neighbors:
    """Return the expected F1 of a set and of its neighbors for one document."""
    changed = chosen ^ np.eye(len(chosen), dtype=bool)
    values = expected_f1_of_sets(beliefs, np.vstack([chosen, changed]))
    return Neighbors(float(values[0]), values[1:])


def likely_sets(beliefs: SetDistribution, n: int) -> list[list[Rival]]:
    """Return the ``n`` most probable sets of each document, each with its probability and its expected F1."""
    found = []
    for i, (positions, probabilities) in enumerate(zip(*beliefs.top(n), strict=True)):
        indicator = beliefs.sets.indicator[positions]
        values = expected_f1_of_sets(document_of(beliefs, i), indicator.toarray() > 0)
        names = beliefs.sets.with_indicator(indicator).name_lists()
        columns = zip(names, probabilities.tolist(), values.tolist(), strict=True)
        found.append([Rival(tuple(labels), probability, value) for labels, probability, value in columns])
    return found
