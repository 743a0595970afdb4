"""``setwise train``: train a model on labeled documents and write it to a file."""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.classifier_options import (
    Budget,
    Calibration,
    Decision,
    Inference,
    ModelName,
    NJobs,
    Prefer,
    RandomState,
    Scoring,
    build_classifier,
)
from setwise.cli.option_groups import CLUSTER, AsJson, Cluster, LabeledData, WorkFolderPath
from setwise.cli.read_options import to_arguments, with_read_options
from setwise.cli.runtime import (
    command_line,
    is_quiet,
    is_verbose,
    print_detail,
    print_note,
    print_skipped,
    show_progress,
    show_spinner,
)
from setwise.cli.terminal import Table, print_json, print_line, print_table
from setwise.cli.text_options import with_text_options
from setwise.exceptions import Incompatible

if TYPE_CHECKING:
    from setwise.cli.data_checks import DataChecks
    from setwise.data import ReadOptions
    from setwise.tuning import FitPlan, TuningResult

__all__ = ["print_trials", "train"]

N_ALTERNATIVES = 5
"""Rows of the table of tuning results."""

UNSPACED_SHARE = 0.3
"""Share of letters in scripts without spaces from which the command says so."""


@with_text_options
@with_read_options
def train(
    data: LabeledData,
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write.")],
    model: ModelName = "auto",
    inference: Inference = "tuned",
    decision: Decision = "tuned",
    calibration: Calibration = "tuned",
    budget: Budget = "normal",
    prefer: Prefer = "accurate",
    scoring: Scoring = "instance_f1",
    valid: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Labeled documents to tune on; by default, a part of DATA is held out."),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Checkpoint of the tuning; an interrupted run continues from it."),
    ] = None,
    random_state: RandomState = 0,
    n_jobs: NJobs = None,
    as_json: AsJson = False,
    cluster: Cluster = None,
    work_folder: WorkFolderPath = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print the tasks of the training and their estimated cost, and train nothing.",
            rich_help_panel=CLUSTER,
        ),
    ] = False,
    read_options: Any = None,
    text_features: Any = None,
) -> None:
    """Train a model on labeled documents. Without options, the model and its predictions are tuned.

    Examples:

        setwise train docs.jsonl -o topics.setwise

        setwise train reviews.csv --text body --labels tags -o tags.setwise

        setwise train docs.jsonl -o topics.setwise --cluster local:4

        setwise train train.svm -o codes.setwise --model crf --valid valid.svm
    """
    from setwise.cli.data_checks import DataChecks
    from setwise.cli.features import check_trainable
    from setwise.data import check_distinct, check_files, input_files, read_dataset
    from setwise.executors import executor_of
    from setwise.tuning import check_checkpoint

    inputs = [file for path in (data, valid) if path is not None for file in input_files(path, read_options)]
    check_files(inputs, [output])
    if resume is not None:
        check_distinct(inputs, [output, resume])
        check_checkpoint(resume)
    started = perf_counter()
    checks = DataChecks(data, read_options, "separator", "constant", "ids", "texts")
    dataset = read_dataset(
        data, read_options, track=lambda documents: show_progress(checks.watch(documents), "reading")
    )
    print_skipped(dataset.problems)
    check_trainable(dataset, data, holds_out=valid is None)
    if isinstance(dataset.X, list):
        with show_spinner("counting words"):
            text_features.vectorizer.fit(dataset.X)  # texts without any word are an error before anything is trained
    checks.print_warnings()
    print_detail(f"read {dataset.n_samples:,} documents in {perf_counter() - started:.2f} s")
    _print_script(dataset.X)
    validation = None if valid is None else _read_validation(valid, read_options, dataset.X, checks)
    classifier = build_classifier(
        text_features=text_features,
        model=model,
        inference=inference,
        decision=decision,
        calibration=calibration,
        budget=budget,
        prefer=prefer,
        scoring=scoring,
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint=resume,
        executor=None if cluster is None else executor_of(cluster, work_folder, "--cluster"),
    )
    if dry_run:
        with show_spinner("planning"):
            plan = classifier.plan(dataset.X, dataset.y)
        _print_plan(plan, as_json=as_json)
        return
    classifier.fit(dataset.X, dataset.y, validation_data=validation)
    seconds = perf_counter() - started
    print_detail(f"trained in {seconds:.2f} s, with reading")
    with show_spinner("saving"):
        classifier.save(
            output,
            trained_on=checks.sketch(),
            documents=dataset.n_samples,
            skipped=dataset.problems.n_skipped,
            feature_names=None if dataset.names.features is None else list(dataset.names.features),
        )
    tuning = classifier.tuning_
    if is_verbose():
        print_trials(tuning)
    if as_json:
        print_json({"model": output, "documents": dataset.n_samples, "seconds": seconds, **_tuning_summary(tuning)})
    elif not is_quiet():
        n_labels = len(classifier.classes_)
        print_line(f"{output}: trained on {dataset.n_samples:,} documents, {n_labels:,} labels, in {seconds:.1f} s")
        _print_tuning(tuning)
    print_note("next:")
    print_note(f"  {command_line('inspect', output)}")
    if data != "-":
        print_note(f"  {command_line('predict', output, data, *to_arguments(read_options))}")


