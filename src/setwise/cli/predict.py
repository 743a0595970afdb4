"""``setwise predict``: predict the label sets of documents, batch by batch."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Annotated, Any, Literal

import typer

from setwise.cli.reading import takes_read_options
from setwise.cli.runtime import note, note_skipped, watch
from setwise.cli.settings import EscapeFormulas, ModelFile

__all__ = ["predict"]

BATCH = 1000
"""Documents per batch."""


@takes_read_options
def predict(
    model: ModelFile,
    data: Annotated[str, typer.Argument(metavar="DATA", help="Documents; - is standard input.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The file to write; - is standard output.")
    ] = "-",
    top: Annotated[
        int, typer.Option(min=0, help="Also write this many of the most probable label sets of the training data.")
    ] = 0,
    marginals: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Also write the probability of each label, where it is at least this."),
    ] = None,
    written: Annotated[
        Literal["jsonl", "csv", "parquet", "libsvm"] | None,
        typer.Option(
            "--format",
            help="The format to write, if OUT's ending does not tell it; jsonl on standard output.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Copy this column of DATA to the output; several with commas between."),
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Copy all columns of DATA to the output.")] = False,
    escape_formulas: EscapeFormulas = True,
    reading: Any = None,
) -> None:
    """Predict the label set of every document, with the F1 that it can expect.

    `row` is the number of the document in DATA, `coverage` the share of its words that the model knows.

    Examples:

        setwise predict topics.setwise new.jsonl -o predicted.jsonl

        setwise predict topics.setwise new.csv --top 3 --marginals 0.1 | head -1

        setwise predict topics.setwise new.csv --keep date,author -o predicted.csv

        cat new.jsonl.gz | setwise predict topics.setwise - > predicted.jsonl
    """
    from setwise.cli.data_checks import DataChecks
    from setwise.cli.features import rows_of
    from setwise.cli.predictions import Layout, Predicted, open_predictions
    from setwise.data import batches, check_files, files_read, open_documents
    from setwise.persistence import load

    check_files([model, *files_read(data, reading)], [output], stdout=True)
    saved = load(model)
    classifier, started = saved.classifier, perf_counter()
    columns = tuple(name.strip() for names in keep or () for name in names.split(",") if name.strip())
    reading = replace(reading, keep="all" if keep_all else columns)
    checks = DataChecks(data, reading, "ids", "coverage")
    with open_documents(data, reading, may_be_empty=True) as documents:
        n_sets = min(top, classifier.support_.n_sets)
        layout = Layout(n_sets, marginals is not None, documents.kept, escape_formulas)
        with open_predictions(output, written, tuple(map(str, classifier.classes_)), layout) as write:
            for numbered in batches(watch(documents.numbered(), "documents"), BATCH):
                batch = [document for _, document in numbered]
                rows = rows_of(batch, saved.text, classifier.n_features_in_, documents.name)
                checks.see(batch, rows.coverage)
                write(Predicted.by(classifier, numbered, rows, top, marginals))
    seconds = perf_counter() - started
    note_skipped(documents.problems)
    checks.note()
    n = documents.n_read
    note(f"{n:,} documents in {seconds:.1f} s, {n / max(seconds, 1e-9):,.0f} per second")
