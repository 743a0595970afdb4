"""The text vectorizer in the model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.exceptions import InvalidData
from setwise.persistence.container import Tensors, take_array
from setwise.persistence.fields import Fields, plain
from setwise.persistence.string_arrays import pack_strings, unpack_strings
from setwise.text import TextState, TextVectorizer

__all__ = ["text_from", "text_part"]


def text_part(vectorizer: TextVectorizer | None) -> tuple[dict[str, Any] | None, Tensors]:
    """Return parameters, vocabulary and idf; None if there is no vectorizer."""
    if vectorizer is None:
        return None, {}
    state = vectorizer.state()
    parameters = plain(state.parameters, "TextVectorizer")
    arrays = {**pack_strings(state.words, "text.words"), "text.idf": np.asarray(state.idf)}
    return {"parameters": parameters}, arrays


def text_from(fields: Fields | None, tensors: Tensors, n_features: int) -> TextVectorizer | None:
    """Rebuild the vectorizer after checking that it has as many words as the model has features."""
    if fields is None:
        return None
    parameters = fields.take("parameters")
    fields.end()
    if not isinstance(parameters, dict):
        raise InvalidData("text.parameters must be an object.")
    words = unpack_strings(tensors, "text.words")
    if len(words) != n_features:
        raise InvalidData(f"The vectorizer has {len(words)} words but the model has {n_features} features.")
    return TextVectorizer.from_state(TextState(parameters, words, take_array(tensors, "text.idf")))
