"""The words of a text, to be left out one by one."""

from __future__ import annotations

import re
from typing import Any

from setwise.text import TextVectorizer

__all__ = ["text_without", "word_spans"]

_WORD = re.compile(r"\w+")


def word_spans(vectorizer: Any, text: str) -> list[tuple[int, int]]:
    """Return where the words of a text are that its features come from, in order.

    They are the words of the vocabulary; for features of characters, and for vectorizers that do not tell, all words.
    """
    if not isinstance(vectorizer, TextVectorizer) or vectorizer.analyzer != "word":
        return [match.span() for match in _WORD.finditer(text)]
    spans = vectorizer.spans(text)
    words = {
        span for name, where in spans.items() if " " not in name and not name.startswith("char:") for span in where
    }
    return sorted(words)


def text_without(text: str, span: tuple[int, int]) -> str:
    """Return the text with one word deleted."""
    return text[: span[0]] + text[span[1] :]