def _print_plan(plan: FitPlan, *, as_json: bool) -> None:
    """Print the tasks of a training, and what they will probably cost."""
    if as_json:
        rows = [vars(one) for one in plan.tasks]
        print_json(
            {"tasks": plan.n_tasks, "cpu_seconds": plan.cpu_seconds, "worker_bytes": plan.worker_bytes, "stages": rows}
        )
        return
    table = Table("tasks", "number", "CPU hours", box=None)
    table.align_right(1, 2)
    for one in plan.tasks:
        table.add_row(one.title, f"{one.n_tasks:,}", f"{one.cpu_seconds / 3600:.4f}")
    table.add_row("all", f"{plan.n_tasks:,}", f"{plan.cpu_seconds / 3600:.4f}")
    print_table(table)
    print_line(f"memory per worker: about {plan.worker_bytes / 1e6:,.0f} MB")
    print_note("these are estimates, as if no path of settings ended early; nothing was trained.")


def _print_script(documents: Any) -> None:
    """Say so where the texts are in a language that puts no spaces between words."""
    from setwise.text import unspaced_share

    if isinstance(documents, list) and (share := unspaced_share(documents)) >= UNSPACED_SHARE:
        print_note(
            f"{share:.0%} of the letters belong to scripts without spaces between words, such as Chinese or Thai: "
            f"their characters and pairs of characters are used as words"
        )


def _read_validation(file: str, read_options: ReadOptions, documents: Any, training: DataChecks) -> tuple[Any, Any]:
    """Read the documents to tune on; return them and their labels."""
    from setwise.cli.data_checks import DataChecks
    from setwise.data import read_dataset

    checks = DataChecks(file, read_options, "texts")
    n_features = None if isinstance(documents, list) else int(documents.shape[1])
    dataset = read_dataset(file, read_options, n_features=n_features, track=checks.watch)
    print_skipped(dataset.problems)
    checks.warn_shared_with(training)
    if isinstance(dataset.X, list) != isinstance(documents, list):
        raise Incompatible("Files of texts and files of vectors cannot be mixed. Use files of one kind.")
    return dataset.X, dataset.y


def _tuning_summary(tuning: TuningResult | None) -> dict[str, Any]:
    """Return the result of tuning as JSON."""
    if tuning is None:
        return {"tuning": None}
    chosen = {"settings": _settings(tuning), "iterations": tuning.n_iterations, "recipe": tuning.recipe_name}
    alternatives = [asdict(alternative) for alternative in tuning.alternatives]
    values = {"scoring": tuning.scoring, "value": tuning.value, "alternatives": alternatives}
    if len(tuning.model_trials) > 1:
        values["models"] = {"chosen": tuning.model_name, "trials": [asdict(trial) for trial in tuning.model_trials]}
    if tuning.feature_trials:
        features = {"chosen": tuning.feature_set, "trials": [asdict(trial) for trial in tuning.feature_trials]}
        values["features"] = features
    return {"tuning": {**chosen, **values}}


