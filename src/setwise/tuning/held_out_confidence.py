"""Confidence fitted on the held-out documents of a tuning, whose models were not trained on them."""

from __future__ import annotations

from collections.abc import Sequence

from setwise.confidence import MIN_DOCUMENTS, Evidence, SetConfidence
from setwise.executors import Executor, Needs, Scheduler, Walk, scheduler_of
from setwise.tuning.autotune import TuningResult
from setwise.tuning.evaluation_tasks import evidence_of, evidence_task
from setwise.tuning.fit_tasks import tasks_alone
from setwise.tuning.search import Progress, ProgressCallback
from setwise.tuning.stored_parts import StoredPart
from setwise.tuning.validation import Part

__all__ = ["cross_fitted_confidence", "held_out_confidence"]


def held_out_confidence(result: TuningResult, parts: Sequence[Part], random_state: int = 0) -> SetConfidence | None:
    """Return how sure the predictions of the chosen model and recipe are; None where too few documents are held out.

    Nothing is trained again: the held-out documents of the parts have been scored while tuning.
    """
    evidence = [
        Evidence.of(result.recipe, one.posterior, part.support, part.X_held, part.coverage)
        for part, one in zip(parts, result.held_out, strict=True)
    ]
    return _confidence(parts, evidence, random_state)


def cross_fitted_confidence(
    result: TuningResult,
    parts: Sequence[Part],
    random_state: int = 0,
    progress: ProgressCallback | None = None,
    executor: Executor | Scheduler | None = None,
) -> SetConfidence | None:
    """Return the same from parts of their own, for which the chosen model is trained again.

    The chosen model looks good on the held-out documents of the tuning partly because it was chosen by them, and was
    trained there on fewer documents than the final one, which is more often right.
    """

    def show(n_done: int) -> None:
        if progress is not None:
            progress(Progress(n_done, len(parts), stage="learning how sure predictions are"))

    show(0)
    evidence: dict[int, Evidence] = {}
    with scheduler_of(executor) as scheduler:
        walks = [_collected(result, StoredPart.of(scheduler, part)) for part in parts]
        for number, found in scheduler.each(walks):
            evidence[number] = found
            show(len(evidence))
    return _confidence(parts, [evidence[number] for number, _ in enumerate(parts)], random_state)


def _collected(result: TuningResult, part: StoredPart) -> Walk:
    """Train the chosen model on a part, and return how sure it is of the held-out documents."""
    fits = yield Needs(tasks_alone(part, result.model, result.n_iterations))
    (outcome,) = yield Needs([evidence_task(part, fits, result.model, result.label_scaling, result.recipe)])
    return evidence_of(outcome.value)


def _confidence(parts: Sequence[Part], evidence: Sequence[Evidence], random_state: int) -> SetConfidence | None:
    if sum(part.y_held.n_samples for part in parts) < MIN_DOCUMENTS:
        return None
    return SetConfidence.fit(evidence, [part.y_held for part in parts], random_state)
