"""The automatic choice of a model: several are tuned, pooled, and compared on held-out documents."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

from setwise.metrics import MetricName, oriented
from setwise.models import Ensemble, Member, Patience, StrengthPath
from setwise.prediction import Candidate, HeldOut, select_recipe, standard_error
from setwise.tuning.autotune import Alternative, ModelTrial, TuningResult, autotune
from setwise.tuning.checkpoint import Checkpoint
from setwise.tuning.pooling import FittedPool, PoolAdjustment, joint_held_out
from setwise.tuning.search import Progress, ProgressCallback
from setwise.tuning.validation import Part

__all__ = ["POOLS", "Preference", "Stage", "tune_models"]

Preference = Literal["accurate", "simple"]


@dataclass(frozen=True)
class _Pool:
    """A way to pool models."""

    name: str
    over: Literal["support", "all"]
    needs: str
    """The ability that a member must have."""
    weighting: Literal["likelihood", "equal"] = "likelihood"


POOLS = (
    _Pool("pool", "support", "log_prob"),
    _Pool("pool of equal weights", "support", "log_prob", "equal"),
    _Pool("pool without support", "all", "rescaled"),
)
"""The pools that are tried, each of all models that have the ability."""


@dataclass(frozen=True, eq=False)
class Stage:
    """A model to tune, with its grid and its recipes."""

    name: str
    model: Any
    grid: Sequence[StrengthPath]
    candidates: Sequence[Candidate]
    early_stopping: Patience | None = None
    scales_labels: bool = False
    """Whether to try a scale and a shift per label."""
    ratio_of: str = ""
    """The name of an earlier stage, if only the L1 ratio that was the best one there is tried."""

    def narrowed(self, results: Sequence[TuningResult]) -> Stage:
        """Return the stage with the grid that is left after the results of the earlier ones."""
        ratios = [one.model.l1_ratio for one in results if one.model_name == self.ratio_of]
        kept = [path for path in self.grid if path.parameters.get("l1_ratio") in ratios]
        return replace(self, grid=kept) if kept else self


def tune_models(
    stages: Sequence[Stage],
    parts: Sequence[Part],
    pool_candidates: Callable[[Ensemble], Sequence[Candidate]],
    *,
    prefer: Preference = "accurate",
    scoring: MetricName = "instance_f1",
    random_state: int = 0,
    n_jobs: int | None = None,
    checkpoint: Checkpoint | None = None,
    progress: ProgressCallback | None = None,
) -> TuningResult:
    """Tune each model, then the pools of all of them, and return what does best on held-out documents.

    Every value is measured on documents that neither the model was trained on, nor its recipe, its calibration or the
    weights of its pool were fitted on. An interruption (Ctrl-C) after the first stage ends the tuning, and the best
    result so far is returned.

    Parameters
    ----------
    stages : sequence of Stage
        The simplest model first.
    parts : sequence of Part
    pool_candidates : callable
        Returns the recipes of a pool; none where it has no feasible one.
    prefer : {"accurate", "simple"}
        "accurate" returns the best, "simple" the first whose value is within one standard error of the best.
    scoring : str
        Name of the metric to tune for.
    random_state : int
        Seed of the folds on which recipes are tuned.
    n_jobs : int, optional
        Number of threads of a pool.
    checkpoint : Checkpoint, optional
        An open checkpoint; every stage has a section of its own.
    progress : callable, optional

    Returns
    -------
    result : TuningResult
        With one row in ``model_trials`` per stage and pool.
    """
    results: list[TuningResult] = []
    try:
        for stage in stages:
            shown = _named(progress, stage) if len(stages) > 1 else progress
            narrowed = stage.narrowed(results)
            results.append(_tune_stage(narrowed, parts, scoring, random_state, checkpoint, shown))
        if len(stages) > 1:
            models = tuple(results)  # pools are added as they are tuned, and are no members themselves
            results += _tune_pools(models, parts, pool_candidates, scoring, random_state, n_jobs, progress)
    except KeyboardInterrupt:
        if not results:
            raise
        warnings.warn(
            f"The tuning was interrupted: the best of the {len(results)} models tuned so far is used.", stacklevel=2
        )
    chosen = _chosen(results, parts, prefer, scoring, random_state)
    return replace(chosen, model_trials=[one for result in results for one in result.model_trials])


def _tune_stage(
    stage: Stage,
    parts: Sequence[Part],
    scoring: MetricName,
    random_state: int,
    checkpoint: Checkpoint | None,
    progress: ProgressCallback | None,
) -> TuningResult:
    started = perf_counter()
    result = autotune(
        stage.model,
        parts,
        stage.candidates,
        grid=stage.grid,
        early_stopping=stage.early_stopping,
        scoring=scoring,
        random_state=random_state,
        scales_labels=stage.scales_labels,
        checkpoint=None if checkpoint is None else checkpoint.section(stage.name),
        progress=progress,
    )
    return _with_trial(result, stage.name, started)


def _named(progress: ProgressCallback | None, stage: Stage) -> ProgressCallback | None:
    """Return a callback that adds the name of a model to what is shown."""
    return None if progress is None else lambda one: progress(replace(one, stage=f"{one.stage}, {stage.name}"))


def _tune_pools(
    results: Sequence[TuningResult],
    parts: Sequence[Part],
    pool_candidates: Callable[[Ensemble], Sequence[Candidate]],
    scoring: MetricName,
    random_state: int,
    n_jobs: int | None,
    progress: ProgressCallback | None,
) -> Iterator[TuningResult]:
    """Yield each pool of the models that were tuned, of those that it can have as members."""
    held = [_held_out(result, parts) for result in results]
    for number, kind in enumerate(POOLS):
        if progress is not None:
            progress(Progress(number, len(POOLS), stage="pooling the models"))
        started = perf_counter()
        able = [m for m, result in enumerate(results) if kind.needs in result.model.abilities]
        members = [Member(results[m].model, n_iterations=results[m].n_iterations) for m in able]
        candidates = pool_candidates(Ensemble(members, over=kind.over)) if len(able) > 1 else ()
        if not candidates:
            continue
        selected = select_recipe(
            candidates,
            joint_held_out([held[m] for m in able]),
            scoring=scoring,
            adjustment=PoolAdjustment(kind.over, kind.weighting),
            random_state=random_state,
        )
        assert isinstance(selected.adjust, FittedPool)
        weighted = selected.adjust.weighted(members)
        if len(weighted) < 2:  # all weight is on one model, which has been tried already
            continue
        trained = []
        for p, part in enumerate(parts):
            fitted = [replace(one, model=results[m].trained[p]) for one, m in zip(members, able, strict=True)]
            options: dict[str, Any] = {"over": kind.over, "n_jobs": n_jobs}
            trained.append(Ensemble.of_fitted(selected.adjust.weighted(fitted), part.support, **options))
        result = TuningResult(
            Ensemble(weighted, over=kind.over, n_jobs=n_jobs),
            None,
            selected.recipe,
            selected.name,
            scoring,
            selected.value,
            [],
            [Alternative({}, name, value) for name, value in selected.values.items()],
            trained=trained,
            held_out_sets=selected.sets,
        )
        yield _with_trial(result, kind.name, started)


def _held_out(result: TuningResult, parts: Sequence[Part]) -> list[HeldOut]:
    """Score the held-out documents of each part with the model that was trained on the rest of it."""
    return [part.held_out(model) for part, model in zip(parts, result.trained, strict=True)]


def _with_trial(result: TuningResult, name: str, started: float) -> TuningResult:
    """Return the result with a row about itself."""
    size, seconds = result.trained[0].size(), round(perf_counter() - started, 2)
    trial = ModelTrial(name, result.recipe_name, result.value, size.n_nonzero, size.n_bytes, seconds)
    return replace(result, model_name=name, model_trials=[trial])


def _chosen(
    results: Sequence[TuningResult],
    parts: Sequence[Part],
    prefer: Preference,
    scoring: MetricName,
    random_state: int,
) -> TuningResult:
    """Return the best result, or the first within one standard error of it."""
    best = max(results, key=lambda one: oriented(scoring, one.value))
    if prefer == "accurate":
        return best
    error = standard_error(_held_out(best, parts), best.held_out_sets, scoring, random_state)
    return next(one for one in results if oriented(scoring, one.value) >= oriented(scoring, best.value) - error)
