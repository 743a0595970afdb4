"""Checks of the parameters and the state of a vectorizer, set by the user or read from a file."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import checked_n_jobs
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.text.terms import PackedTerms

__all__ = ["check_idf", "check_parameters", "check_terms"]

CHOICES = {
    "analyzer": ("word", "char_wb"),
    "token_rule": ("unicode", "sklearn"),
}

# Words or characters per n-gram: more than is useful, and few enough that long texts are analyzed in reasonable time.
MAX_NGRAM_LENGTH = 100

# The idf of a word in one of 2^64 documents.
MAX_IDF = 1.0 + 64.0 * math.log(2.0)


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise ``InvalidParameter`` if a parameter of a vectorizer is invalid."""
    _check_ngram_range(parameters["ngram_range"], "ngram_range")
    for name, choices in CHOICES.items():
        value = parameters[name]
        if not isinstance(value, str) or value not in choices:
            raise InvalidParameter(f"{name} must be {' or '.join(map(repr, choices))}; got {value!r}.")
    if parameters["char_ngram_range"] is not None:
        _check_ngram_range(parameters["char_ngram_range"], "char_ngram_range")
        if parameters["analyzer"] != "word":
            raise InvalidParameter(
                f"char_ngram_range must be None with analyzer={parameters['analyzer']!r}; "
                f"got {parameters['char_ngram_range']!r}. Hint: ngram_range has the lengths of its n-grams."
            )
    for name in ("sublinear_tf", "lowercase"):
        if not isinstance(parameters[name], bool | np.bool_):
            raise InvalidParameter(f"{name} must be True or False; got {parameters[name]!r}.")
    if parameters["min_df"] is not None:
        _check_frequency(parameters["min_df"], "min_df")
    _check_frequency(parameters["max_df"], "max_df")
    if parameters["max_features"] is not None and not _is_integer(parameters["max_features"], 1):
        raise InvalidParameter(
            f"max_features must be None or an integer of at least 1; got {parameters['max_features']!r}."
        )
    if parameters["strip_accents"] not in (None, "unicode", "ascii"):
        raise InvalidParameter(
            f"strip_accents must be None, 'unicode' or 'ascii'; got {parameters['strip_accents']!r}."
        )
    _check_stop_words(parameters["stop_words"])
    checked_n_jobs(parameters["n_jobs"])


def check_terms(terms: PackedTerms, vocabulary: _core.Vocabulary, parameters: Mapping[str, Any]) -> None:
    """Raise ``InvalidData`` unless there are terms, and only such as a vectorizer with these parameters can have."""
    if not len(terms):
        raise InvalidData("The vocabulary must contain at least one term; got none.")
    lengths, beside = parameters["ngram_range"], parameters["char_ngram_range"]
    is_words = parameters["analyzer"] == "word"
    if (not is_words and terms.n_words) or (is_words and beside is None and terms.n_words < len(terms)):
        raise InvalidData(f"n_words must fit the analyzer; got {terms.n_words} words in {len(terms)} terms.")
    shortest, longest = vocabulary.shortest_words, vocabulary.longest_words
    if terms.n_words and (shortest < lengths[0] or longest > lengths[1]):
        raise InvalidData(f"The vocabulary must have n-grams of {lengths} words; got {shortest} to {longest} words.")
    longest_chars = (beside if is_words else lengths)[1] if terms.n_words < len(terms) else 0
    if vocabulary.longest_chars > longest_chars:
        raise InvalidData(
            f"The vocabulary must have n-grams of at most {longest_chars} characters; got {vocabulary.longest_chars}."
        )


def check_idf(idf: Any, n_words: int) -> None:
    """Raise ``InvalidData`` unless there is one float32 idf per word, in the possible range."""
    if not isinstance(idf, np.ndarray) or idf.dtype != np.float32 or idf.shape != (n_words,):
        raise InvalidData(f"idf must be float32 with one value for each of {n_words} words; got {_describe(idf)}.")
    if not bool(((idf >= 1.0) & (idf <= MAX_IDF)).all()):
        raise InvalidData(f"idf must lie in [1, {MAX_IDF:.1f}]; got {idf.min():g} to {idf.max():g}.")


def _describe(array: NDArray[Any]) -> str:
    return f"shape {array.shape} of type {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__


def _is_integer(value: Any, minimum: int) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= minimum


def _check_ngram_range(ngram_range: Any, name: str) -> None:
    pair = list(ngram_range) if isinstance(ngram_range, Collection) and not isinstance(ngram_range, str) else []
    if len(pair) != 2 or not all(_is_integer(n, 1) for n in pair) or not pair[0] <= pair[1] <= MAX_NGRAM_LENGTH:
        raise InvalidParameter(
            f"{name} must be two ascending integers from 1 to {MAX_NGRAM_LENGTH}, such as (1, 2); got {ngram_range!r}."
        )


def _check_frequency(value: Any, name: str) -> None:
    fraction = isinstance(value, float | np.floating) and 0.0 <= value <= 1.0
    if not fraction and not _is_integer(value, 1):
        raise InvalidParameter(
            f"{name} must be a number of documents of at least 1, or a fraction in [0, 1]; got {value!r}."
        )


def _check_stop_words(stop_words: Any) -> None:
    if stop_words is None or (isinstance(stop_words, str) and stop_words == "english"):
        return
    if (
        isinstance(stop_words, str)
        or not isinstance(stop_words, Collection)
        or not all(isinstance(word, str) for word in stop_words)
    ):
        raise InvalidParameter(f"stop_words must be None, 'english' or a list of strings; got {stop_words!r}.")
