"""The choice between feature sets on held-out documents, before the model itself is tuned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from setwise.executors import Executor, Scheduler
from setwise.learners import critical_strength
from setwise.metrics import MetricName, oriented
from setwise.models import BinaryRelevance, learner_grid
from setwise.prediction import Candidate
from setwise.tuning.checkpoint import Checkpoint, CheckpointSection
from setwise.tuning.search import Progress, ProgressCallback, search
from setwise.tuning.trials import best_of
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
    combines: tuple[str, ...] = ()
    """Names of smaller feature sets; this one is tried only where they promise a gain: none of them is worse than the
    first of all, and one of them is better."""


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
    make_trial_parts: Callable[[Any], list[Part]] | None = None,
    scoring: MetricName = "instance_f1",
    n_jobs: int | None = None,
    checkpoint: Checkpoint | None = None,
    progress: ProgressCallback | None = None,
    executor: Executor | Scheduler | None = None,
) -> FeatureChoice:
    """Choose the feature set under which BR with squared hinge and an L1 penalty does best on held-out documents.

    It trains fast, because its best strengths are strong ones, and is often the best model in the end; which features a
    corpus needs hardly depends on the model. Between sets that score about the same, the earlier one wins. A set that
    combines others is left out where one of these is worse than the first set, or none is better.

    Parameters
    ----------
    feature_sets : sequence of FeatureSet
        The smallest first.
    make_parts : callable
        ``make_parts(transformer)`` returns training and held-out documents, the transformer fitted to the former.
    recipes : sequence of Candidate
        A feature set is scored by the best of them.
    make_trial_parts : callable, optional
        As ``make_parts``, for the documents that feature sets are compared on, where these are others.
    scoring : str
        Name of the metric.
    n_jobs : int, optional
    checkpoint : Checkpoint, optional
        An open checkpoint; every feature set has a section of its own.
    progress : callable, optional
        Called after each strength of each feature set.
    executor : Executor or Scheduler, optional
        See :func:`setwise.tuning.search`.

    Returns
    -------
    choice : FeatureChoice
    """
    if len(feature_sets) == 1:
        return FeatureChoice(feature_sets[0], make_parts(feature_sets[0].transformer))
    best, best_parts, best_value = feature_sets[0], [], 0.0
    trials: list[FeatureTrial] = []

    def gains_over(value: float, other: float) -> bool:
        return oriented(scoring, value) - oriented(scoring, other) > LEAST_GAIN * abs(other)

    for number, one in enumerate(feature_sets):
        smaller = [trial.value for trial in trials if trial.name in one.combines]
        worse = any(gains_over(trials[0].value, value) for value in smaller)
        if smaller and (worse or not any(gains_over(value, trials[0].value) for value in smaller)):
            continue
        parts = (make_trial_parts or make_parts)(one.transformer)
        section = None if checkpoint is None else checkpoint.section(f"features, {one.name}")
        value = _best_value(parts, recipes, scoring, n_jobs, section, progress, (number, len(feature_sets)), executor)
        trials.append(FeatureTrial(one.name, value, parts[0].features.n_features))
        if number == 0 or gains_over(value, best_value):
            best, best_parts, best_value = one, parts, value
    if make_trial_parts is not None:
        best_parts = make_parts(best.transformer)
    return FeatureChoice(best, best_parts, trials)


def _best_value(
    parts: Sequence[Part],
    recipes: Sequence[Candidate],
    scoring: MetricName,
    n_jobs: int | None,
    checkpoint: CheckpointSection | None,
    progress: ProgressCallback | None,
    position: tuple[int, int],
    executor: Executor | Scheduler | None,
) -> float:
    """Return the metric at the best of a few strengths; ``position`` is that of the feature set among all."""
    model = BinaryRelevance(loss="squared_hinge", n_jobs=n_jobs)
    critical = critical_strength(parts[0].features, parts[0].y, n_jobs, model.loss)
    grid = learner_grid(model, "quick", critical)
    number, n_sets = position
    n_strengths = sum(len(path.strengths) for path in grid)

    def report(one: Progress) -> None:
        if progress is not None:
            done = n_strengths if one.done == one.total else one.done  # a path may have ended early
            progress(Progress(number * n_strengths + done, n_sets * n_strengths, stage="choosing features"))

    trials = search(
        model,
        grid,
        parts,
        recipes=recipes,
        scoring=scoring,
        ends_paths=True,
        checkpoint=checkpoint,
        progress=report,
        executor=executor,
    )
    best = best_of(trials, scoring)
    assert best is not None
    return best.value
