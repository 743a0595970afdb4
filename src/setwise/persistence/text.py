"""The vectorizer of the texts, as a part of the file."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.exceptions import InvalidData
from setwise.persistence.container import Tensors, taken
from setwise.persistence.fields import Fields, plain
from setwise.persistence.string_arrays import packed, unpacked
from setwise.text import TextState, TextVectorizer

__all__ = ["text_from", "text_part"]


def text_part(text: TextVectorizer | None) -> tuple[dict[str, Any] | None, Tensors]:
    """Give parameters, words and idf; None where the classifier was not trained on texts."""
    if text is None:
        return None, {}
    state = text.state()
    parameters = plain(state.parameters, "TextVectorizer")
    return {"parameters": parameters}, {**packed(state.words, "text.words"), "text.idf": np.asarray(state.idf)}


def text_from(fields: Fields | None, tensors: Tensors, n_features: int) -> TextVectorizer | None:
    """Make the vectorizer again, if it gives as many features as the model reads; ask before anything is made."""
    if fields is None:
        return None
    parameters = fields.take("parameters")
    fields.end()
    if not isinstance(parameters, dict):
        raise InvalidData("text.parameters must be an object; it is none")
    words = unpacked(taken(tensors, "text.words.bytes"), taken(tensors, "text.words.ends"), "text.words")
    if len(words) != n_features:
        raise InvalidData(f"text.words must be the {n_features} features of the model; got {len(words)}")
    return TextVectorizer.from_state(TextState(parameters, words, taken(tensors, "text.idf")))
