"""Corpora of raw texts; test documents are read by a call of their own, once everything is chosen."""

from __future__ import annotations

from dataclasses import dataclass

from setwise.data import TextDocument, find_corpus, open_documents

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
        with open_documents(find_corpus(self.name).folder / f"{part}.jsonl.gz") as documents:
            kept = [one for one in documents if isinstance(one, TextDocument)][:n_documents]
        return TextPart([one.text for one in kept], [list(one.labels or ()) for one in kept])
