"""The commands on files of documents: what is in one, another format, two parts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.reading import takes_read_options
from setwise.cli.runtime import note, note_skipped, watch
from setwise.cli.settings import EscapeFormulas
from setwise.cli.terminal import Table, say, say_json, show

if TYPE_CHECKING:
    from setwise.data import CorpusStatistics
    from setwise.data.conversion import Converted

__all__ = ["data_commands"]

data_commands = typer.Typer(help="Look at files of documents, convert and split them.", no_args_is_help=True)

DataFile = Annotated[str, typer.Argument(metavar="DATA", help="A file of documents; - is standard input.")]
To = Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="The format written, if not by the ending.")]
OutSeparator = Annotated[
    str, typer.Option("--to-separator", metavar="TEXT", help="What stands between labels in a csv or tsv written.")
]


@data_commands.command()
@takes_read_options
def stats(
    data: DataFile,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    reading: Any = None,
) -> None:
    """Count labels, label sets, features and documents, as Table 1 of the paper does.

    Examples:

        setwise data stats docs.jsonl.gz

        setwise data stats reviews.csv --text body --labels tags --separator "|"

        zcat docs.svm.gz | setwise data stats - --from libsvm --json
    """
    from setwise.cli.data_checks import DataChecks
    from setwise.data import check_files, files_read, open_documents, statistics

    check_files(files_read(data, reading))
    checks = DataChecks(data, reading, "separator", "constant", "ids", "texts")
    with open_documents(data, reading) as documents:
        counted = statistics(watch(checks.over(documents), "documents"), documents.names)
    note_skipped(documents.problems)
    checks.note()
    if as_json:
        skipped = {"skipped": documents.problems.n_skipped}
        say_json({"file": data, "format": documents.format.name, **asdict(counted), **skipped})
    else:
        say(documents.name)
        show(_table(counted, documents.format.kind))


@data_commands.command()
@takes_read_options
def convert(
    data: DataFile,
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")],
    to: To = None,
    to_separator: OutSeparator = ";",
    escape_formulas: EscapeFormulas = True,
    reading: Any = None,
) -> None:
    """Write documents in another format, told by the file's ending.

    Texts: jsonl, csv, tsv, parquet, txt (fastText's). Vectors: libsvm, meka, mulan (both .arff).

    Examples:

        setwise data convert docs.csv docs.parquet --labels tags

        setwise data convert train.svm.gz train.arff --to mulan

        setwise data convert docs.tsv - --to jsonl | head -3
    """
    from setwise.data import WriteOptions
    from setwise.data import convert as convert_file

    writing = WriteOptions(to, to_separator, escape_formulas)
    done = convert_file(data, out, reading, writing, watch=lambda documents: watch(documents, "documents"))
    _note_done(done, (out,))


@data_commands.command()
@takes_read_options
def split(
    data: DataFile,
    train: Annotated[str, typer.Option(metavar="FILE", help="Where the documents to train on go.")],
    test: Annotated[str, typer.Option(metavar="FILE", help="Where the documents held out go.")],
    share: Annotated[float, typer.Option(help="Which share of the documents is held out.")] = 0.2,
    random_state: Annotated[int, typer.Option(min=0, help="The same random_state gives the same parts.")] = 0,
    stratified: Annotated[
        bool, typer.Option("--stratified/--random", help="Share out every label evenly, or leave it to chance.")
    ] = True,
    to: To = None,
    to_separator: OutSeparator = ";",
    escape_formulas: EscapeFormulas = True,
    reading: Any = None,
) -> None:
    """Split documents in two files, every label shared out evenly.

    Examples:

        setwise data split docs.jsonl --train train.jsonl --test test.jsonl

        setwise data split docs.csv --train a.csv.gz --test b.csv.gz --share 0.1 --random-state 7 --random
    """
    from setwise.cli.data_checks import note_shared_texts
    from setwise.data import WriteOptions
    from setwise.data import split as split_file

    done = split_file(
        data,
        train,
        test,
        reading,
        WriteOptions(to, to_separator, escape_formulas),
        share=share,
        random_state=random_state,
        stratified=stratified,
        watch=lambda documents: watch(documents, "documents"),
    )
    _note_done(done, (train, test))
    note_shared_texts(done.shared_texts, done.n_written[1], test, train)


def _note_done(done: Converted, files: tuple[str, ...]) -> None:
    note_skipped(done.problems)
    if done.ids_lost:
        note("ids were left out: the format written has no place for them.")
    for file, n_documents in zip(files, done.n_written, strict=True):
        note(f"{n_documents:,} documents written to {file}")


def _table(counted: CorpusStatistics, kind: str) -> Table:
    table = Table("", "", "", box=None, show_header=False)
    table.columns[1].justify = "right"
    no_labels = "no labels are given"
    rows: list[tuple[str, float | None, str]] = [
        ("labels", counted.labels, no_labels),
        ("label sets", counted.label_sets, no_labels),
        ("features", counted.features, "of texts, features are made in training"),
        ("instances", counted.instances, ""),
        ("cardinality", counted.cardinality, no_labels),
        ("instances/label", counted.instances_per_label, "no document has a label"),
    ]
    extra = [
        ("labels no document has", counted.unseen_labels or 0),
        ("documents without labels", counted.without_labels),
        ("documents whose labels are not given", counted.unlabelled),
        ("empty texts" if kind == "text" else "documents without features", counted.empty),
    ]
    for name, value, why_not in [*rows, *((name, value, "") for name, value in extra if value)]:
        shown = "-" if value is None else f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
        table.add_row(name, shown, why_not if value is None else "")
    return table
