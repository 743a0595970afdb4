"""The text vectorizer in the model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.exceptions import InvalidData
from setwise.persistence.container import Tensors, take_array
from setwise.persistence.fields import Fields, plain
from setwise.persistence.string_arrays import take_packed
from setwise.text import PackedTerms, TextState, TextVectorizer

__all__ = ["text_from", "text_part"]


def text_part(vectorizer: TextVectorizer | None) -> tuple[dict[str, Any] | None, Tensors]:
    """Return parameters, vocabulary and idf; None if there is no vectorizer."""
    if vectorizer is None:
        return None, {}
    state = vectorizer.state()
    parameters = plain(state.parameters, "TextVectorizer")
    terms = state.terms
    arrays: Tensors = {
        "text.terms.bytes": terms.bytes,
        "text.terms.ends": terms.ends,
        "text.idf": np.asarray(state.idf),
    }
    return {"parameters": parameters, "n_words": terms.n_words}, arrays


def text_from(fields: Fields | None, tensors: Tensors, n_features: int) -> TextVectorizer | None:
    """Rebuild the vectorizer after checking that it has as many terms as the model has features."""
    if fields is None:
        return None
    parameters = fields.take("parameters")
    encoded, ends = take_packed(tensors, "text.terms")
    if len(ends) != n_features:
        raise InvalidData(f"The vectorizer has {len(ends)} terms but the model has {n_features} features.")
    n_words = fields.whole("n_words", 0, n_features)
    fields.end()
    if not isinstance(parameters, dict):
        raise InvalidData("text.parameters must be an object.")
    terms = PackedTerms(encoded, ends, n_words)
    return TextVectorizer.from_state(TextState(parameters, terms, take_array(tensors, "text.idf")))
