"""How a file is to be read or written, where its ending does not say all."""

from __future__ import annotations

import codecs
import io
from dataclasses import dataclass
from os import PathLike
from typing import Literal, get_args

from setwise.data.formats.errors import OnError
from setwise.data.formats.numbers import LARGEST_INDEX
from setwise.exceptions import InvalidParameter

__all__ = ["DEFAULT_LARGEST_INDEX", "LabelNumbers", "ReadOptions", "WriteOptions", "is_utf_8"]

LabelNumbers = Literal["0", "1", "names"]
DEFAULT_SEPARATOR = ";"
DEFAULT_LARGEST_INDEX = 10_000_000
_TABS = ("\\t", "tab")


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
    delimiter: str | None = None
    """The character between two fields in csv and tsv, or ``"tab"``; None is a comma in csv and a tab in tsv."""
    encoding: str = "utf-8"
    """The encoding of the text, and of the files of names beside it; parquet and xml have their own."""
    label_numbers: LabelNumbers = "0"
    """LIBSVM: labels are counted from 0, from 1, or stand there by name."""
    label_names: str | PathLike[str] | None = None
    """LIBSVM: a file of label names; Mulan: the xml file. None is the file beside the data, where there is one."""
    feature_names: str | PathLike[str] | None = None
    """LIBSVM: a file of feature names. None is the file beside the data, where there is one."""
    largest_index: int = DEFAULT_LARGEST_INDEX
    """LIBSVM: the largest number that a feature or a label may have, where no file names them."""
    on_error: OnError = "stop"
    """``"skip"`` leaves out documents that cannot be read, and counts them."""
    keep: tuple[str, ...] | Literal["all"] = ()
    """Fields or columns to carry along in :attr:`TextDocument.kept`, whatever they hold."""

    def __post_init__(self) -> None:
        _check_separator(self.separator)
        if self.delimiter in _TABS:
            object.__setattr__(self, "delimiter", "\t")
        _check_delimiter(self.delimiter)
        _check_encoding(self.encoding)
        _check_largest_index(self.largest_index)
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


def _check_delimiter(delimiter: str | None) -> None:
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        raise InvalidParameter(
            f"delimiter must be one character or `tab`, and no quotation mark or line end; got {delimiter!r}."
        )


def _check_encoding(encoding: str) -> None:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding or "none")
    except (LookupError, ValueError):
        raise InvalidParameter(
            f"encoding must be a text encoding of Python, such as latin-1; got {encoding!r}."
        ) from None


def is_utf_8(encoding: str) -> bool:
    """Whether an encoding is UTF-8, with or without a byte order mark."""
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


def _check_largest_index(largest: int) -> None:
    if not isinstance(largest, int) or isinstance(largest, bool) or not 1 <= largest <= LARGEST_INDEX:
        raise InvalidParameter(
            f"largest_index must be a whole number between 1 and {LARGEST_INDEX:,}; got {largest!r}."
        )
