"""Options for reading and writing files of documents."""

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
_TAB_NAMES = ("\\t", "tab")


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file of documents; each format uses those that apply to it.

    Parameters
    ----------
    format : str, optional
        Name of the format; None infers it from the file's suffix.
    text : str
        Name of the field or column that contains the text.
    labels : str, optional
        Name of the field or column that contains the labels, which must exist; None means ``labels``, if it exists.
    id : str, optional
        Name of the field or column that contains the id, which must exist; None means ``id``, if it exists.
    separator : str
        csv and tsv: separator between two labels.
    delimiter : str, optional
        csv and tsv: character between two fields, or ``"tab"``; None is a comma in csv and a tab in tsv.
    encoding : str
        Encoding of the text and of the files of names next to it; parquet and XML files define their own.
    label_numbers : {"0", "1", "names"}
        LIBSVM: labels are numbers from 0, numbers from 1, or names.
    label_names : path, optional
        LIBSVM: file of label names; Mulan: the XML file. None looks for the file next to the data.
    feature_names : path, optional
        LIBSVM: file of feature names. None looks for the file next to the data.
    largest_index : int
        LIBSVM: largest number of a feature or label, where no file names them.
    on_error : {"stop", "skip"}
        Raise an error at the first document that cannot be read, or skip and count such documents.
    extra_columns : tuple of str or "all"
        Fields or columns to copy to :attr:`TextDocument.extra`.

    Examples
    --------
    >>> from setwise.data import ReadOptions
    >>> ReadOptions(labels="tags", delimiter="tab").delimiter
    '\\t'
    """

    format: str | None = None
    text: str = "text"
    labels: str | None = None
    id: str | None = None
    separator: str = DEFAULT_SEPARATOR
    delimiter: str | None = None
    encoding: str = "utf-8"
    label_numbers: LabelNumbers = "0"
    label_names: str | PathLike[str] | None = None
    feature_names: str | PathLike[str] | None = None
    largest_index: int = DEFAULT_LARGEST_INDEX
    on_error: OnError = "stop"
    extra_columns: tuple[str, ...] | Literal["all"] = ()

    def __post_init__(self) -> None:
        _check_separator(self.separator)
        if self.delimiter in _TAB_NAMES:
            object.__setattr__(self, "delimiter", "\t")
        _check_delimiter(self.delimiter)
        _check_encoding(self.encoding)
        _check_largest_index(self.largest_index)
        if self.label_numbers not in get_args(LabelNumbers):
            raise InvalidParameter(f"label_numbers must be '0', '1' or 'names'; got {self.label_numbers!r}.")


@dataclass(frozen=True)
class WriteOptions:
    """Options for writing a file of documents.

    Parameters
    ----------
    format : str, optional
        Name of the format; None infers it from the file's suffix.
    separator : str
        csv and tsv: separator between two labels.
    escape_formulas : bool
        csv and tsv: put an apostrophe before labels and ids that a spreadsheet would run as formulas.

    Examples
    --------
    >>> from setwise.data import WriteOptions
    >>> WriteOptions("csv", separator="|")
    WriteOptions(format='csv', separator='|', escape_formulas=True)
    """

    format: str | None = None
    separator: str = DEFAULT_SEPARATOR
    escape_formulas: bool = True

    def __post_init__(self) -> None:
        _check_separator(self.separator)


def _check_separator(separator: str) -> None:
    if not separator.strip() and separator != " ":
        raise InvalidParameter(
            f"separator must be a space or contain a character that is not whitespace; got {separator!r}."
        )
    if '"' in separator:
        raise InvalidParameter(f"separator must not contain a quotation mark; got {separator!r}.")


def _check_delimiter(delimiter: str | None) -> None:
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        raise InvalidParameter(
            f"delimiter must be `tab` or one character that is no quotation mark or line end; got {delimiter!r}."
        )


def _check_encoding(encoding: str) -> None:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding or "none")
    except (LookupError, ValueError):
        raise InvalidParameter(
            f"encoding must be a text encoding of Python, such as latin-1; got {encoding!r}."
        ) from None


def is_utf_8(encoding: str) -> bool:
    """Return whether an encoding is UTF-8, with or without a byte order mark."""
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


def _check_largest_index(largest: int) -> None:
    if not isinstance(largest, int) or isinstance(largest, bool) or not 1 <= largest <= LARGEST_INDEX:
        raise InvalidParameter(f"largest_index must be an integer between 1 and {LARGEST_INDEX:,}; got {largest!r}.")
