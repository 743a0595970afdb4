"""How a file is to be read or written, where its ending does not say all."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Literal, get_args

from setwise.data.formats.problems import OnError
from setwise.exceptions import InvalidParameter

__all__ = ["LabelNumbers", "ReadOptions", "WriteOptions"]

LabelNumbers = Literal["0", "1", "names"]
DEFAULT_SEPARATOR = ";"


@dataclass(frozen=True)
class ReadOptions:
    """Options of reading; each format uses those that concern it."""

    format: str | None = None
    """A format's name, in place of what the file's ending says."""
    text: str = "text"
    """The field or column of the text."""
    labels: str | None = None
    """The field or column of the labels; None is ``labels``, which need not be there."""
    id: str | None = None
    """The field or column of the id; None is ``id``, which need not be there."""
    separator: str = DEFAULT_SEPARATOR
    """What stands between two labels in csv and tsv."""
    label_numbers: LabelNumbers = "0"
    """LIBSVM: labels are counted from 0, from 1, or stand there by name."""
    label_names: str | PathLike[str] | None = None
    """LIBSVM: a file of label names; Mulan: the xml file. None is the file beside the data, where there is one."""
    feature_names: str | PathLike[str] | None = None
    """LIBSVM: a file of feature names. None is the file beside the data, where there is one."""
    on_error: OnError = "stop"
    """``"skip"`` leaves out documents that cannot be read, and counts them."""
    keep: tuple[str, ...] | Literal["all"] = ()
    """Fields or columns to carry along in :attr:`TextDocument.kept`, whatever they hold."""

    def __post_init__(self) -> None:
        _check_separator(self.separator)
        if self.label_numbers not in get_args(LabelNumbers):
            raise InvalidParameter(f"label_numbers must be '0', '1' or 'names'; got {self.label_numbers!r}.")


@dataclass(frozen=True)
class WriteOptions:
    """Options of writing."""

    format: str | None = None
    """A format's name, in place of what the file's ending says."""
    separator: str = DEFAULT_SEPARATOR
    """What stands between two labels in csv and tsv."""
    escape_formulas: bool = True
    """csv and tsv: put an apostrophe before labels and ids that a spreadsheet would run as formulas."""

    def __post_init__(self) -> None:
        _check_separator(self.separator)


def _check_separator(separator: str) -> None:
    if not separator.strip() and separator != " ":
        raise InvalidParameter(f"separator must be a space or have other characters than blanks; got {separator!r}.")
    if '"' in separator:
        raise InvalidParameter(f"separator must have no quotation mark; got {separator!r}.")
