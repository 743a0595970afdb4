"""``setwise data``: count, convert and split files of documents."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.choices import ChoicesCommand
from setwise.cli.classifier_options import RandomState
from setwise.cli.option_groups import CSV_OUTPUT, AsJson, EscapeFormulas, TestSize
from setwise.cli.read_options import with_read_options
from setwise.cli.runtime import print_note, print_skipped, show_progress
from setwise.cli.startup import CommandGroup
from setwise.cli.terminal import Table, print_json, print_line, print_table
from setwise.cli.verbosity import with_verbosity

if TYPE_CHECKING:
    from setwise.data import Converted, CorpusStatistics

__all__ = ["data_commands"]

EPILOG = """
Examples:

    setwise data stats docs.jsonl

    setwise data convert docs.csv docs.parquet

    setwise data split docs.jsonl --train train.jsonl --test test.jsonl
"""

data_commands = typer.Typer(
    cls=CommandGroup, help="Count, convert and split files of documents.", epilog=EPILOG, no_args_is_help=True
)

DataFile = Annotated[str, typer.Argument(metavar="DATA", help="File of documents; - reads standard input.")]
To = Annotated[
    str | None,
    typer.Option("--to", metavar="FORMAT", help="Output format, as for --from; by default, the file suffix decides."),
]
ToSeparator = Annotated[
    str,
    typer.Option("--to-separator", metavar="TEXT", help="Text between labels.", rich_help_panel=CSV_OUTPUT),
]


@data_commands.command(cls=ChoicesCommand)
@with_verbosity
@with_read_options
def stats(data: DataFile, as_json: AsJson = False, read_options: Any = None) -> None:
    """Count the labels, label sets, features and documents of a file, as in Table 1 of the paper.

    Examples:

        setwise data stats docs.jsonl.gz

        setwise data stats reviews.csv --text body --labels tags --separator "|"

        zcat docs.svm.gz | setwise data stats - --from libsvm --json
    """
    from setwise.cli.data_checks import DataChecks
    from setwise.data import check_files, input_files, open_documents, statistics

    check_files(input_files(data, read_options))
    checks = DataChecks(data, read_options, "separator", "constant", "ids", "texts")
    with open_documents(data, read_options) as documents:
        counts = statistics(show_progress(checks.watch(documents), "documents"), documents.names)
    print_skipped(documents.problems)
    checks.print_warnings()
    if as_json:
        skipped = {"skipped": documents.problems.n_skipped}
        print_json({"file": data, "format": documents.format.name, **asdict(counts), **skipped})
    else:
        print_line(documents.name)
        print_table(_statistics_table(counts, documents.format.kind))


@data_commands.command(cls=ChoicesCommand)
@with_verbosity
@with_read_options
def convert(
    data: DataFile,
    out: Annotated[str, typer.Argument(metavar="OUT", help="File to write; - is standard output.")],
    to: To = None,
    to_separator: ToSeparator = ";",
    escape_formulas: EscapeFormulas = True,
    read_options: Any = None,
) -> None:
    """Convert documents to another format.

    Texts convert to any text format, and vectors to any vector format.

    Examples:

        setwise data convert docs.csv docs.parquet --labels tags

        setwise data convert train.svm.gz train.arff --to mulan

        setwise data convert docs.tsv - --to jsonl | head -3
    """
    from setwise.data import WriteOptions
    from setwise.data import convert as convert_file

    write_options = WriteOptions(to, to_separator, escape_formulas)
    converted = convert_file(
        data, out, read_options, write_options, track=lambda documents: show_progress(documents, "documents")
    )
    _print_written(converted, (out,))


@data_commands.command(cls=ChoicesCommand)
@with_verbosity
@with_read_options
def split(
    data: DataFile,
    train: Annotated[str, typer.Option(metavar="FILE", help="File to write the training documents to.")],
    test: Annotated[str, typer.Option(metavar="FILE", help="File to write the test documents to.")],
    test_size: TestSize = 0.2,
    random_state: RandomState = 0,
    stratified: Annotated[
        bool,
        typer.Option("--stratified/--random", help="Keep the share of each label in both parts, or draw at random."),
    ] = True,
    to: To = None,
    to_separator: ToSeparator = ";",
    escape_formulas: EscapeFormulas = True,
    read_options: Any = None,
) -> None:
    """Split documents into a training file and a test file, stratified by label.

    Examples:

        setwise data split docs.jsonl --train train.jsonl --test test.jsonl

        setwise data split docs.csv --train a.csv --test b.csv --test-size 0.1
    """
    from setwise.cli.data_checks import warn_shared_texts
    from setwise.data import WriteOptions
    from setwise.data import split as split_file

    converted = split_file(
        data,
        train,
        test,
        read_options,
        WriteOptions(to, to_separator, escape_formulas),
        test_size=test_size,
        random_state=random_state,
        stratified=stratified,
        track=lambda documents: show_progress(documents, "documents"),
    )
    _print_written(converted, (train, test))
    warn_shared_texts(converted.shared_texts, converted.n_written[1], test, train)


def _print_written(converted: Converted, files: tuple[str, ...]) -> None:
    """Print what was skipped, dropped and written."""
    print_skipped(converted.problems)
    if converted.ids_lost:
        print_note("ids were dropped: the output format cannot store them.")
    for file, n_documents in zip(files, converted.n_written, strict=True):
        print_note(f"{n_documents:,} documents written to {file}")


def _statistics_table(counts: CorpusStatistics, kind: str) -> Table:
    """Return one row per statistic; a missing one is a dash with its reason."""
    table = Table("", "", "", box=None, show_header=False)
    table.align_right(1)
    no_labels = "the file has no labels"
    rows: list[tuple[str, float | None, str]] = [
        ("labels", counts.labels, no_labels),
        ("label sets", counts.label_sets, no_labels),
        ("features", counts.features, "extracted in training"),
        ("instances", counts.instances, ""),
        ("cardinality", counts.cardinality, no_labels),
        ("instances/label", counts.instances_per_label, "no document has a label"),
    ]
    optional = [
        ("labels without documents", counts.unseen_labels or 0),
        ("documents with an empty label set", counts.without_labels),
        ("unlabeled documents", counts.unlabeled),
        ("empty texts" if kind == "text" else "documents without features", counts.empty),
    ]
    for name, value, reason in [*rows, *((name, value, "") for name, value in optional if value)]:
        shown = "-" if value is None else f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
        table.add_row(name, shown, reason if value is None else "")
    return table
