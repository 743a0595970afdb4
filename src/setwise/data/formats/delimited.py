"""Tables, csv and tsv: a head that names the columns, then a row a document; quoted fields may hold line ends."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO

from setwise.data.documents import Names, TextDocument
from setwise.data.formats import streams
from setwise.data.formats.errors import Problems, Refused, shown
from setwise.data.formats.fields import Fields, clean_labels
from setwise.data.formats.names import bare_name
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.reading import Reading
from setwise.data.formats.sniffing import delimiter_in
from setwise.data.formats.spreadsheet import escape_formula, unescape_formula
from setwise.data.formats.streams import Lines, Source, decoded
from setwise.data.formats.writing import LineWriter, Writer
from setwise.exceptions import InvalidData

__all__ = ["csv_writer", "read_csv", "read_tsv", "tsv_writer"]

_SPELLING = {"\t": "tab"}


def read_csv(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    """Read fields with commas between, or with another delimiter that was asked for."""
    return _read(source, options.delimiter or ",", options, problems)


def read_tsv(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    """Read fields with tabs between, or with another delimiter that was asked for."""
    return _read(source, options.delimiter or "\t", options, problems)


def csv_writer(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Write fields with commas between."""
    return LineWriter(file, _Encoder(",", options))


def tsv_writer(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Write fields with tabs between."""
    return LineWriter(file, _Encoder("\t", options))


def _read(source: Source, delimiter: str, options: ReadOptions, problems: Problems) -> Reading:
    # One for the whole process, so it is only ever raised; rows have a limit of their own.
    csv.field_size_limit(max(csv.field_size_limit(), streams.LONGEST_LINE))
    likely = delimiter_in(source.head(), replace(options, delimiter=None))
    rows = _Rows(Lines(source), delimiter)
    fields = Fields.of(options)
    try:
        head = [name.strip() for name in next(rows, [])]
        if head:  # a file without any row holds no document either, which is told when it has been read
            fields.check_present(head)
        for name in fields.among(head):
            if head.count(name) > 1:
                raise Refused(f"there must be one field {name!r}; got {head.count(name)}.")
    except Refused as refused:
        hint = ""
        if likely is not None and likely != delimiter:
            hint = f" Hint: use `--delimiter {_SPELLING.get(likely, repr(likely))}`."
        raise InvalidData(f"{source.name}, line {rows.line}: {refused.reason}{hint}") from None
    documents = _documents(rows, head, fields, options.separator, problems)
    return Reading(Names(), documents, fields.keeps(head))


class _Rows:
    """Rows of fields; ``line`` is where the last one given begins. Bad rows are refused, and reading can go on."""

    def __init__(self, lines: Lines, delimiter: str) -> None:
        self.line = 0
        self._lines = lines
        self._decoded = _Decoded(lines)
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
                raise Refused(f"a row must be whole, with quotation marks that match; {error}.") from None
            if row:
                return row
            self._lines.skip_empty()  # an empty line is no row, and often there are more of them


class _Decoded:
    """Lines as text. No generator: that would be at its end after the first line it refuses."""

    def __init__(self, lines: Lines) -> None:
        self.n_bytes = 0  # of the row so far
        self._lines = lines

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._lines.with_end()
        self.n_bytes += len(line)
        # A quotation mark that nobody closes swallows all that follows: it is refused before it fills the memory.
        if self.n_bytes > streams.LONGEST_LINE:
            limit = f"{streams.LONGEST_LINE:,} bytes"
            raise Refused(f"a row must have at most {limit}, with quotation marks that match; got more.")
        return decoded(line)


def _documents(
    rows: _Rows, head: list[str], fields: Fields, separator: str, problems: Problems
) -> Iterator[TextDocument]:
    while True:
        try:
            row = next(rows, None)
            document = None if row is None else _document(row, head, fields, separator)
        except Refused as refused:
            problems.refuse(f"line {rows.line}", refused)
        else:
            if document is None:
                return
            yield document


def _document(row: list[str], head: list[str], fields: Fields, separator: str) -> TextDocument:
    if len(row) != len(head):
        raise Refused(f"a row must have {len(head)} fields, as the first line has; got {len(row)}.")
    cells = dict(zip(head, row, strict=True))
    labels = cells.get(fields.labels)
    return TextDocument(
        text=cells[fields.text],
        labels=None if labels is None else _split(labels, separator, fields.labels),
        id=unescape_formula(cells.get(fields.id, "")) or None,
        kept=fields.kept(cells),
    )


def _split(cell: str, separator: str, field: str) -> tuple[str, ...]:
    if not cell.strip():
        return ()
    return clean_labels((unescape_formula(bare_name(label)) for label in cell.split(separator)), field)


class _Encoder:
    """Columns are those the first document needs, and every document must fill the same."""

    def __init__(self, delimiter: str, options: WriteOptions) -> None:
        self._delimiter = delimiter
        self._separator = options.separator
        self._escape: Callable[[str], str] = escape_formula if options.escape_formulas else str
        self._to_quote = re.compile(rf'["\r\n{delimiter}]|^\s|\s$|^$')
        self._has_id = self._has_labels = False

    def head(self, first: TextDocument) -> bytes:
        self._has_id, self._has_labels = first.id is not None, first.labels is not None
        return self._row(["id"] * self._has_id + ["text"] + ["labels"] * self._has_labels)

    def encode(self, document: TextDocument) -> bytes:
        if (document.id is not None) != self._has_id:
            raise Refused("a table must have an id for every document or for none.")
        if (document.labels is not None) != self._has_labels:
            raise Refused("a table must have labels for every document or for none.")
        return self._row(
            ([] if document.id is None else [self._escape(document.id)])
            + [document.text]
            + ([] if document.labels is None else [self._joined(document.labels)])
        )

    def _joined(self, labels: tuple[str, ...]) -> str:
        escaped = [self._escape(label) for label in labels]
        joined = self._separator.join(escaped)
        if (joined.split(self._separator) if joined else []) != escaped:
            raise Refused(
                f"labels of a table must not hold its separator, {self._separator!r}; got {shown(joined)}. "
                f"Hint: choose another separator."
            )
        return joined

    def _row(self, cells: list[str]) -> bytes:
        return (self._delimiter.join(map(self._quoted, cells)) + "\n").encode()

    def _quoted(self, cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if self._to_quote.search(cell) else cell
