"""The choice between feature sets on held-out documents, before the model itself is tuned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from setwise.learners import critical_strength
from setwise.metrics import MetricName, oriented
from setwise.models import BinaryRelevance, learner_grid
from setwise.prediction import Candidate
from setwise.tuning.checkpoint import Checkpoint, CheckpointSection
from setwise.tuning.search import Progress, ProgressCallback, best_of, search
from setwise.tuning.validation import Part

__all__ = ["FeatureChoice", "FeatureSet", "FeatureTrial", "select_features"]

LEAST_GAIN = 0.001
"""A larger feature set has to score this much better than a smaller one, as a share of the score."""


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """A way to turn documents into features."""

    name: str
    transformer: Any
    """Not fitted; None takes the rows of a matrix unchanged."""


@dataclass(frozen=True)
class FeatureTrial:
    """The score of one feature set."""

    name: str
    value: float
    """The metric on the held-out documents, at the best strength."""
    n_features: int


@dataclass(frozen=True, eq=False)
class FeatureChoice:
    """The chosen feature set, and how the others scored."""

    chosen: FeatureSet
    parts: list[Part] = field(default_factory=list)
    """The documents in the chosen features, which were learnt from the training documents of each part alone."""
    trials: list[FeatureTrial] = field(default_factory=list)
    """Empty where there was one feature set."""


def select_features(
    feature_sets: Sequence[FeatureSet],
    make_parts: Callable[[Any], list[Part]],
    recipes: Sequence[Candidate],
    *,
    scoring: MetricName = "instance_f1",
    n_jobs: int | None = None,
    checkpoint: Checkpoint | None = None,
    progress: ProgressCallback | None = None,
) -> FeatureChoice:
    """Choose the feature set under which BR with an L1 penalty does best on held-out documents.

    BR trains fastest, and which features a corpus needs hardly depends on the model. Between sets that score about the
    same, the earlier one wins.

    Parameters
    ----------
    feature_sets : sequence of FeatureSet
        The smallest first.
    make_parts : callable
        ``make_parts(transformer)`` returns training and held-out documents, the transformer fitted to the former.
    recipes : sequence of Candidate
        A feature set is scored by the best of them.
    scoring : str
        Name of the metric.
    n_jobs : int, optional
    checkpoint : Checkpoint, optional
        An open checkpoint; every feature set has a section of its own.
    progress : callable, optional
        Called after each strength of each feature set.

    Returns
    -------
    choice : FeatureChoice
    """
    if len(feature_sets) == 1:
        return FeatureChoice(feature_sets[0], make_parts(feature_sets[0].transformer))
    best, best_parts, best_value = feature_sets[0], [], 0.0
    trials: list[FeatureTrial] = []
    for number, one in enumerate(feature_sets):
        parts = make_parts(one.transformer)
        section = None if checkpoint is None else checkpoint.section(f"features, {one.name}")
        report = _part_of(progress, number, len(feature_sets))
        value = _best_value(parts, recipes, scoring, n_jobs, section, report)
        trials.append(FeatureTrial(one.name, value, parts[0].features.n_features))
        gain = oriented(scoring, value) - oriented(scoring, best_value)
        if number == 0 or gain > LEAST_GAIN * abs(best_value):
            best, best_parts, best_value = one, parts, value
    return FeatureChoice(best, best_parts, trials)


def _part_of(progress: ProgressCallback | None, number: int, n_sets: int) -> ProgressCallback | None:
    """Return a callback for the search with one feature set, which reports it as a part of the whole choice."""
    if progress is None:
        return None

    def report(one: Progress) -> None:
        assert one.total is not None
        progress(Progress(number * one.total + one.done, n_sets * one.total, stage="choosing features"))

    return report


def _best_value(
    parts: Sequence[Part],
    recipes: Sequence[Candidate],
    scoring: MetricName,
    n_jobs: int | None,
    checkpoint: CheckpointSection | None,
    progress: ProgressCallback | None,
) -> float:
    """Return the metric at the best of a few strengths."""
    model = BinaryRelevance(n_jobs=n_jobs)
    critical = critical_strength(parts[0].features, parts[0].y, n_jobs, model.loss)
    grid = learner_grid(model, "quick", critical)
    trials = search(model, grid, parts, recipes=recipes, scoring=scoring, checkpoint=checkpoint, progress=progress)
    best = best_of(trials, scoring)
    assert best is not None
    return best.value
