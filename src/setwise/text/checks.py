"""What a vectorizer accepts, given by its user or read from a file; each refusal is one sentence."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["check_idf", "check_parameters", "check_words", "lengths_of"]

LONGEST_NGRAM = 100
"""Words of an n-gram: beyond any use, and few enough that a long text takes no hours."""

LARGEST_IDF = 1.0 + 64.0 * math.log(2.0)
"""That of a word in one of 2^64 documents."""


def check_parameters(given: Mapping[str, Any]) -> None:
    """Check all parameters of a vectorizer, by name."""
    _check_ngram_range(given["ngram_range"])
    for name in ("sublinear_tf", "lowercase"):
        if not isinstance(given[name], bool | np.bool_):
            raise InvalidParameter(f"{name} must be True or False; got {given[name]!r}.")
    if given["min_df"] is not None:
        _check_frequency(given["min_df"], "min_df")
    _check_frequency(given["max_df"], "max_df")
    if given["max_features"] is not None and not _whole(given["max_features"], 1):
        raise InvalidParameter(f"max_features must be None or a whole number from 1 up; got {given['max_features']!r}.")
    if given["strip_accents"] not in (None, "unicode", "ascii"):
        raise InvalidParameter(f"strip_accents must be None, 'unicode' or 'ascii'; got {given['strip_accents']!r}.")
    _check_stop_words(given["stop_words"])


def lengths_of(words: Sequence[str]) -> tuple[int, int]:
    """Return the fewest and the most words that an n-gram of the vocabulary has."""
    lengths = [word.count(" ") + 1 for word in words]
    return min(lengths), max(lengths)


def check_words(words: Sequence[Any], ngram_range: tuple[int, int]) -> None:
    """Check that there are words, all of them strings that ``ngram_range`` allows, none of them twice."""
    if not words:
        raise InvalidData("the vocabulary must have at least one word; got none.")
    for word in words:
        if not isinstance(word, str):
            raise InvalidData(f"the vocabulary must hold strings; got a value of type {type(word).__name__}.")
    if len(set(words)) != len(words):
        raise InvalidData("the words of the vocabulary must all differ; got one twice.")
    shortest, longest = lengths_of(words)
    if shortest < ngram_range[0] or longest > ngram_range[1]:
        raise InvalidData(f"the vocabulary must have n-grams of {ngram_range}; got {shortest} to {longest} words.")


def check_idf(idf: Any, n_words: int) -> None:
    """Check that there is a possible idf for each word."""
    if not isinstance(idf, np.ndarray) or idf.dtype != np.float32 or idf.shape != (n_words,):
        raise InvalidData(f"idf must have a number in single precision for each of {n_words} words; got {_told(idf)}.")
    if not bool(((idf >= 1.0) & (idf <= LARGEST_IDF)).all()):
        raise InvalidData(f"idf must lie in [1, {LARGEST_IDF:.1f}]; got {idf.min():g} to {idf.max():g}.")


def _told(array: NDArray[Any]) -> str:
    return f"shape {array.shape} of type {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__


def _whole(value: Any, least: int) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= least


def _check_ngram_range(given: Any) -> None:
    pair = list(given) if isinstance(given, Collection) and not isinstance(given, str) else []
    if len(pair) != 2 or not all(_whole(n, 1) for n in pair) or not pair[0] <= pair[1] <= LONGEST_NGRAM:
        raise InvalidParameter(
            f"ngram_range must be two rising whole numbers from 1 to {LONGEST_NGRAM}, such as (1, 2); got {given!r}."
        )


def _check_frequency(value: Any, name: str) -> None:
    share = isinstance(value, float | np.floating) and 0.0 <= value <= 1.0
    if not share and not _whole(value, 1):
        raise InvalidParameter(
            f"{name} must be a whole number of documents from 1 up, or a fraction in [0, 1]; got {value!r}."
        )


def _check_stop_words(given: Any) -> None:
    if given is None or (isinstance(given, str) and given == "english"):
        return
    if isinstance(given, str) or not isinstance(given, Collection) or not all(isinstance(one, str) for one in given):
        raise InvalidParameter(f"stop_words must be None, 'english' or a list of strings; got {given!r}.")
