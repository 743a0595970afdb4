"""Tables, csv and tsv: a header with the column names, then one row per document; quoted fields may contain line ends.

Spreadsheets run cells that begin with ``=`` and the like as formulas. Such labels and ids are written with an
apostrophe in front, which reading removes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import BinaryIO

from setwise.data.documents import Names, TextDocument
from setwise.data.formats import streams
from setwise.data.formats.errors import DocumentError, Problems, preview
from setwise.data.formats.fields import FieldNames, clean_labels
from setwise.data.formats.format import Format, LineWriter, Reading, Writer
from setwise.data.formats.names import strip_name
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.streams import Lines, Source, decode_line
from setwise.exceptions import InvalidData

__all__ = ["CSV", "TSV", "escape_formula", "unescape_formula"]

COMMON_DELIMITERS = (",", "\t", ";", "|")
_DELIMITER_NAMES = {"\t": "tab"}

# Cells with apostrophes before the first character of a formula match too: they get one more, so that removing one
# always restores the original.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def escape_formula(cell: str) -> str:
    """Return the cell with an apostrophe in front if a spreadsheet would run it as a formula.

    Examples
    --------
    >>> from setwise.data import escape_formula
    >>> escape_formula("=1+1"), escape_formula("a=1")
    ("'=1+1", 'a=1')
    """
    return "'" + cell if _FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """Undo :func:`escape_formula`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _read(source: Source, options: ReadOptions, problems: Problems, *, default: str) -> Reading:
    """Read the header; ``default`` is the delimiter if the options name none."""
    delimiter = options.delimiter or default
    # The limit is global to the process, so it is only ever raised; rows have a limit of their own.
    csv.field_size_limit(max(csv.field_size_limit(), streams.MAX_LINE_BYTES))
    likely = _find_delimiter(source.peek(), replace(options, delimiter=None))
    rows = _Rows(Lines(source), delimiter)
    fields = FieldNames.from_options(options)
    try:
        header = [name.strip() for name in next(rows, [])]
        if header:  # a file without any row has no documents, which is reported after reading
            fields.check_present(header)
        for name in fields.to_read(header):
            if header.count(name) > 1:
                raise DocumentError(f"field {name!r} must occur once; it occurs {header.count(name)} times.")
    except DocumentError as error:
        hint = ""
        if likely is not None and likely != delimiter:
            hint = f" Hint: use `--delimiter {_DELIMITER_NAMES.get(likely, repr(likely))}`."
        raise InvalidData(f"{source.name}, line {rows.line}: {error.reason}{hint}") from None
    documents = _documents(rows, header, fields, options.separator, problems)
    return Reading(Names(), documents, fields.extra_columns(header))


def _write(file: BinaryIO, names: Names, options: WriteOptions, *, delimiter: str) -> Writer:
    return LineWriter(file, _Encoder(delimiter, options))


def _find_delimiter(start: bytes, options: ReadOptions) -> str | None:
    """Return the delimiter with which the first line has the text column; None if there is none."""
    line = start.decode(errors="replace").removeprefix("\ufeff").lstrip("\r\n").partition("\n")[0].rstrip("\r")
    for delimiter in COMMON_DELIMITERS if options.delimiter is None else (options.delimiter,):
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error:
            continue
        if options.text in (cell.strip() for cell in cells):
            return delimiter
    return None


def _recognize_csv(start: bytes, options: ReadOptions) -> bool:
    return _find_delimiter(start, options) not in (None, "\t")


def _recognize_tsv(start: bytes, options: ReadOptions) -> bool:
    return _find_delimiter(start, options) == "\t"


class _Rows:
    """Rows of cells; ``line`` is where the last one begins. Reading can continue after a bad row."""

    def __init__(self, lines: Lines, delimiter: str) -> None:
        self.line = 0
        self._lines = lines
        self._decoded = _DecodedLines(lines)
        self._rows = csv.reader(self._decoded, delimiter=delimiter, strict=True)

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        while True:
            self.line = self._lines.number + 1
            self._decoded.n_bytes = 0
            try:
                row = next(self._rows)
            except csv.Error as error:
                raise DocumentError(f"a row must be complete, with matching quotation marks; {error}.") from None
            if row:
                return row
            self._lines.skip_empty()  # an empty line is not a row, and empty lines often come in runs


