"""Parquet: columns ``id`` and ``text`` of strings and ``labels`` of lists of strings, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from setwise.data.documents import Names, TextDocument
from setwise.data.formats.fields import Fields, document_of
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.problems import Problems, Refused
from setwise.data.formats.reading import Reading
from setwise.data.formats.streams import Source
from setwise.data.formats.writing import NOT_UNICODE, Writer
from setwise.exceptions import InvalidData

__all__ = ["read", "writer"]

ROWS_AT_ONCE = 1024
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
    except Refused as refused:
        raise InvalidData(f"{source.name}: {refused.reason}") from None
    except _FAULTS as error:
        raise _damaged(source, error) from error
    return Reading(Names(), _documents(source, table, wanted, fields, problems), fields.keeps(columns))


def _documents(
    source: Source, table: Any, wanted: list[str], fields: Fields, problems: Problems
) -> Iterator[TextDocument]:
    number = 0
    for rows in _batches(source, table, wanted):
        for row in rows:
            number += 1
            try:
                document = document_of(row, fields)
            except Refused as refused:
                problems.refuse(f"row {number}", refused)
            else:
                yield document


def _batches(source: Source, table: Any, wanted: list[str]) -> Iterator[list[dict[str, object]]]:
    try:
        for batch in table.iter_batches(batch_size=ROWS_AT_ONCE, columns=wanted, use_threads=False):
            batch.validate(full=True)
            yield batch.to_pylist()
    except InvalidData:
        raise
    except _FAULTS as error:
        raise _damaged(source, error) from error


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
        self._n_written = 0

    def write(self, document: TextDocument) -> None:
        self._rows.append({"id": document.id, "text": document.text, "labels": document.labels})
        if len(self._rows) == ROWS_AT_ONCE:
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
        self._rows = []
