"""Plain text in fastText's format: one document per line, ``__label__a __label__b some words``.

A word that begins with ``__label__`` is a label wherever it occurs; the other words are the text, stripped. A line
cannot contain line ends, so those of a text are written as spaces.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from setwise.data.documents import Names, TextDocument
from setwise.data.formats.errors import DocumentError, Problems, preview
from setwise.data.formats.fields import clean_labels
from setwise.data.formats.format import Format, LineWriter, Reading, Writer, read_lines
from setwise.data.formats.names import WHITESPACE
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.streams import BOM, Lines, Source, decode_line

__all__ = ["TXT"]

PREFIX = "__label__"
_LABEL = re.compile(rf"(?<!\S){PREFIX}(\S*)\s*", re.ASCII)
_ONE_WORD = re.compile(r"\S+", re.ASCII)
_LINE_END = re.compile(r"\r\n|\r|\n")


def _read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    return Reading(Names(), read_lines(Lines(source), _parse, problems))


def _write(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    return LineWriter(file, _Encoder())


def _parse(line: bytes) -> TextDocument:
    """Parse a line; an empty one is a document without text and labels."""
    text = decode_line(line)
    if PREFIX not in text:
        return TextDocument(text.strip(WHITESPACE), ())
    return TextDocument(_LABEL.sub("", text).strip(WHITESPACE), clean_labels(_LABEL.findall(text), PREFIX))


class _Encoder:
    def header(self, first: TextDocument) -> bytes:
        # Readers drop a byte order mark at the start of a file, so a text that begins with one needs a second.
        return BOM if self.encode(first).startswith(BOM) else b""

    def encode(self, document: TextDocument) -> bytes:
        text = _LINE_END.sub(" ", document.text).strip(WHITESPACE)
        if _LABEL.search(text):
            raise DocumentError(f"words of a text must not begin with {PREFIX!r} in this format.")
        labels = [PREFIX + self._one_word(label) for label in document.labels or ()]
        return (" ".join([*labels, text] if text else labels) + "\n").encode()

    @staticmethod
    def _one_word(label: str) -> str:
        if not _ONE_WORD.fullmatch(label):
            raise DocumentError(f"a label must be one word in this format; got {preview(label)}.")
        return label


TXT = Format("txt", "texts, one per line, with labels as in fastText", "text", _read, _write, suffixes=(".txt",))
