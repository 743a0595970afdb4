"""Plain text as fastText reads it: a document a line, ``__label__a __label__b some words``.

A word that begins with ``__label__`` is a label wherever it stands; the rest is the text, without blanks at its ends. A
line can hold no line end, so one in a text is written as a space.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from setwise.data.documents import Names, TextDocument
from setwise.data.formats.errors import Problems, Refused, shown
from setwise.data.formats.fields import clean_labels
from setwise.data.formats.names import BLANKS
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.reading import Reading, line_by_line
from setwise.data.formats.streams import BOM, Lines, Source, decoded
from setwise.data.formats.writing import LineWriter, Writer

__all__ = ["PREFIX", "read", "writer"]

PREFIX = "__label__"
_LABEL = re.compile(rf"(?<!\S){PREFIX}(\S*)\s*", re.ASCII)
_ONE_WORD = re.compile(r"\S+", re.ASCII)
_LINE_END = re.compile(r"\r\n|\r|\n")


def read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    """Read a document a line; an empty line is a document too."""
    return Reading(Names(), line_by_line(Lines(source), _parse, problems))


def writer(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Write a document a line, labels first."""
    return LineWriter(file, _Encoder())


def _parse(line: bytes) -> TextDocument:
    text = decoded(line)
    if PREFIX not in text:
        return TextDocument(text.strip(BLANKS), ())
    return TextDocument(_LABEL.sub("", text).strip(BLANKS), clean_labels(_LABEL.findall(text), PREFIX))


class _Encoder:
    def head(self, first: TextDocument) -> bytes:
        # Readers take a mark at the beginning of a file away, so a text that begins with one needs a second.
        return BOM if self.encode(first).startswith(BOM) else b""

    def encode(self, document: TextDocument) -> bytes:
        text = _LINE_END.sub(" ", document.text).strip(BLANKS)
        if _LABEL.search(text):
            raise Refused(f"no word of a text may begin with {PREFIX!r} in this format.")
        labels = [PREFIX + self._one_word(label) for label in document.labels or ()]
        return (" ".join([*labels, text] if text else labels) + "\n").encode()

    @staticmethod
    def _one_word(label: str) -> str:
        if not _ONE_WORD.fullmatch(label):
            raise Refused(f"a label must be one word in this format; got {shown(label)}.")
        return label
