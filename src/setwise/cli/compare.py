"""``setwise compare``: tune several models and score them on one split."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated, Any

import typer

from setwise.cli.choices import model_names
from setwise.cli.classifier_options import Budget, NJobs, RandomState, Scoring, build_classifier
from setwise.cli.option_groups import LabeledData, TestSize
from setwise.cli.read_options import with_read_options
from setwise.cli.runtime import print_note, print_skipped, show_progress
from setwise.cli.terminal import Table, print_json, print_line, print_table
from setwise.cli.text_options import with_text_options
from setwise.exceptions import InvalidParameter

__all__ = ["compare"]


@with_text_options
@with_read_options
def compare(
    data: LabeledData,
    models: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Models to compare, separated by commas: {models}; all by default."),
    ] = None,
    budget: Budget = "quick",
    scoring: Scoring = "instance_f1",
    test_size: TestSize = 0.2,
    random_state: RandomState = 0,
    n_jobs: NJobs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per model.")] = False,
    read_options: Any = None,
    text_features: Any = None,
) -> None:
    """Tune and train each model on one part of the documents, and score it on the rest.

    Examples:

        setwise compare docs.jsonl

        setwise compare train.svm.gz --models br,crf --budget normal --json
    """
    from setwise.cli.features import check_trainable
    from setwise.data import Dataset, check_files, hold_out, input_files, read_dataset
    from setwise.metrics import METRICS
    from setwise.reports import BatchScorer, metric_title
    from setwise.tuning import take_documents

    names = _selected_models(models)
    check_files(input_files(data, read_options))
    dataset = read_dataset(data, read_options, track=lambda documents: show_progress(documents, "reading"))
    print_skipped(dataset.problems)
    assert dataset.y is not None
    train, test = hold_out(dataset.y, test_size, random_state)
    # The vocabulary comes from the training part alone, so that the test part is scored as new documents.
    part = Dataset(take_documents(dataset.X, train), [dataset.y[i] for i in train], [], dataset.names, dataset.problems)
    check_trainable(part, data)
    X_test, y_test = take_documents(dataset.X, test), [dataset.y[i] for i in test]
    table = Table("model", *map(metric_title, METRICS), "prediction", "seconds")
    for name in names:
        started = perf_counter()
        classifier = build_classifier(
            model=name,
            text_features=text_features,
            budget=budget,
            scoring=scoring,
            random_state=random_state,
            n_jobs=n_jobs,
        ).fit(part.X, part.y)
        seconds = perf_counter() - started
        scorer = BatchScorer(classifier)
        scorer.add(X_test, y_test)
        metrics = scorer.scores().metrics
        recipe = "" if classifier.tuning_ is None else classifier.tuning_.recipe_name
        if as_json:
            print_json({"model": name, **metrics, "prediction": recipe, "seconds": seconds})
        else:
            print_note(f"{name}: {metric_title(scoring)} {metrics[scoring]:.4f} in {seconds:.1f} s")
        table.add_row(name, *(f"{value:.4f}" for value in metrics.values()), recipe, f"{seconds:.1f}")
    if not as_json:
        print_line(f"trained on {len(train):,} documents, scored on {len(test):,}")
        print_table(table)


def _selected_models(models: str | None) -> list[str]:
    """Return the models named in a comma-separated list; if it is None, all but auto."""
    from setwise.models import MODELS

    available = model_names()
    names = (
        [name for name, entry in MODELS.items() if not entry.is_baseline]
        if models is None
        else [name.strip() for name in models.split(",") if name.strip()]
    )
    if not names or not set(names) <= set(available):
        raise InvalidParameter(f"models must be some of {', '.join(available)}; got {models!r}.")
    return names
