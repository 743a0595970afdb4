"""Parquet: columns ``id`` and ``text`` of strings and ``labels`` of lists of strings, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from setwise.data.documents import Names, TextDocument
from setwise.data.formats import streams
from setwise.data.formats.errors import Problems, Refused
from setwise.data.formats.fields import Fields, document_of
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.parquet_footer import Column, RowGroup, read_footer
from setwise.data.formats.reading import Reading
from setwise.data.formats.streams import Source
from setwise.data.formats.writing import NOT_UNICODE, Writer
from setwise.exceptions import InvalidData

__all__ = ["read", "writer"]

ROWS_PER_GROUP = 1024  # where they are written
ROWS_AT_ONCE = 256  # where they are read
BYTES_AT_ONCE = 1 << 26
# A column of a row group may take this much, or more if it is made of pages of a usual size and packed no tighter than
# texts can be: else a small file could fill the memory.
LARGEST_COLUMN = 1 << 28
ROWS_PER_PAGE = 1024  # at least so many are in a page of Arrow's, however long they are
TIGHTEST = 500
BYTES_PER_VALUE = 8
SCHEMA = pa.schema([("id", pa.string()), ("text", pa.string()), ("labels", pa.list_(pa.string()))])
# What the library raises for a damaged file: its own errors, and Python's for strings that are not UTF-8.
_FAULTS = (pa.ArrowException, OSError, ValueError)


def read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    """Read the three columns and those to keep, some rows at a time."""
    fields = Fields.of(options)
    try:
        if not source.file.seekable():
            raise InvalidData(f"{source.name} must be a file that can be read from any place, as parquet asks.")
        table = pq.ParquetFile(source.file, page_checksum_verification=True)
        columns = {column.name: column.type for column in table.schema_arrow}
        fields.check_present(columns)
        wanted = fields.among(columns)
        for name in wanted:
            _check_type(name, columns[name], fields)
        groups = _row_groups(source, table, wanted)
        for group in groups:
            for column in group.columns:
                _check_size(column, group.n_rows)
    except Refused as refused:
        raise InvalidData(f"{source.name}: {refused.reason}") from None
    except _FAULTS as error:
        raise _damaged(source, error) from error
    documents = _documents(_rows(source, table, groups, wanted), fields, problems)
    return Reading(Names(), documents, fields.keeps(columns))


def _row_groups(source: Source, table: Any, wanted: list[str]) -> list[RowGroup]:
    """Return the row groups with the columns that are read."""
    groups = read_footer(source.file)
    if len(groups) != table.num_row_groups:
        raise ValueError(f"its footer has {len(groups)} row groups of {table.num_row_groups}")
    return [
        replace(group, columns=[column for column in group.columns if column.path and column.path[0] in wanted])
        for group in groups
    ]


def _documents(rows: Iterator[dict[str, object] | None], fields: Fields, problems: Problems) -> Iterator[TextDocument]:
    for number, row in enumerate(rows, start=1):
        try:
            if row is None:
                raise Refused(f"a row must have at most {streams.LONGEST_LINE:,} bytes.")
            document = document_of(row, fields)
        except Refused as refused:
            problems.refuse(f"row {number}", refused)
        else:
            yield document


def _rows(source: Source, table: Any, groups: list[RowGroup], wanted: list[str]) -> Iterator[dict[str, object] | None]:
    """Yield the rows one by one, None for one that is too long."""
    try:
        for number, group in enumerate(groups):
            size = _rows_at_once(source, number, group)
            for batch in table.iter_batches(size, row_groups=[number], columns=wanted, use_threads=False):
                batch.validate(full=True)
                yield from _as_rows(batch)
    except InvalidData:
        raise
    except _FAULTS as error:
        raise _damaged(source, error) from error


def _as_rows(batch: Any) -> Iterator[dict[str, object] | None]:
    """Make objects of rows, all together where they are short."""
    if batch.nbytes <= streams.LONGEST_LINE:
        yield from batch.to_pylist()
        return
    for position in range(len(batch)):
        row = batch.slice(position, 1)
        yield row.to_pylist()[0] if row.nbytes <= streams.LONGEST_LINE else None


def _n_bytes(column: Column) -> int:
    """Return how long a column of a row group is when it is unpacked, but for what its dictionary repeats."""
    return max(column.n_bytes, BYTES_PER_VALUE * column.n_values)


def _check_size(column: Column, n_rows: int) -> None:
    n_bytes = _n_bytes(column)
    largest_page = n_bytes * min(1.0, ROWS_PER_PAGE / max(n_rows, 1))
    tight = n_bytes > TIGHTEST * column.n_packed_bytes
    if n_bytes > LARGEST_COLUMN and (tight or largest_page > LARGEST_COLUMN):
        raise Refused(
            f"a column must take at most {LARGEST_COLUMN:,} bytes per row group; {column.path[0]!r} takes "
            f"{n_bytes:,}. Hint: write the file with smaller row groups."
        )


def _rows_at_once(source: Source, number: int, group: RowGroup) -> int:
    """Return how many rows of a row group are decoded together: as many as take up so many bytes, if they are alike."""
    longest = 1.0
    for column in group.columns:
        longest = max(longest, _n_bytes(column) / max(group.n_rows, 1))
        if column.n_bytes * ROWS_AT_ONCE > BYTES_AT_ONCE:
            longest = max(longest, _longest_in_dictionary(source, number, column.path))
    return max(1, min(ROWS_AT_ONCE, int(BYTES_AT_ONCE / longest)))


def _longest_in_dictionary(source: Source, number: int, path: tuple[str, ...]) -> int:
    """Return the length of the longest string that rows may repeat, which the footer does not tell."""
    table = pq.ParquetFile(source.file, read_dictionary=[".".join(path)], page_checksum_verification=True)
    for batch in table.iter_batches(1, row_groups=[number], columns=[path[0]], use_threads=False):
        values = batch.column(0)
        while not pa.types.is_dictionary(values.type):
            if not hasattr(values, "values"):
                return 0  # numbers
            values = values.values
        return int(pc.max(pc.binary_length(values.dictionary)).as_py() or 0)
    return 0


def _check_type(name: str, type: Any, fields: Fields) -> None:
    strings = pa.types.is_string(type) or pa.types.is_large_string(type)
    if name == fields.labels:
        lists = pa.types.is_list(type) or pa.types.is_large_list(type)
        if not lists or not (pa.types.is_string(type.value_type) or pa.types.is_large_string(type.value_type)):
            raise Refused(f"column {name!r} must hold lists of strings; got {type}.")
    elif name in (fields.text, fields.id) and not strings and not (name == fields.id and pa.types.is_integer(type)):
        raise Refused(f"column {name!r} must hold strings; got {type}.")


def _damaged(source: Source, error: BaseException) -> InvalidData:
    return InvalidData(f"{source.name} must be a whole parquet file; {' '.join(str(error).split()).rstrip('.')}.")


def writer(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Write the three columns, some rows at a time."""
    return _ParquetWriter(file)


class _ParquetWriter(Writer):
    def __init__(self, file: BinaryIO) -> None:
        self._table = pq.ParquetWriter(file, SCHEMA, compression="zstd", write_page_checksum=True)
        self._rows: list[dict[str, object]] = []
        self._n_written = self._n_characters = 0

    def write(self, document: TextDocument) -> None:
        self._rows.append({"id": document.id, "text": document.text, "labels": document.labels})
        self._n_characters += len(document.text)
        if len(self._rows) == ROWS_PER_GROUP or self._n_characters >= BYTES_AT_ONCE:
            self._write_rows()

    def finish(self) -> None:
        self._write_rows()
        self._table.close()

    def abandon(self) -> None:
        self._table.is_open = False  # else it would try to end the file when it is forgotten

    def _write_rows(self) -> None:
        first = self._n_written + 1
        self._n_written += len(self._rows)
        try:
            self._table.write_batch(pa.RecordBatch.from_pylist(self._rows, schema=SCHEMA))
        except UnicodeEncodeError:
            raise InvalidData(
                f"One of the documents {first} to {self._n_written} cannot be written: {NOT_UNICODE}"
            ) from None
        self._rows, self._n_characters = [], 0
