"""Options of commands that read documents, which become one :class:`setwise.data.ReadOptions`."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.option_groups import option_group

if TYPE_CHECKING:
    from setwise.data import ReadOptions

__all__ = ["read_options_from", "to_arguments", "with_read_options"]


class OnError(StrEnum):
    """What to do with a document that cannot be read."""

    STOP = "stop"
    SKIP = "skip"


class LabelNumbers(StrEnum):
    """How LIBSVM data identifies labels."""

    FROM_0 = "0"
    FROM_1 = "1"
    NAMES = "names"


def _option(name: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(name, help=help, metavar=metavar, rich_help_panel="Input data")


_Format = Annotated[
    str | None, _option("--from", "Input format: {formats}; by default, the file suffix decides.", "FORMAT")
]
_Text = Annotated[str, _option("--text", "Field or column that contains the text.", "FIELD")]
_Labels = Annotated[
    str | None, _option("--labels", "Field or column that contains the labels; `labels` by default.", "FIELD")
]
_Id = Annotated[str | None, _option("--id", "Field or column that contains the id; `id` by default.", "FIELD")]
_Separator = Annotated[str, _option("--separator", "Text between labels in csv and tsv.", "TEXT")]
_Delimiter = Annotated[
    str | None, _option("--delimiter", "Character between columns in csv and tsv, or `tab`.", "CHARACTER")
]
_Encoding = Annotated[str, _option("--encoding", "Text encoding, such as latin-1 or utf-16.", "NAME")]
_Numbers = Annotated[
    LabelNumbers, _option("--label-numbers", "LIBSVM labels are numbered from 0, from 1, or are names.")
]
_LabelNames = Annotated[
    str | None,
    _option("--label-names", "Label names of LIBSVM data (labels.txt by default), or Mulan's xml file.", "FILE"),
]
_FeatureNames = Annotated[
    str | None, _option("--feature-names", "Feature names of LIBSVM data; features.txt by default.", "FILE")
]
_LargestIndex = Annotated[
    int, _option("--largest-index", "Largest index of an unnamed LIBSVM feature or label.", "NUMBER")
]
_OnError = Annotated[OnError, _option("--on-error", "Stop at a document that cannot be read, or skip it.")]


def read_options_from(
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
    """Return the values of the command line as :class:`setwise.data.ReadOptions`."""
    from setwise.data import ReadOptions  # imported late: `setwise --version` must not wait for SciPy

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


def to_arguments(options: ReadOptions) -> list[str]:
    """Return the command-line arguments that produce ``options``; defaults are left out."""
    renamed = {"format": "--from"}
    arguments = []
    for field in fields(options):
        value = getattr(options, field.name)
        if field.name != "extra_columns" and value != field.default:  # which `predict` alone offers, as --keep
            arguments += [renamed.get(field.name, f"--{field.name.replace('_', '-')}"), str(value)]
    return arguments


with_read_options = option_group(read_options_from, "read_options")
"""Decorator that adds these options to a command, which receives them as ``read_options``."""
