"""Which predictions need no review: the lowest confidence whose documents meet a target, with a margin for chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from setwise._validation import Interval, OneOf, check_parameters
from setwise.exceptions import InvalidData, InvalidParameter

__all__ = [
    "Automation",
    "AutomationMetric",
    "AutomationTarget",
    "automation_threshold",
    "clopper_pearson",
    "empirical_threshold",
]

Array = NDArray[np.float64]

AutomationMetric = Literal["accuracy", "f1"]

N_CUTS = 20
"""Cuts that are tried: the surest twentieth of the documents, the surest two twentieths, and so on to all of them."""

N_RESAMPLES = 4000
"""Bootstrap samples of a mean F1: of its lowest half percent, about twenty."""


@dataclass(frozen=True)
class AutomationTarget:
    """What accepted predictions have to reach."""

    metric: AutomationMetric
    value: float

    @classmethod
    def of(cls, target_accuracy: float | None, target_f1: float | None) -> AutomationTarget:
        """Return the one of two targets that is not None."""
        if target_accuracy is not None and target_f1 is None:
            return cls("accuracy", target_accuracy)
        if target_f1 is not None and target_accuracy is None:
            return cls("f1", target_f1)
        raise InvalidParameter("Name one target: either target_accuracy or target_f1. Hint: target_accuracy=0.95.")

    def outcome(self, f1: Array) -> Array:
        """Return the outcomes that the target is the mean of, from the F1 of each predicted set."""
        return f1 if self.metric == "f1" else (f1 == 1.0).astype(np.float64)


@dataclass(frozen=True)
class Automation:
    """A threshold of the confidence above which predictions are accepted without review.

    Attributes
    ----------
    metric : {"accuracy", "f1"}
        What the target is of: the share of sets that are exactly right, or the mean F1.
    target : float
    level : float
        The chance, at least, with which the accepted predictions meet the target.
    threshold : float or None
        Predictions of at least this confidence (probability of being right, or expected F1) are accepted; None where
        no threshold meets the target, so that everything is reviewed.
    share : float
        Share of the documents that are accepted, where the threshold was found.
    value : float or None
        Their accuracy or mean F1.
    bound : float or None
        The lower confidence bound of it, which meets the target.
    n_documents : int
        Documents that the threshold was found on.
    """

    metric: AutomationMetric
    target: float
    level: float
    threshold: float | None
    share: float
    value: float | None
    bound: float | None
    n_documents: int

    def accepts(self, confidence: Array) -> NDArray[np.bool_]:
        """Return which predictions need no review."""
        if self.threshold is None:
            return np.zeros(len(confidence), dtype=bool)
        return np.asarray(confidence >= self.threshold)


def automation_threshold(
    confidence: Array,
    outcome: Array,
    target: float,
    *,
    metric: AutomationMetric = "accuracy",
    level: float = 0.9,
    random_state: int = 0,
) -> Automation:
    """Return the lowest threshold of the confidence at which accepted documents still meet the target.

    A cut that happens to look good is chosen for looking good. The lower bound of each of the ``N_CUTS`` cuts therefore
    holds with a chance of 1 - (1 - level) / N_CUTS, so that all of them hold together, and with them the one that is
    chosen, with a chance of at least ``level`` (Bonferroni). The bound of an accuracy is that of Clopper and Pearson,
    and that of a mean F1 is from a bootstrap over documents.

    Parameters
    ----------
    confidence : array of shape (n_samples,)
        Of documents that the model was not trained on: the probability that the set is exactly right, or its expected
        F1.
    outcome : array of shape (n_samples,)
        1 or 0 for a right or wrong set, or its F1.
    target : float
    metric : {"accuracy", "f1"}
    level : float
    random_state : int
        Seed of the bootstrap.

    Returns
    -------
    automation : Automation
    """
    check_parameters(
        {
            "target": Interval("real", 0, 1),
            "metric": OneOf(["accuracy", "f1"]),
            "level": Interval("real", 0, 1, closed="neither"),
        },
        {"target": target, "metric": metric, "level": level},
    )
    confidence, outcome = _checked(confidence, outcome)
    chance = (1.0 - level) / N_CUTS
    random = np.random.default_rng(random_state)
    none = Automation(metric, target, level, None, 0.0, None, None, len(outcome))
    for threshold in _cuts(confidence):  # the lowest first
        accepted = outcome[confidence >= threshold]
        if metric == "accuracy":
            bound = clopper_pearson(int(accepted.sum()), len(accepted), chance)
        else:
            bound = _bootstrap_bound(accepted, chance, random)
        if bound >= target:
            share, value = len(accepted) / len(outcome), float(accepted.mean())
            return Automation(metric, target, level, float(threshold), share, value, bound, len(outcome))
    return none


def empirical_threshold(confidence: Array, outcome: Array, target: float) -> float | None:
    """Return the lowest threshold at which the accepted documents themselves meet the target, for comparison.

    It promises what it has seen, without a margin for chance, and so is often broken on other documents.
    """
    confidence, outcome = _checked(confidence, outcome)
    order = np.argsort(-confidence, kind="stable")
    last = np.append(np.diff(confidence[order]) < 0, True)  # of documents of equal confidence all are accepted
    met = last & (np.cumsum(outcome[order]) >= target * np.arange(1, len(order) + 1))
    return float(confidence[order][np.flatnonzero(met)[-1]]) if met.any() else None


def clopper_pearson(n_right: int, n: int, chance: float) -> float:
    """Return the lower bound of a share, which is above the true one with at most this chance.

    Examples
    --------
    >>> from setwise.confidence import clopper_pearson
    >>> round(clopper_pearson(10, 10, 0.1), 4)  # 0.1 ** (1 / 10)
    0.7943
    """
    from scipy.special import betaincinv  # late: a process that only predicts does without

    return 0.0 if n_right == 0 else float(betaincinv(n_right, n - n_right + 1, chance))


def _cuts(confidence: Array) -> Array:
    """Return the thresholds that are tried, in ascending order."""
    ordered = np.sort(confidence)
    starts = np.floor(np.arange(N_CUTS) * len(ordered) / N_CUTS).astype(np.int64)
    return np.unique(ordered[starts])


def _bootstrap_bound(values: Array, chance: float, random: np.random.Generator) -> float:
    """Return the quantile of the means of documents that are drawn with replacement."""
    different, counts = np.unique(values, return_counts=True)  # F1 has few values, so that a multinomial draws them
    drawn = random.multinomial(len(values), counts / len(values), size=N_RESAMPLES)
    means = drawn @ different / len(values)
    return float(np.quantile(means, chance, method="lower"))


def _checked(confidence: Array, outcome: Array) -> tuple[Array, Array]:
    confidence, outcome = np.asarray(confidence, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
    if confidence.shape != outcome.shape or confidence.ndim != 1 or not confidence.size:
        raise InvalidData(
            f"confidence has shape {confidence.shape} but outcome has {outcome.shape}; both must be lists."
        )
    return confidence, outcome
