"""Parquet tables: columns ``id`` and ``text`` of strings and ``labels`` of lists of strings, read in batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from setwise.data.documents import Names, TextDocument
from setwise.data.formats import streams
from setwise.data.formats.errors import DocumentError, Problems
from setwise.data.formats.fields import FieldNames, document_from_record
from setwise.data.formats.format import NOT_UNICODE, Reading, Writer
from setwise.data.formats.options import ReadOptions
from setwise.data.formats.parquet_footer import Column, RowGroup, read_footer
from setwise.data.formats.streams import Source
from setwise.exceptions import InvalidData

__all__ = ["ParquetWriter", "read"]

ROW_GROUP_ROWS = 1024  # when writing
MAX_BATCH_ROWS = 256  # when reading
MAX_BATCH_BYTES = 1 << 26
# A column of a row group may be larger only if its pages are of usual size and its compression is possible for text:
# otherwise a small file could fill the memory.
MAX_COLUMN_BYTES = 1 << 28
MIN_PAGE_ROWS = 1024  # Arrow puts at least this many rows in a page, however long they are
MAX_COMPRESSION = 500
BYTES_PER_VALUE = 8
SCHEMA = pa.schema([("id", pa.string()), ("text", pa.string()), ("labels", pa.list_(pa.string()))])
# Raised for damaged files: Arrow's own errors, and Python's for strings that are not UTF-8.
_ARROW_ERRORS = (pa.ArrowException, OSError, ValueError)


def read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    """Read the schema and check the columns; rows are read in batches."""
    fields = FieldNames.from_options(options)
    try:
        if not source.file.seekable():
            raise InvalidData(f"{source.name} is a pipe, and parquet needs random access. Save it to a file first.")
        table = pq.ParquetFile(source.file, page_checksum_verification=True)
        columns = {column.name: column.type for column in table.schema_arrow}
        fields.check_present(columns)
        to_read = fields.to_read(columns)
        for name in to_read:
            _check_type(name, columns[name], fields)
        groups = _row_groups(source, table, to_read)
        for group in groups:
            for column in group.columns:
                _check_size(column, group.n_rows)
    except DocumentError as error:
        raise InvalidData(f"{source.name}: {error.reason}") from None
    except _ARROW_ERRORS as error:
        raise _damaged_file(source, error) from error
    documents = _documents(_rows(source, table, groups, to_read), fields, problems)
    return Reading(Names(), documents, fields.extra_columns(columns))


def _row_groups(source: Source, table: Any, to_read: list[str]) -> list[RowGroup]:
    """Return the row groups with the columns to read."""
    groups = read_footer(source.file)
    if len(groups) != table.num_row_groups:
        raise ValueError(f"its footer has {len(groups)} row groups of {table.num_row_groups}")
    return [
        replace(group, columns=[column for column in group.columns if column.path and column.path[0] in to_read])
        for group in groups
    ]


def _documents(
    rows: Iterator[dict[str, object] | None], fields: FieldNames, problems: Problems
) -> Iterator[TextDocument]:
    for number, row in enumerate(rows, start=1):
        try:
            if row is None:
                raise DocumentError(f"a row must have at most {streams.MAX_LINE_BYTES:,} bytes.")
            document = document_from_record(row, fields)
        except DocumentError as error:
            problems.report(f"row {number}", error)
        else:
            yield document


def _rows(source: Source, table: Any, groups: list[RowGroup], to_read: list[str]) -> Iterator[dict[str, object] | None]:
    """Yield the rows one by one; None stands for a row that is too long."""
    try:
        for number, group in enumerate(groups):
            size = _batch_size(source, number, group)
            for batch in table.iter_batches(size, row_groups=[number], columns=to_read, use_threads=False):
                batch.validate(full=True)
                yield from _batch_rows(batch)
    except InvalidData:
        raise
    except _ARROW_ERRORS as error:
        raise _damaged_file(source, error) from error


def _batch_rows(batch: Any) -> Iterator[dict[str, object] | None]:
    """Convert the rows of a batch to dictionaries, all at once if they are short."""
    if batch.nbytes <= streams.MAX_LINE_BYTES:
        yield from batch.to_pylist()
        return
    for position in range(len(batch)):
        row = batch.slice(position, 1)
        yield row.to_pylist()[0] if row.nbytes <= streams.MAX_LINE_BYTES else None


def _n_bytes(column: Column) -> int:
    """Return the uncompressed size of a column of a row group, not counting repeats of dictionary entries."""
    return max(column.n_bytes, BYTES_PER_VALUE * column.n_values)


def _check_size(column: Column, n_rows: int) -> None:
    n_bytes = _n_bytes(column)
    largest_page = n_bytes * min(1.0, MIN_PAGE_ROWS / max(n_rows, 1))
    implausible = n_bytes > MAX_COMPRESSION * column.n_compressed_bytes
    if n_bytes > MAX_COLUMN_BYTES and (implausible or largest_page > MAX_COLUMN_BYTES):
        raise DocumentError(
            f"column {column.path[0]!r} takes {n_bytes:,} bytes in a row group; the limit is {MAX_COLUMN_BYTES:,}. "
            f"Hint: write the file with smaller row groups."
        )


def _batch_size(source: Source, number: int, group: RowGroup) -> int:
    """Return how many rows of a row group to decode together, so that rows of average length fit the byte limit."""
    longest = 1.0
    for column in group.columns:
        longest = max(longest, _n_bytes(column) / max(group.n_rows, 1))
        if column.n_bytes * MAX_BATCH_ROWS > MAX_BATCH_BYTES:
            longest = max(longest, _longest_in_dictionary(source, number, column.path))
    return max(1, min(MAX_BATCH_ROWS, int(MAX_BATCH_BYTES / longest)))


def _longest_in_dictionary(source: Source, number: int, path: tuple[str, ...]) -> int:
    """Return the length of the longest string in a column's dictionary, which the footer does not contain."""
    table = pq.ParquetFile(source.file, read_dictionary=[".".join(path)], page_checksum_verification=True)
    for batch in table.iter_batches(1, row_groups=[number], columns=[path[0]], use_threads=False):
        values = batch.column(0)
        while not pa.types.is_dictionary(values.type):
            if not hasattr(values, "values"):
                return 0  # numbers
            values = values.values
        return int(pc.max(pc.binary_length(values.dictionary)).as_py() or 0)
    return 0


