"""TF-IDF on scikit-learn's vectorizer: what it learns is a list of words and a number for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from setwise.exceptions import InvalidData
from setwise.labels.forms import is_frame
from setwise.text.checks import check_idf, check_parameters, check_words, lengths_of

__all__ = ["TextState", "TextVectorizer"]

USUAL_MIN_DF = 2
"""A word of one document says nothing about another."""


@dataclass(frozen=True, eq=False)
class TextState:
    """A fitted vectorizer as data: nothing here runs when it is read."""

    parameters: dict[str, Any]
    words: tuple[str, ...]
    """Words and n-grams in the order of the columns."""
    idf: NDArray[np.float32]


class TextVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns texts into rows of TF-IDF, each of unit length, in single precision.

    The value of a word is (1 + log of how often the text has it), or with ``sublinear_tf=False`` that number itself,
    times its idf, log((1 + n) / (1 + its documents)) + 1, with n training texts.

    ``ngram_range=(1, 2)`` takes pairs of neighbouring words beside single ones. ``min_df`` and ``max_df`` leave out
    words of too few or too many documents: whole numbers count documents, fractions are shares of them. ``min_df=None``
    is two documents, or one where no word is in two. ``max_features`` keeps the most frequent words alone.
    ``stop_words`` are left out: None, ``"english"`` or a list. ``strip_accents`` is None, ``"unicode"`` or ``"ascii"``.

    After ``fit``: ``words_`` (in the order of the columns) and ``idf_``.
    """

    words_: tuple[str, ...]
    idf_: NDArray[np.float32]

    def __init__(
        self,
        ngram_range: tuple[int, int] = (1, 1),
        *,
        sublinear_tf: bool = True,
        min_df: int | float | None = None,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        stop_words: Literal["english"] | Sequence[str] | None = None,
        strip_accents: Literal["unicode", "ascii"] | None = None,
        lowercase: bool = True,
    ) -> None:
        self.ngram_range = ngram_range
        self.sublinear_tf = sublinear_tf
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.stop_words = stop_words
        self.strip_accents = strip_accents
        self.lowercase = lowercase

    def fit(self, texts: Iterable[str], y: Any = None) -> TextVectorizer:
        """Collect the words of the texts and count their documents; ``y`` is not read."""
        self._fit(texts)
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None) -> sp.csr_array:
        """Fit to the texts and transform them, reading each once."""
        return sp.csr_array(self._fit(texts))

    def transform(self, texts: Iterable[str]) -> sp.csr_array:
        """Give a row for each text. Rows do not depend on one another: texts may come batch by batch."""
        return self._rows(self._analysed(texts))

    def coverage(self, texts: Iterable[str]) -> NDArray[np.float64]:
        """Return the share of each text's words that are in the vocabulary; 0 for a text without words.

        Words are counted as often as they stand in the text; n-grams are not counted, unless ``ngram_range`` begins
        above 1: then the shortest n-grams are.
        """
        return self.transform_with_coverage(texts)[1]

    def transform_with_coverage(self, texts: Iterable[str]) -> tuple[sp.csr_array, NDArray[np.float64]]:
        """Return what :meth:`transform` and :meth:`coverage` return, analysing each text once."""
        check_is_fitted(self)
        shares: list[float] = []

        def passing() -> Iterator[list[str]]:
            for features in self._analysed(texts):
                shares.append(self._share(features))
                yield features

        return self._rows(passing()), np.array(shares, dtype=np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Give the word of each column, as scikit-learn's tools ask for it."""
        check_is_fitted(self)
        return np.asarray(self.words_, dtype=object)

    def state(self) -> TextState:
        """Give parameters, words and idf as plain data."""
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        parameters["ngram_range"] = list(self.ngram_range)
        if not isinstance(self.stop_words, str | None):
            parameters["stop_words"] = sorted(self.stop_words)
        return TextState(parameters, self.words_, self.idf_)

    @classmethod
    def from_state(cls, state: TextState) -> TextVectorizer:
        """Make a fitted vectorizer of what :meth:`state` gave."""
        known = sorted(cls._get_param_names())
        if sorted(state.parameters) != known:
            raise InvalidData(f"parameters of the text must be {known}; got {sorted(state.parameters)}.")
        check_parameters(state.parameters)
        first, last = state.parameters["ngram_range"]
        made = cls(**{**state.parameters, "ngram_range": (first, last)})
        check_words(state.words, (first, last))
        check_idf(state.idf, len(state.words))
        made._take(state.words, state.idf)
        return made

    def _analysed(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Yield the words and n-grams of each text, in their order."""
        check_is_fitted(self)
        return map(self._analysis.build_analyzer(), _strings(texts))

    def _rows(self, analysed: Iterator[list[str]]) -> sp.csr_array:
        first = next(analysed, None)
        if first is None:
            return sp.csr_array((0, len(self.words_)), dtype=np.float32)
        return sp.csr_array(self._fitted_vectoriser.transform(chain([first], analysed)))

    def _share(self, features: list[str]) -> float:
        """Return the share of a text's words that are known."""
        shortest, longest = self.ngram_range
        words = features
        if longest > 1:
            words = [feature for feature in features if feature.count(" ") == shortest - 1]
        known = self._fitted_vectoriser.vocabulary_
        return sum(map(known.__contains__, words)) / len(words) if words else 0.0

    def _fit(self, texts: Iterable[str]) -> Any:
        check_parameters(self.get_params(deep=False))
        read = list(_strings(texts))
        if not read:
            raise InvalidData("texts must hold at least one text; got none.")
        for min_df in (USUAL_MIN_DF, 1) if self.min_df is None else (self.min_df,):
            with suppress(ValueError):  # scikit-learn's: no word is left
                return self._learnt(read, min_df)
        raise InvalidData(
            f"texts must keep at least one word of two letters or more; none of {len(read)} texts did. "
            f"Hint: lower min_df, raise max_df, or name fewer stop_words."
        )

    def _learnt(self, texts: list[str], min_df: int | float) -> Any:
        vectorizer = self._vectoriser(
            tuple(self.ngram_range), min_df=min_df, max_df=self.max_df, max_features=self.max_features
        )
        X = vectorizer.fit_transform(texts)
        self._take(tuple(map(str, vectorizer.get_feature_names_out())), vectorizer.idf_)
        return X

    def _take(self, words: tuple[str, ...], idf: NDArray[np.float32]) -> None:
        """Set every fitted attribute; n-grams longer than all words that were kept are not looked for."""
        self.words_, self.idf_ = words, idf
        shortest, _ = self.ngram_range  # what coverage counts
        _, longest = lengths_of(words)
        self._analysis = self._vectoriser((shortest, longest))
        self._fitted_vectoriser = TfidfVectorizer(
            analyzer=_as_it_is,
            sublinear_tf=self.sublinear_tf,
            dtype=np.float32,
            vocabulary={word: column for column, word in enumerate(words)},
        )
        self._fitted_vectoriser.idf_ = idf

    def _vectoriser(self, ngram_range: tuple[int, ...], **options: Any) -> TfidfVectorizer:
        return TfidfVectorizer(
            ngram_range=ngram_range,
            sublinear_tf=self.sublinear_tf,
            stop_words=self.stop_words if isinstance(self.stop_words, str | None) else list(self.stop_words),
            strip_accents=self.strip_accents,
            lowercase=self.lowercase,
            dtype=np.float32,
            **options,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _as_it_is(features: list[str]) -> list[str]:
    """Return the features of a text that is analysed already."""
    return features


def _strings(texts: Any) -> Iterator[str]:
    if is_frame(texts):  # it would give the names of its columns
        if len(texts.columns) != 1:
            raise InvalidData(
                f"texts must be one column; the data frame has {len(texts.columns)}. Hint: select it by its name."
            )
        texts = texts.iloc[:, 0]
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise InvalidData(f"texts must be a list of strings; got a value of type {type(texts).__name__}.")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise InvalidData(f"texts must be strings; got a value of type {type(text).__name__} as text {number}.")
        yield text
