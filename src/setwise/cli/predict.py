"""``setwise predict``: a model and documents in, their label sets out, a batch at a time."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated, Any, Literal

import typer

from setwise.cli.manners import note, note_skipped, watch
from setwise.cli.reading import takes_read_options
from setwise.cli.settings import ModelFile

__all__ = ["predict"]

BATCH = 1000
"""Documents that are held at one time."""


@takes_read_options
def predict(
    model: ModelFile,
    data: Annotated[str, typer.Argument(metavar="DATA", help="Documents; - is standard input.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to; - is standard output.")] = "-",
    top: Annotated[int, typer.Option(min=0, help="Give the so many most probable of the sets seen in training.")] = 0,
    marginals: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Give the probability of every label that has at least this one."),
    ] = None,
    written: Annotated[
        Literal["jsonl", "csv", "parquet", "libsvm"] | None,
        typer.Option(
            "--format",
            help="The format written, if not by OUT's ending; jsonl on standard output.",
        ),
    ] = None,
    reading: Any = None,
) -> None:
    """Predict the label set of every document, with the F1 that it can expect.

    Examples:

        setwise predict topics.setwise new.jsonl -o predicted.jsonl

        setwise predict topics.setwise new.csv --top 3 --marginals 0.1 | head -1

        zcat new.jsonl.gz | setwise predict topics.setwise - --from jsonl > predicted.jsonl
    """
    from setwise.cli.features import rows_of
    from setwise.cli.predictions import Predicted, open_predictions
    from setwise.data import batches, check_files, files_read, open_documents
    from setwise.persistence import load

    check_files([model, *files_read(data, reading)], [output], stdout=True)
    saved = load(model)
    classifier, started = saved.classifier, perf_counter()
    with (
        open_documents(data, reading) as documents,
        open_predictions(output, written, tuple(map(str, classifier.classes_))) as write,
    ):
        for batch in batches(watch(documents, "documents"), BATCH):
            X = rows_of(batch, saved.text, classifier.n_features_in_, documents.name)
            write(Predicted.by(classifier, batch, X, top, marginals))
    seconds = perf_counter() - started
    note_skipped(documents.problems)
    n = documents.n_read
    note(f"{n:,} documents in {seconds:.1f} s, {n / max(seconds, 1e-9):,.0f} a second")
