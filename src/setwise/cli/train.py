"""``setwise train``: documents in, a model file out."""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.reading import as_arguments, takes_read_options
from setwise.cli.runtime import example, note, note_skipped, watch, working
from setwise.cli.settings import Budget, Calibration, Decision, Inference, Metric, ModelName, RandomState, Threads
from setwise.cli.terminal import Table, say, say_json, show
from setwise.cli.text_options import takes_word_options

if TYPE_CHECKING:
    from setwise.tuning.autotune import Tuned

__all__ = ["train"]

N_SHOWN = 5


@takes_word_options
@takes_read_options
def train(
    data: Annotated[str, typer.Argument(metavar="DATA", help="Documents with labels; - is standard input.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")],
    model: ModelName = "br",
    inference: Inference = "tuned",
    decision: Decision = "tuned",
    calibration: Calibration = "tuned",
    budget: Budget = "normal",
    metric: Metric = "instance_f1",
    valid: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Labelled documents to tune on; without it, some of DATA are held out."),
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="FILE", help="Checkpoint of the tuning; an interrupted run continues from it.")
    ] = None,
    random_state: RandomState = 0,
    threads: Threads = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was chosen as one JSON object.")] = False,
    reading: Any = None,
    words: Any = None,
) -> None:
    """Train on a file of labelled documents; without options, model and prediction tune themselves.

    Examples:

        setwise train docs.jsonl -o topics.setwise

        setwise train reviews.csv --text body --labels tags --separator "|" -o tags.setwise --budget quick

        setwise train train.svm.gz -o codes.setwise --model crf --valid valid.svm.gz
    """
    from setwise import SetClassifier
    from setwise.cli.data_checks import DataChecks
    from setwise.cli.features import Features
    from setwise.data import check_distinct, check_files, files_read, read_dataset
    from setwise.persistence import save
    from setwise.tuning.store import check_checkpoint

    inputs = [file for one in (data, valid) if one is not None for file in files_read(one, reading)]
    check_files(inputs, [output])
    if resume is not None:
        check_distinct(inputs, [output, resume])
        check_checkpoint(resume)
    started = perf_counter()
    checks = DataChecks(data, reading, "separator", "constant", "ids", "texts")
    found = read_dataset(data, reading, watch=lambda documents: watch(checks.over(documents), "reading"))
    note_skipped(found.problems)
    with working("counting words"):
        features = Features.learnt(found, words, data, holds_out=valid is None)
    checks.note()
    tuned_on = None
    if valid is not None:
        other_checks = DataChecks(valid, reading, "texts")
        other = read_dataset(valid, reading, n_features=features.width_of_vectors, watch=other_checks.over)
        note_skipped(other.problems)
        other_checks.note_shared(checks)
        tuned_on = features.of(other.X), other.y
    classifier = SetClassifier(
        model,
        inference,
        decision,
        calibration=None if calibration == "none" else calibration,
        budget=budget,
        metric=metric,
        random_state=random_state,
        n_jobs=threads,
        tuning_file=resume,
        progress=True,
    )
    classifier.fit(features.X, found.y, tuned_on)
    seconds = perf_counter() - started
    with working("saving"):
        save(
            output,
            classifier,
            features.text,
            trained_on=checks.sketch(),
            documents=found.n_documents,
            skipped=found.problems.n_skipped,
            feature_names=None if features.names is None else list(features.names),
        )
    tuning = classifier.tuning_
    if as_json:
        say_json({"model": output, "documents": found.n_documents, "seconds": seconds, **_summary(tuning)})
    else:
        say(f"{output}: {found.n_documents:,} documents, {len(classifier.classes_):,} labels, {seconds:.1f} s")
        _show(tuning)
    note("next:")
    note(f"  {example('inspect', output)}")
    if data != "-":
        note(f"  {example('predict', output, data, *as_arguments(reading))}")


def _summary(tuning: Tuned | None) -> dict[str, Any]:
    if tuning is None:
        return {"tuning": None}
    chosen = {"settings": _settings(tuning), "iterations": tuning.iterations, "recipe": tuning.recipe_name}
    others = [asdict(one) for one in tuning.alternatives]
    return {"tuning": {**chosen, "metric": tuning.metric, "value": tuning.value, "alternatives": others}}


def _settings(tuning: Tuned) -> dict[str, Any]:
    """What was tuned of the model, with the values chosen; nothing where the model was given."""
    names = tuning.tried[0].cell.settings if tuning.tried else {}
    return {name: getattr(tuning.model, name) for name in names}


def _show(tuning: Tuned | None) -> None:
    if tuning is None:
        return
    settings = _settings(tuning)
    chosen = ", ".join(f"{name} {value:.3g}" for name, value in settings.items())
    stopped = "" if tuning.iterations is None else f", {tuning.iterations} iterations"
    say(f"chosen on documents held out: {type(tuning.model).__name__}, {chosen or 'as given'}{stopped}")
    table = Table("prediction", *settings, tuning.metric, "", box=None)
    for column in table.columns[1:-1]:
        column.justify = "right"
    best = sorted(tuning.alternatives, key=lambda one: one.value, reverse=tuning.metric != "hamming_loss")
    for one in best[:N_SHOWN]:
        values = (f"{one.settings[name]:.3g}" for name in settings)
        is_chosen = one.recipe == tuning.recipe_name and one.settings == settings
        table.add_row(one.recipe, *values, f"{one.value:.4f}", "chosen" if is_chosen else "")
    show(table)
