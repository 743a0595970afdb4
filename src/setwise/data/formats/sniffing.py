"""What the first bytes of a file tell: its compression, its encoding, its format, its delimiter."""

from __future__ import annotations

import csv
import re

from setwise.data.formats.options import ReadOptions

__all__ = ["GZIP", "RECOGNISED", "delimiter_in", "encoding_hint", "format_name_of", "not_utf_8", "what_else"]

GZIP = b"\x1f\x8b"
# First bytes of files that are no text, and what to say of them.
_OTHER_FILES = (
    (GZIP, "gzip-compressed; unpack it or let its name end in .gz"),
    (rb"BZh[1-9]1AY&SY", "bzip2-compressed; unpack it first"),
    (rb"\xfd7zXZ\x00", "xz-compressed; unpack it first"),
    (rb"\x28\xb5\x2f\xfd", "zstd-compressed; unpack it first"),
    (rb"PK\x03\x04", "a zip archive or an Excel file; unpack it, or save it as CSV"),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel file; save it as CSV"),
    (rb"PAR1\x15", "a parquet file; use `--from parquet`"),
)
# Byte order marks, and where two ASCII characters have their zeros; the longer patterns of UTF-32 come first.
_WIDE_ENCODINGS = (
    (rb"\xff\xfe\x00\x00|\x00\x00\xfe\xff", "utf-32"),
    (rb"\xff\xfe|\xfe\xff", "utf-16"),
    (rb"[\x01-\x7f]\x00\x00\x00[\x01-\x7f]\x00\x00\x00", "utf-32-le"),
    (rb"\x00\x00\x00[\x01-\x7f]\x00\x00\x00[\x01-\x7f]", "utf-32-be"),
    (rb"[\x01-\x7f]\x00[\x01-\x7f]\x00", "utf-16-le"),
    (rb"\x00[\x01-\x7f]\x00[\x01-\x7f]", "utf-16-be"),
)
RECOGNISED = ("jsonl", "csv", "tsv")
"""The formats that first bytes tell, all of texts."""
_DELIMITERS = (",", "\t", ";", "|")


def what_else(head: bytes) -> str | None:
    """Return what a file that begins with ``head`` is, and what to do, where it is no text at all."""
    return next((what for pattern, what in _OTHER_FILES if re.match(pattern, head)), None)


def not_utf_8(head: bytes) -> str | None:
    """Return the encoding of a file that begins with ``head``, where it can only be UTF-16 or UTF-32."""
    return next((encoding for pattern, encoding in _WIDE_ENCODINGS if re.match(pattern, head)), None)


def encoding_hint(line: bytes) -> str | None:
    """Return the encoding that a line may have which is not UTF-8, or None where nothing is likely."""
    encoding = "cp1252" if re.search(rb"[\x80-\x9f]", line) else "latin-1"
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError:
        return None
    return encoding if all(character.isprintable() or character.isspace() for character in text) else None


def delimiter_in(head: bytes, options: ReadOptions) -> str | None:
    """Return the delimiter of a table that begins with ``head``, where its first line has the field of the text."""
    line = head.decode(errors="replace").removeprefix("\ufeff").lstrip("\r\n").partition("\n")[0].rstrip("\r")
    for delimiter in _DELIMITERS if options.delimiter is None else (options.delimiter,):
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error:
            continue
        if options.text in (cell.strip() for cell in cells):
            return delimiter
    return None


def format_name_of(head: bytes, options: ReadOptions) -> str | None:
    """Return the name of the format of a file that begins with ``head``; None if it is not RECOGNISED."""
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return "jsonl"
    delimiter = delimiter_in(head, options)
    return None if delimiter is None else "tsv" if delimiter == "\t" else "csv"
