"""Detection of compression and encoding from the first bytes of a file."""

from __future__ import annotations

import re

__all__ = ["GZIP_MAGIC", "describe_non_text", "likely_encoding", "wide_encoding"]

GZIP_MAGIC = b"\x1f\x8b"
# First bytes of files that are not plain text, with what to tell the user.
_NON_TEXT_FILES = (
    (GZIP_MAGIC, "gzip-compressed. Decompress it or add .gz to its name"),
    (rb"BZh[1-9]1AY&SY", "bzip2-compressed. Decompress it first"),
    (rb"\xfd7zXZ\x00", "xz-compressed. Decompress it first"),
    (rb"\x28\xb5\x2f\xfd", "zstd-compressed. Decompress it first"),
    (rb"PK\x03\x04", "a zip archive or an Excel file. Extract it, or save it as CSV"),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel file. Save it as CSV"),
    (rb"PAR1\x15", "a parquet file. Use `--from parquet`"),
)
# Byte order marks, then the zeros of two ASCII characters; the longer patterns of UTF-32 are tried first.
_WIDE_ENCODINGS = (
    (rb"\xff\xfe\x00\x00|\x00\x00\xfe\xff", "utf-32"),
    (rb"\xff\xfe|\xfe\xff", "utf-16"),
    (rb"[\x01-\x7f]\x00\x00\x00[\x01-\x7f]\x00\x00\x00", "utf-32-le"),
    (rb"\x00\x00\x00[\x01-\x7f]\x00\x00\x00[\x01-\x7f]", "utf-32-be"),
    (rb"[\x01-\x7f]\x00[\x01-\x7f]\x00", "utf-16-le"),
    (rb"\x00[\x01-\x7f]\x00[\x01-\x7f]", "utf-16-be"),
)


def describe_non_text(start: bytes) -> str | None:
    """Return what a file that begins with ``start`` is, and what to do about it; None if it may be text."""
    return next((what for pattern, what in _NON_TEXT_FILES if re.match(pattern, start)), None)


def wide_encoding(start: bytes) -> str | None:
    """Return the UTF-16 or UTF-32 encoding of a file that begins with ``start``; None if it has neither."""
    return next((encoding for pattern, encoding in _WIDE_ENCODINGS if re.match(pattern, start)), None)


def likely_encoding(line: bytes) -> str | None:
    """Return the likely encoding of a line that is not UTF-8, or None if none is likely."""
    encoding = "cp1252" if re.search(rb"[\x80-\x9f]", line) else "latin-1"
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError:
        return None
    return encoding if all(character.isprintable() or character.isspace() for character in text) else None
