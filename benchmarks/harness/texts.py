"""Corpora of raw texts; test documents are read by a call of their own, once everything is chosen."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.harness.corpora import read_texts

__all__ = ["LabeledTexts", "TextPart"]


@dataclass(frozen=True)
class TextPart:
    """Texts and their label sets."""

    texts: list[str]
    labels: list[list[str]]


@dataclass(frozen=True)
class LabeledTexts:
    """The training and the test part of a corpus; a part is read when it is requested."""

    name: str

    def read(self, part: str, n_documents: int | None = None) -> TextPart:
        """Read the first documents of a part, or all of them for None."""
        kept = read_texts(self.name, part)[:n_documents]
        return TextPart([one.text for one in kept], [list(one.labels or ()) for one in kept])