class _DecodedLines:
    """Lines as text. Not a generator, which would end at the first line that raises an error."""

    def __init__(self, lines: Lines) -> None:
        self.n_bytes = 0  # of the current row
        self._lines = lines

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines.with_ends)
        self.n_bytes += len(line)
        # An unclosed quotation mark would read the rest of the file as one field: stop before it fills the memory.
        if self.n_bytes > streams.MAX_LINE_BYTES:
            limit = f"{streams.MAX_LINE_BYTES:,} bytes"
            raise DocumentError(f"a row must have at most {limit}, with matching quotation marks; got more.")
        return decode_line(line)


def _documents(
    rows: _Rows, header: list[str], fields: FieldNames, separator: str, problems: Problems
) -> Iterator[TextDocument]:
    while True:
        try:
            row = next(rows, None)
            document = None if row is None else _document(row, header, fields, separator)
        except DocumentError as error:
            problems.report(f"line {rows.line}", error)
        else:
            if document is None:
                return
            yield document


def _document(row: list[str], header: list[str], fields: FieldNames, separator: str) -> TextDocument:
    if len(row) != len(header):
        raise DocumentError(f"a row must have {len(header)} fields, as the header has; got {len(row)}.")
    cells = dict(zip(header, row, strict=True))
    labels = cells.get(fields.labels)
    return TextDocument(
        text=cells[fields.text],
        labels=None if labels is None else _split_labels(labels, separator, fields.labels),
        id=unescape_formula(cells.get(fields.id, "")) or None,
        extra=fields.extra_values(cells),
    )


def _split_labels(cell: str, separator: str, field: str) -> tuple[str, ...]:
    if not cell.strip():
        return ()
    return clean_labels((unescape_formula(strip_name(label)) for label in cell.split(separator)), field)


class _Encoder:
    """The first document determines the columns; every other must have the same."""

    def __init__(self, delimiter: str, options: WriteOptions) -> None:
        self._delimiter = delimiter
        self._separator = options.separator
        self._escape: Callable[[str], str] = escape_formula if options.escape_formulas else str
        self._needs_quotes = re.compile(rf'["\r\n{delimiter}]|^\s|\s$|^$')
        self._has_id = self._has_labels = False

    def header(self, first: TextDocument) -> bytes:
        self._has_id, self._has_labels = first.id is not None, first.labels is not None
        return self._row(["id"] * self._has_id + ["text"] + ["labels"] * self._has_labels)

    def encode(self, document: TextDocument) -> bytes:
        if (document.id is not None) != self._has_id:
            raise DocumentError("a table must have an id for every document or for none.")
        if (document.labels is not None) != self._has_labels:
            raise DocumentError("a table must have labels for every document or for none.")
        return self._row(
            ([] if document.id is None else [self._escape(document.id)])
            + [document.text]
            + ([] if document.labels is None else [self._join_labels(document.labels)])
        )

    def _join_labels(self, labels: tuple[str, ...]) -> str:
        escaped = [self._escape(label) for label in labels]
        joined = self._separator.join(escaped)
        if (joined.split(self._separator) if joined else []) != escaped:
            raise DocumentError(
                f"labels must not contain the separator {self._separator!r}; got {preview(joined)}. "
                f"Hint: choose another separator."
            )
        return joined

    def _row(self, cells: list[str]) -> bytes:
        return (self._delimiter.join(map(self._quote, cells)) + "\n").encode()

    def _quote(self, cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if self._needs_quotes.search(cell) else cell


_OPTIONS = ("text", "labels", "id", "separator", "delimiter", "extra_columns", "escape_formulas")

CSV = Format(
    "csv",
    "texts, one row per document, fields separated by commas",
    "text",
    partial(_read, default=","),
    partial(_write, delimiter=","),
    suffixes=(".csv",),
    options=_OPTIONS,
    recognize=_recognize_csv,
    stores_ids=True,
)

TSV = Format(
    "tsv",
    "texts, one row per document, fields separated by tabs",
    "text",
    partial(_read, default="\t"),
    partial(_write, delimiter="\t"),
    suffixes=(".tsv",),
    options=_OPTIONS,
    recognize=_recognize_tsv,
    stores_ids=True,
)
