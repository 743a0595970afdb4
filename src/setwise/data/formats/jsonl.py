"""JSON lines: one object per line, ``{"id": "7", "text": "...", "labels": ["a", "b"]}``; empty lines are ignored."""

from __future__ import annotations

from functools import partial
from typing import BinaryIO

import orjson

from setwise.data.documents import Names, TextDocument
from setwise.data.formats.errors import DocumentError, Problems, preview
from setwise.data.formats.fields import FieldNames, document_from_record
from setwise.data.formats.format import NOT_UNICODE, Format, LineWriter, Reading, Writer, read_lines
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.streams import BOM, Lines, Source, decode_line

__all__ = ["JSONL"]


def _read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    fields = FieldNames.from_options(options)
    # A line end is whitespace to JSON, so it need not be cut off.
    documents = read_lines(Lines(source), partial(_parse, fields), problems, with_ends=True)
    return Reading(Names(), documents, None if fields.extra == "all" else fields.extra)


def _write(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    return LineWriter(file, _Encoder())


def _recognize(start: bytes, options: ReadOptions) -> bool:
    return start.removeprefix(BOM).lstrip().startswith(b"{")


def _parse(fields: FieldNames, line: bytes) -> TextDocument | None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        text = decode_line(line)  # what is not UTF-8 has a message of its own
        if not text.strip():
            return None
        record = _loads(text.removesuffix("\n").removesuffix("\r"))
    if not isinstance(record, dict):
        raise DocumentError(f"a line must be a JSON object; got {preview(record)}.")
    return document_from_record(record, fields)


def _loads(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise DocumentError(f"a line must be JSON; {error.msg}.", error.colno) from None


class _Encoder:
    def header(self, first: TextDocument) -> bytes:
        return b""

    def encode(self, document: TextDocument) -> bytes:
        record: dict[str, object] = {} if document.id is None else {"id": document.id}
        record["text"] = document.text
        if document.labels is not None:
            record["labels"] = document.labels
        try:
            return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
        except orjson.JSONEncodeError:  # the only way that strings can fail
            raise DocumentError(NOT_UNICODE) from None


JSONL = Format(
    "jsonl",
    "texts, one JSON object per line",
    "text",
    _read,
    _write,
    suffixes=(".jsonl", ".ndjson"),
    options=("text", "labels", "id", "extra_columns"),
    recognize=_recognize,
    stores_ids=True,
)
