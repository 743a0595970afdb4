"""``setwise predict``: predict the label sets of documents, batch by batch."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Annotated, Any

import typer

from setwise.cli.choices import choice_option
from setwise.cli.option_groups import Cluster, EscapeFormulas, ModelPath, WorkFolderPath
from setwise.cli.pipeline import run_pipeline
from setwise.cli.read_options import with_read_options
from setwise.cli.runtime import discard, print_note, print_skipped, show_progress

__all__ = ["predict"]

BATCH = 1000
"""Documents per batch."""


@with_read_options
def predict(
    model: ModelPath,
    data: Annotated[str, typer.Argument(metavar="DATA", help="Documents; - reads standard input.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="File to write; - is standard output.")
    ] = "-",
    top: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Add this many of the most probable label sets of the training data."),
    ] = 0,
    marginals: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, metavar="P", help="Add the labels that have at least this probability."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="P",
            help="Predict all labels of at least this probability, in place of the set that the model chooses.",
        ),
    ] = None,
    output_format: Annotated[
        str | None,
        choice_option(
            "prediction formats",
            "--format",
            help="Output format: {prediction formats}; by default, the suffix of OUT decides.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Copy these columns of DATA to the output, separated by commas."),
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Copy all columns of DATA to the output.")] = False,
    escape_formulas: EscapeFormulas = True,
    cluster: Cluster = None,
    work_folder: WorkFolderPath = None,
    read_options: Any = None,
) -> None:
    """Predict the label set of each document, how sure it is, and its expected F1.

    In the output, `row` is the position of the document in DATA, `confidence`
    is the probability that the set is exactly right, and `coverage` is the
    share of its words that the model's vocabulary contains. A model with a
    threshold of `setwise automate` marks each document `accept` or `review`.

    With --threshold, the labels are sorted by probability, and there is neither
    confidence nor expected F1, which are about the sets that the model chooses.

    Examples:

        setwise predict topics.setwise new.jsonl -o predicted.jsonl

        setwise predict topics.setwise new.csv --top 3 --marginals 0.1 | head -1

        setwise predict topics.setwise new.csv --keep date,author -o predicted.csv

        setwise predict topics.setwise new.jsonl --threshold 0.3 --cluster local:4

        cat new.jsonl.gz | setwise predict topics.setwise - > predicted.jsonl
    """
    from setwise.classifier import load
    from setwise.cli.data_checks import DataChecks
    from setwise.cli.features import encode_documents
    from setwise.cli.predictions import Layout, Predictions, open_predictions
    from setwise.data import Document, batches, check_files, input_files, open_documents

    check_files([model, *input_files(data, read_options)], [output], allow_stdout=True)
    if cluster is not None:
        from setwise.cli.sharded import Shards  # late: it is not needed otherwise
    classifier, started = load(model), perf_counter()
    columns = tuple(name.strip() for names in keep or () for name in names.split(",") if name.strip())
    read_options = replace(read_options, extra_columns="all" if keep_all else columns)
    checks = DataChecks(data, read_options, "ids", "coverage")
    with open_documents(data, read_options, allow_empty=True) as documents:
        n_sets = min(top, classifier.support_.n_sets)
        marks = classifier.automation_ is not None and threshold is None
        layout = Layout(n_sets, marginals is not None, marks, documents.extra_columns, escape_formulas)
        with open_predictions(output, output_format, tuple(map(str, classifier.classes_)), layout) as write:

            def predict_batch(numbered: list[tuple[int, Document]]) -> Predictions:
                batch = [document for _, document in numbered]
                encoded = encode_documents(batch, classifier.vectorizer_, classifier.n_features_in_, documents.name)
                checks.add(batch, encoded.coverage)
                return Predictions.compute(classifier, numbered, encoded, top, marginals, threshold)

            if cluster is None:
                run_pipeline(
                    show_progress(batches(documents.numbered(), BATCH), "documents", size=len),
                    predict_batch,
                    write,
                    on_interrupt=partial(discard, sys.stdout) if output == "-" else None,
                )
            else:
                shards = Shards.of(cluster, work_folder, model, classifier, documents.name)
                for numbered, answers, coverage in shards.predict(documents.numbered(), top, marginals, threshold):
                    checks.add([document for _, document in numbered], coverage)
                    write(Predictions.of(numbered, answers))
    seconds = perf_counter() - started
    print_skipped(documents.problems)
    checks.print_warnings()
    n = documents.n_read
    print_note(f"{n:,} documents in {seconds:.1f} s, {n / max(seconds, 1e-9):,.0f} per second")