def _settings(tuning: TuningResult) -> dict[str, Any]:
    """Return the tuned parameters of the model; empty if none were tuned."""
    names = tuning.trials[0].setting.values if tuning.trials else {}
    return {name: getattr(tuning.model, name) for name in names}


def _setting(value: Any) -> str:
    """Return a parameter in few characters."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _print_tuning(tuning: TuningResult | None) -> None:
    """Print the chosen settings and the best alternatives."""
    from setwise.metrics import oriented

    if tuning is None:
        return
    _print_features(tuning)
    _print_models(tuning)
    settings = _settings(tuning)
    print_line(f"chosen on held-out documents: {_chosen(tuning, settings)}")
    table = Table("prediction", *settings, tuning.scoring, "", box=None)
    table.align_right(*range(1, len(table.headers) - 1))
    best = sorted(tuning.alternatives, key=lambda alternative: -oriented(tuning.scoring, alternative.value))
    for alternative in best[:N_ALTERNATIVES]:
        values = (_setting(alternative.settings[name]) for name in settings)
        is_chosen = alternative.recipe == tuning.recipe_name and alternative.settings == settings
        table.add_row(alternative.recipe, *values, f"{alternative.value:.4f}", "chosen" if is_chosen else "")
    print_table(table)


def print_trials(tuning: TuningResult | None) -> None:
    """Print every setting that was tried, to standard error."""
    if tuning is None:
        return
    others = [(one.name, one.trials or []) for one in tuning.model_trials if one.name != tuning.model_name]
    for name, trials in [*others, (tuning.model_name or type(tuning.model).__name__, tuning.trials)]:
        for trial in trials:
            settings = ", ".join(f"{key} {_setting(value)}" for key, value in trial.setting.values.items())
            print_detail(f"tried {name}: {settings}: {trial.recipe}: {tuning.scoring} {trial.value:.4f}")


def _chosen(tuning: TuningResult, settings: dict[str, Any]) -> str:
    """Return the chosen model with its parameters, or the members of a pool with their weights."""
    name, members = type(tuning.model).__name__, getattr(tuning.model, "members", ())
    if members:
        return f"{name} of " + ", ".join(f"{type(one.model).__name__} ({one.weight:.2f})" for one in members)
    parameters = ", ".join(f"{key} {_setting(value)}" for key, value in settings.items())
    stopped = "" if tuning.n_iterations is None else f", {tuning.n_iterations} iterations"
    return f"{name}, {parameters or 'parameters unchanged'}{stopped}"


def _print_models(tuning: TuningResult) -> None:
    """Print how the models and their pools scored on held-out documents, and what they cost."""
    if len(tuning.model_trials) < 2:
        return
    table = Table("model", "prediction", tuning.scoring, "weights", "seconds", "", box=None)
    table.align_right(2, 3, 4)
    for trial in tuning.model_trials:
        table.add_row(
            trial.name,
            trial.recipe,
            f"{trial.value:.4f}",
            f"{trial.n_nonzero:,}",
            "" if trial.seconds is None else f"{trial.seconds:.1f}",
            "chosen" if trial.name == tuning.model_name else "",
        )
    print_table(table)


def _print_features(tuning: TuningResult) -> None:
    """Print how the feature sets scored on held-out documents."""
    if not tuning.feature_trials:
        return
    table = Table("features", "number", tuning.scoring, "", box=None)
    table.align_right(1, 2)
    for trial in tuning.feature_trials:
        is_chosen = trial.name == tuning.feature_set
        table.add_row(trial.name, f"{trial.n_features:,}", f"{trial.value:.4f}", "chosen" if is_chosen else "")
    print_table(table)
