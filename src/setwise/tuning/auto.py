"""The automatic choice of a model: several are tuned, pooled, and compared on held-out documents."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any, Literal

from setwise.executors import Executor, Job, Scheduler, scheduler_of, single
from setwise.metrics import MetricName, oriented
from setwise.models import Ensemble, Member, Patience, StrengthPath
from setwise.prediction import Candidate, HeldOut, screening, standard_error
from setwise.tuning.autotune import Alternative, ModelTrial, ScoredLater, TuningResult, autotune
from setwise.tuning.checkpoint import Checkpoint
from setwise.tuning.evaluation_tasks import pool_task
from setwise.tuning.pooling import FittedPool, PoolAdjustment, joint_held_out
from setwise.tuning.search import Progress, ProgressCallback, look_ahead
from setwise.tuning.selections import Selections
from setwise.tuning.stored_parts import StoredPart
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
    executor: Executor | Scheduler | None = None,
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
    executor : Executor or Scheduler, optional
        See :func:`setwise.tuning.search`.

    Returns
    -------
    result : TuningResult
        With one row in ``model_trials`` per stage and pool.
    """
    with scheduler_of(executor) as scheduler:
        return _tune_models(
            scheduler,
            stages,
            parts,
            pool_candidates,
            prefer,
            scoring,
            random_state,
            n_jobs,
            checkpoint,
            progress,
        )


def _tune_models(
    scheduler: Scheduler,
    stages: Sequence[Stage],
    parts: Sequence[Part],
    pool_candidates: Callable[[Ensemble], Sequence[Candidate]],
    prefer: Preference,
    scoring: MetricName,
    random_state: int,
    n_jobs: int | None,
    checkpoint: Checkpoint | None,
    progress: ProgressCallback | None,
) -> TuningResult:
    results: list[TuningResult] = []
    ahead = [
        (
            look_ahead(
                scheduler, one.model, one.grid, parts, screening(one.candidates), scoring, one.early_stopping, (n,)
            )
        )
        for n, one in enumerate(stages)
        if n > 0 and not one.ratio_of and scheduler.works_ahead
    ]
    try:
        for stage in stages:
            shown = _named(progress, stage) if len(stages) > 1 else progress
            narrowed = stage.narrowed(results)
            to_beat = max((one.value for one in results), key=partial(oriented, scoring), default=None)
            tuned = _tune_stage(scheduler, narrowed, parts, scoring, random_state, to_beat, checkpoint, shown)
            results.append(tuned)
        if len(stages) > 1:
            models = tuple(results)  # pools are added as they are tuned, and are no members themselves
            results += _tune_pools(scheduler, models, parts, pool_candidates, scoring, random_state, n_jobs, progress)
    except KeyboardInterrupt:
        if not results:
            raise
        warnings.warn(
            f"The tuning was interrupted: the best of the {len(results)} models tuned so far is used.", stacklevel=2
        )
    finally:
        for job in chain.from_iterable(ahead):
            scheduler.drop(job)
    chosen = _chosen(results, parts, prefer, scoring, random_state)
    return replace(chosen, model_trials=[one for result in results for one in result.model_trials])


def _tune_stage(
    scheduler: Scheduler,
    stage: Stage,
    parts: Sequence[Part],
    scoring: MetricName,
    random_state: int,
    to_beat: float | None,
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
        to_beat=to_beat,
        checkpoint=None if checkpoint is None else checkpoint.section(stage.name),
        progress=progress,
        executor=scheduler,
    )
    return _with_trial(result, stage.name, perf_counter() - started)


def _named(progress: ProgressCallback | None, stage: Stage) -> ProgressCallback | None:
    """Return a callback that adds the name of a model to what is shown."""
    return None if progress is None else lambda one: progress(replace(one, stage=f"{one.stage}, {stage.name}"))


def _tune_pools(
    scheduler: Scheduler,
    results: Sequence[TuningResult],
    parts: Sequence[Part],
    pool_candidates: Callable[[Ensemble], Sequence[Candidate]],
    scoring: MetricName,
    random_state: int,
    n_jobs: int | None,
    progress: ProgressCallback | None,
) -> Iterator[TuningResult]:
    """Yield each pool of the models that were tuned, of those that it can have as members."""
    held = None if scheduler.works_ahead else [_held_out(result, parts) for result in results]
    stored = [StoredPart.of(scheduler, part) for part in parts]
    jobs: list[tuple[_Pool, list[int], list[Member], Sequence[Candidate], Job] | None] = []
    for kind in POOLS:
        able = [m for m, result in enumerate(results) if kind.needs in result.model.abilities]
        members = [Member(results[m].model, n_iterations=results[m].n_iterations) for m in able]
        candidates = pool_candidates(Ensemble(members, over=kind.over)) if len(able) > 1 else ()
        if not candidates:
            jobs.append(None)
            continue
        task = pool_task(
            stored,
            [fits for m in able if (fits := results[m].fits) is not None],
            candidates,
            scoring,
            random_state,
            PoolAdjustment(kind.over, kind.weighting),
            None if held is None else [held[m] for m in able],
        )
        jobs.append((kind, able, members, candidates, scheduler.start(single(task))))
    for number, job in enumerate(jobs):
        if progress is not None:
            progress(Progress(number, len(POOLS), stage="pooling the models"))
        if job is None:
            continue
        kind, able, members, candidates, started = job
        outcome = scheduler.result(started)
        (selection,) = Selections.of(outcome.value, candidates[0].recipe.n_jobs).found
        selected = selection.selected
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
            held_out=selection.held
            or ScoredLater(partial(_pooled, [results[m] for m in able], parts, selected.adjust)),
        )
        yield _with_trial(result, kind.name, outcome.cost.seconds)


def _pooled(results: Sequence[TuningResult], parts: Sequence[Part], pool: FittedPool) -> list[HeldOut]:
    """Score the held-out documents of each part with the pool of some models."""
    return [pool(one) for one in joint_held_out([_held_out(result, parts) for result in results])]


def _held_out(result: TuningResult, parts: Sequence[Part]) -> list[HeldOut]:
    """Score the held-out documents of each part with the model that was trained on the rest of it."""
    return [part.held_out(model) for part, model in zip(parts, result.trained, strict=True)]


def _with_trial(result: TuningResult, name: str, seconds: float) -> TuningResult:
    """Return the result with a row about itself."""
    size, seconds = result.trained[0].size(), round(seconds, 2)
    trial = ModelTrial(name, result.recipe_name, result.value, size.n_nonzero, size.n_bytes, seconds, result.trials)
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
