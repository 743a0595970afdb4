"""``setwise report``: one page about a model, or about two side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.option_groups import AsJson, ModelPath
from setwise.cli.predict import BATCH
from setwise.cli.read_options import with_read_options
from setwise.cli.runtime import print_note, print_skipped, show_progress, show_spinner
from setwise.cli.terminal import print_json, print_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from setwise import SetClassifier
    from setwise.cli.features import EncodedDocuments
    from setwise.data import Document
    from setwise.reports import ComparisonBuilder, Report, ReportBuilder

__all__ = ["report"]


@with_read_options
def report(
    model: ModelPath,
    second: Annotated[
        str,
        typer.Argument(metavar="OTHER|DATA", help="Another model file; or labeled documents; - reads standard input."),
    ],
    third: Annotated[
        str | None, typer.Argument(metavar="DATA", show_default=False, help="Labeled documents, after two models.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="PAGE", help="Write the page to this file.")
    ] = None,
    as_json: AsJson = False,
    read_options: Any = None,
) -> None:
    """Write a page about a model: what it is good at, and where it fails.

    DATA are labeled documents that the model was not trained on. The page is
    one file that needs no network: baselines, automation, reliability, labels,
    confusions, tuning, and the worst and most surprising documents.

    With two models, they are put side by side, with intervals of the
    differences and the documents where they differ.

    Examples:

        setwise report topics.setwise test.jsonl -o report.html

        setwise report old.setwise new.setwise test.jsonl -o comparison.html

        setwise report topics.setwise test.csv --json
    """
    from setwise.classifier import SetClassifier
    from setwise.cli.data_checks import DataChecks
    from setwise.cli.features import encode_documents
    from setwise.data import TextDocument, atomic_writer, batches, check_files, input_files, open_documents
    from setwise.exceptions import InvalidData, InvalidParameter
    from setwise.persistence import read_model

    if output is None and not as_json:
        raise InvalidParameter("Name the page, such as -o report.html, or print the numbers with --json.")
    *models, data = [name for name in (model, second, third) if name is not None]
    check_files([*models, *input_files(data, read_options)], [] if output is None else [output])
    opened = [read_model(model) for model in models]
    classifiers = [SetClassifier.from_state(file.state) for file in opened]
    checks = DataChecks(data, read_options, "separator", "ids", "texts", "coverage")
    builder = _builder(classifiers, models, data)
    with open_documents(data, read_options) as documents:
        for batch in batches(show_progress(documents, "documents"), BATCH):
            if any(document.labels is None for document in batch):
                raise InvalidData(f"Some documents of {documents.name} have no labels. Report on labeled documents.")
            encoded = [
                encode_documents(batch, one.vectorizer_, one.n_features_in_, documents.name) for one in classifiers
            ]
            checks.add(batch, encoded[0].coverage)
            texts = [one.text for one in batch if isinstance(one, TextDocument)]
            _add(builder, encoded, batch, texts or None)
    print_skipped(documents.problems)
    checks.print_warnings()
    for file, name in zip(opened, models, strict=True):
        checks.warn_trained_on(file.trained_on, name)
    with show_spinner("writing the report"):
        made = builder.report()
        if output is not None:
            page = made.html().encode()
            with atomic_writer(output) as file_of_page:
                file_of_page.write(page)
    _print(made, output, as_json)


def _builder(
    classifiers: Sequence[SetClassifier], models: Sequence[str], data: str
) -> ReportBuilder | ComparisonBuilder:
    from setwise.reports import ComparisonBuilder, ReportBuilder

    names, of_data = [Path(model).name.removesuffix(".setwise") for model in models], {"": Path(data).name}
    if len(classifiers) == 1:
        return ReportBuilder(classifiers[0], f"Report of {names[0]}", of_data)
    first, second = names if names[0] != names[1] else models
    pair = classifiers[0], classifiers[1]
    return ComparisonBuilder(pair, (first, second), f"{first} and {second}", of_data)


def _add(
    builder: ReportBuilder | ComparisonBuilder,
    encoded: Sequence[EncodedDocuments],
    batch: Sequence[Document],
    texts: Sequence[str] | None,
) -> None:
    """Add a batch of documents, which each model has its own features of."""
    from setwise.reports import ReportBuilder

    labels, ids = [list(document.labels or ()) for document in batch], [document.id for document in batch]
    if isinstance(builder, ReportBuilder):
        builder.add(encoded[0].X, labels, encoded[0].coverage, texts, ids)
    else:
        builder.add([one.X for one in encoded], labels, [one.coverage for one in encoded], texts, ids)


def _print(made: Report, output: str | None, as_json: bool) -> None:
    """Print the numbers, or the summary; where a page was written, its name."""
    if as_json:
        print_json(made.as_dict())
    else:
        for sentence in made.summary:
            print_line(sentence)
    if output is not None:
        print_note(f"wrote {output}")