def _check_type(name: str, type: Any, fields: FieldNames) -> None:
    strings = pa.types.is_string(type) or pa.types.is_large_string(type)
    if name == fields.labels:
        lists = pa.types.is_list(type) or pa.types.is_large_list(type)
        if not lists or not (pa.types.is_string(type.value_type) or pa.types.is_large_string(type.value_type)):
            raise DocumentError(f"column {name!r} must contain lists of strings; got {type}.")
    elif name in (fields.text, fields.id) and not strings and not (name == fields.id and pa.types.is_integer(type)):
        raise DocumentError(f"column {name!r} must contain strings; got {type}.")


def _damaged_file(source: Source, error: BaseException) -> InvalidData:
    return InvalidData(f"{source.name} is not a valid parquet file: {' '.join(str(error).split()).rstrip('.')}.")


class ParquetWriter(Writer):
    """Writes the three columns in row groups."""

    def __init__(self, file: BinaryIO) -> None:
        self._table = pq.ParquetWriter(file, SCHEMA, compression="zstd", write_page_checksum=True)
        self._rows: list[dict[str, object]] = []
        self._n_written = self._n_characters = 0

    def write(self, document: TextDocument) -> None:
        """Add one document to the row group, and write the group if it is full."""
        self._rows.append({"id": document.id, "text": document.text, "labels": document.labels})
        self._n_characters += len(document.text)
        if len(self._rows) == ROW_GROUP_ROWS or self._n_characters >= MAX_BATCH_BYTES:
            self._write_rows()

    def finish(self) -> None:
        """Write the last row group and the footer."""
        self._write_rows()
        self._table.close()

    def abandon(self) -> None:
        """Prevent Arrow from completing the file when the writer is garbage-collected."""
        self._table.is_open = False

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
