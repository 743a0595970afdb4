"""JSON lines: an object a line, ``{"id": "7", "text": "...", "labels": ["a", "b"]}``; empty lines do not count."""

from __future__ import annotations

from typing import BinaryIO

import orjson

from setwise.data.documents import Names, TextDocument
from setwise.data.formats.errors import Problems, Refused, shown
from setwise.data.formats.fields import Fields, document_of
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.reading import Reading, line_by_line
from setwise.data.formats.streams import Lines, Source, decoded
from setwise.data.formats.writing import NOT_UNICODE, LineWriter, Writer

__all__ = ["read", "writer"]


def read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    """Read one object a line."""
    fields = Fields.of(options)
    documents = line_by_line(Lines(source), lambda line: _parse(line, fields), problems)
    return Reading(Names(), documents, None if fields.keep == "all" else fields.keep)


def writer(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Write one object a line."""
    return LineWriter(file, _Encoder())


def _parse(line: bytes, fields: Fields) -> TextDocument | None:
    text = decoded(line)
    if not text.strip():
        return None
    try:
        record = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Refused(f"a line must be JSON; {error.msg}.", error.colno) from None
    if not isinstance(record, dict):
        raise Refused(f"a line must be a JSON object; got {shown(record)}.")
    return document_of(record, fields)


class _Encoder:
    def head(self, first: TextDocument) -> bytes:
        return b""

    def encode(self, document: TextDocument) -> bytes:
        record: dict[str, object] = {} if document.id is None else {"id": document.id}
        record["text"] = document.text
        if document.labels is not None:
            record["labels"] = document.labels
        try:
            return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
        except orjson.JSONEncodeError:  # strings can have no other fault
            raise Refused(NOT_UNICODE) from None
