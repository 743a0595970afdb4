"""Options of every command that reads documents, in one place."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.option_groups import taking

if TYPE_CHECKING:
    from setwise.data import ReadOptions

__all__ = ["as_arguments", "takes_read_options"]


class OnError(StrEnum):
    """What to do about a document that cannot be read."""

    STOP = "stop"
    SKIP = "skip"


class LabelNumbers(StrEnum):
    """How LIBSVM data calls its labels."""

    FROM_0 = "0"
    FROM_1 = "1"
    NAMES = "names"


def _option(name: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(name, help=help, metavar=metavar, rich_help_panel="How the data is read")


_Format = Annotated[str | None, _option("--from", "The format, if not by the file's ending.", "FORMAT")]
_Text = Annotated[str, _option("--text", "The field of the text.", "FIELD")]
_Labels = Annotated[str | None, _option("--labels", "The field of the labels, if not `labels`.", "FIELD")]
_Id = Annotated[str | None, _option("--id", "The field of the id, if not `id`.", "FIELD")]
_Separator = Annotated[str, _option("--separator", "What stands between labels in csv and tsv.", "TEXT")]
_Delimiter = Annotated[
    str | None, _option("--delimiter", "The character between fields in csv and tsv, or `tab`.", "CHARACTER")
]
_Encoding = Annotated[str, _option("--encoding", "The encoding of the text, such as latin-1 or utf-16.", "NAME")]
_Numbers = Annotated[LabelNumbers, _option("--label-numbers", "LIBSVM labels count from 0, from 1, or are names.")]
_LabelNames = Annotated[
    str | None, _option("--label-names", "Names of LIBSVM labels, if not labels.txt; Mulan's xml.", "FILE")
]
_FeatureNames = Annotated[
    str | None, _option("--feature-names", "Names of LIBSVM features, if not features.txt.", "FILE")
]
_LargestIndex = Annotated[
    int, _option("--largest-index", "The largest number of a LIBSVM feature or label without a name.", "NUMBER")
]
_OnError = Annotated[OnError, _option("--on-error", "Stop at a document that cannot be read, or skip it.")]


def _options(
    *,
    format: _Format = None,
    text: _Text = "text",
    labels: _Labels = None,
    id: _Id = None,
    separator: _Separator = ";",
    delimiter: _Delimiter = None,
    encoding: _Encoding = "utf-8",
    label_numbers: _Numbers = LabelNumbers.FROM_0,
    label_names: _LabelNames = None,
    feature_names: _FeatureNames = None,
    largest_index: _LargestIndex = 10_000_000,
    on_error: _OnError = OnError.STOP,
) -> Any:
    from setwise.data import ReadOptions  # here, so that `setwise --version` need not wait for scipy

    return ReadOptions(
        format=format,
        text=text,
        labels=labels,
        id=id,
        separator=separator,
        delimiter=delimiter,
        encoding=encoding,
        label_numbers=label_numbers.value,
        label_names=label_names,
        feature_names=feature_names,
        largest_index=largest_index,
        on_error=on_error.value,
    )


def as_arguments(reading: ReadOptions) -> list[str]:
    """Return the options of the command line that ask for this way of reading."""
    given = {one.name: getattr(reading, one.name) for one in fields(reading) if one.name != "keep"}
    usual = {one.name: one.default for one in fields(reading)}
    names = {"format": "--from"}
    changed = ((name, str(value)) for name, value in given.items() if value != usual[name])
    return [word for name, value in changed for word in (names.get(name, f"--{name.replace('_', '-')}"), value)]


takes_read_options = taking(_options, "reading")
"""Gives a command the options of reading; it gets them together, as its argument ``reading``."""
