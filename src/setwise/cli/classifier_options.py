"""Options of the classifier, and the one place that turns them into a :class:`setwise.SetClassifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.choices import choice_option
from setwise.cli.runtime import is_quiet

if TYPE_CHECKING:
    from setwise import SetClassifier
    from setwise.cli.text_options import TextFeatures
    from setwise.executors import Executor

__all__ = [
    "Budget",
    "Calibration",
    "Decision",
    "Inference",
    "ModelName",
    "NJobs",
    "Prefer",
    "RandomState",
    "Scoring",
    "build_classifier",
]

_TUNING = "Tuning"

ModelName = Annotated[
    str, choice_option("models", help="Model to train: {models}. auto tries several, and their pool.")
]
Prefer = Annotated[
    str,
    choice_option(
        "preferences",
        help="What --model auto chooses: {preferences}. simple takes the simplest model about as good as the best.",
        rich_help_panel=_TUNING,
    ),
]
Inference = Annotated[
    str,
    choice_option("inferences", help="How label sets get their probabilities: {inferences}.", rich_help_panel=_TUNING),
]
Decision = Annotated[
    str,
    choice_option(
        "decisions",
        help="How the label set is chosen: {decisions}. gfm takes the set with the highest expected F1.",
        rich_help_panel=_TUNING,
    ),
]
Calibration = Annotated[
    str,
    choice_option(
        "calibrations",
        help="How the probabilities of label sets are calibrated: {calibrations}.",
        rich_help_panel=_TUNING,
    ),
]
Budget = Annotated[
    str,
    choice_option(
        "budgets", help="Size of the tuning grid: {budgets}. A larger grid takes longer.", rich_help_panel=_TUNING
    ),
]
Scoring = Annotated[
    str,
    choice_option("metrics", help="Metric to tune for: {metrics}.", rich_help_panel=_TUNING),
]
RandomState = Annotated[int, typer.Option(min=0, help="Seed; equal seeds give equal results.")]
NJobs = Annotated[int | None, typer.Option(min=1, help="Number of threads; all cores by default.")]


def build_classifier(
    *,
    model: str = "auto",
    text_features: TextFeatures | None = None,
    inference: str = "tuned",
    decision: str = "tuned",
    calibration: str = "tuned",
    budget: str = "normal",
    prefer: str = "accurate",
    scoring: str = "instance_f1",
    random_state: int = 0,
    n_jobs: int | None = None,
    checkpoint: str | None = None,
    executor: Executor | None = None,
) -> SetClassifier:
    """Return an unfitted classifier that shows its progress on a terminal."""
    from setwise import SetClassifier  # imported late: `setwise --version` must not wait for scikit-learn

    parameters: dict[str, Any] = {
        "model": model,
        "vectorizer": None if text_features is None else text_features.candidates(budget),
        "inference": inference,
        "decision": decision,
        "calibration": None if calibration == "none" else calibration,
        "budget": budget,
        "prefer": prefer,
        "scoring": scoring,
        "random_state": random_state,
        "n_jobs": n_jobs,
        "checkpoint": checkpoint,
        "executor": executor,
        "verbose": not is_quiet(),
    }
    return SetClassifier(**parameters)
