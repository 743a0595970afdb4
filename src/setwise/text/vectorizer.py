"""TF-IDF features, computed by scikit-learn, with a fitted state that is plain data."""

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
from setwise.text.checks import check_idf, check_parameters, check_words, ngram_lengths
from setwise.text.inputs import check_strings

__all__ = ["TextState", "TextVectorizer"]

# The default of min_df: a word of one document says nothing about another.
USUAL_MIN_DF = 2


@dataclass(frozen=True, eq=False)
class TextState:
    """The state of a fitted :class:`TextVectorizer` as plain data.

    Parameters
    ----------
    parameters : dict
        The parameters of the vectorizer, as JSON can store them.
    words : tuple of str
        Words and n-grams, in the order of the columns.
    idf : ndarray of float32
        Inverse document frequency of each word.

    Examples
    --------
    >>> from setwise.text import TextVectorizer
    >>> TextVectorizer().fit(["red fox", "red hen"]).state().words
    ('red',)
    """

    parameters: dict[str, Any]
    words: tuple[str, ...]
    idf: NDArray[np.float32]


class TextVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """TF-IDF features of texts: one row per text, each of unit length, in single precision.

    The value of a word is its term frequency times its inverse document frequency (idf). The term frequency is
    1 + log(count), or the count itself with ``sublinear_tf=False``; the idf is log((1 + n) / (1 + df)) + 1, for a word
    in df of n training texts.

    Parameters
    ----------
    ngram_range : tuple (min_n, max_n), default=(1, 1)
        Lengths of the n-grams; ``(1, 2)`` means single words and pairs of adjacent words.
    sublinear_tf : bool, default=True
        Whether to replace counts by 1 + log(count).
    min_df : int, float or None, default=None
        Ignore words in fewer documents: a number of documents (int) or a fraction of them (float). None is 2, or 1 if
        no word is in two documents.
    max_df : int or float, default=1.0
        Ignore words in more documents: a number of documents (int) or a fraction of them (float).
    max_features : int or None, default=None
        Use only the most frequent words, at most this many.
    stop_words : {"english"}, list of str or None, default=None
        Words to ignore.
    strip_accents : {"unicode", "ascii"} or None, default=None
        Remove accents from all letters, or from those with an ASCII equivalent, which is faster.
    lowercase : bool, default=True
        Whether to convert texts to lower case.

    Attributes
    ----------
    words_ : tuple of str
        Words and n-grams, in the order of the columns.
    idf_ : ndarray of float32, shape (n_features,)
        Inverse document frequency of each word.

    Examples
    --------
    >>> from setwise.text import TextVectorizer
    >>> vectorizer = TextVectorizer(min_df=1)
    >>> X = vectorizer.fit_transform(["red fox", "red hen"])
    >>> X.shape
    (2, 3)
    >>> vectorizer.get_feature_names_out().tolist()
    ['fox', 'hen', 'red']
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
        """Learn the vocabulary and the idf.

        Parameters
        ----------
        texts : iterable of str
            The training texts.
        y : ignored

        Returns
        -------
        self
        """
        self._fit(texts)
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None) -> sp.csr_array:
        """Fit to the texts and return their features, analyzing each text once.

        Parameters
        ----------
        texts : iterable of str
            The training texts.
        y : ignored

        Returns
        -------
        csr_array of float32, shape (n_samples, n_features)
        """
        return sp.csr_array(self._fit(texts))

    def transform(self, texts: Iterable[str]) -> sp.csr_array:
        """Return the features of texts; rows are independent, so texts may come in batches.

        Parameters
        ----------
        texts : iterable of str
            The texts.

        Returns
        -------
        csr_array of float32, shape (n_samples, n_features)
        """
        return self._features(self._analyze(texts))

    def coverage(self, texts: Iterable[str]) -> NDArray[np.float64]:
        """Return the fraction of each text's words that are in the vocabulary; 0 for a text without words.

        Repeated words count each time. Longer n-grams do not count, only those of the length at which ``ngram_range``
        begins.

        Parameters
        ----------
        texts : iterable of str
            The texts.

        Returns
        -------
        ndarray of float64, shape (n_samples,)
        """
        return self.transform_with_coverage(texts)[1]

    def transform_with_coverage(self, texts: Iterable[str]) -> tuple[sp.csr_array, NDArray[np.float64]]:
        """Return the results of :meth:`transform` and :meth:`coverage`, analyzing each text once."""
        check_is_fitted(self)
        coverage: list[float] = []

        def analyzed() -> Iterator[list[str]]:
            for terms in self._analyze(texts):
                coverage.append(self._coverage_of(terms))
                yield terms

        return self._features(analyzed()), np.array(coverage, dtype=np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the word or n-gram of each column, as in scikit-learn.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects, shape (n_features,)
        """
        check_is_fitted(self)
        return np.asarray(self.words_, dtype=object)

    def state(self) -> TextState:
        """Return the parameters, words and idf as plain data."""
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        parameters["ngram_range"] = list(self.ngram_range)
        if not isinstance(self.stop_words, str | None):
            parameters["stop_words"] = sorted(self.stop_words)
        return TextState(parameters, self.words_, self.idf_)

    @classmethod
    def from_state(cls, state: TextState) -> TextVectorizer:
        """Return a fitted vectorizer from the result of :meth:`state`."""
        expected = sorted(cls._get_param_names())
        if sorted(state.parameters) != expected:
            raise InvalidData(f"parameters must be {expected}; got {sorted(state.parameters)}.")
        check_parameters(state.parameters)
        first, last = state.parameters["ngram_range"]
        vectorizer = cls(**{**state.parameters, "ngram_range": (first, last)})
        check_words(state.words, (first, last))
        check_idf(state.idf, len(state.words))
        vectorizer._set_fitted(state.words, state.idf)
        return vectorizer

    def _analyze(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Return an iterator over the words and n-grams of each text, in their order."""
        check_is_fitted(self)
        return map(self._analyzer.build_analyzer(), check_strings(texts))

    def _features(self, analyzed: Iterator[list[str]]) -> sp.csr_array:
        first = next(analyzed, None)
        if first is None:
            return sp.csr_array((0, len(self.words_)), dtype=np.float32)
        return sp.csr_array(self._tfidf.transform(chain([first], analyzed)))

    def _coverage_of(self, terms: list[str]) -> float:
        """Return the fraction of a text's words that are in the vocabulary."""
        shortest, longest = self.ngram_range
        words = terms
        if longest > 1:
            words = [term for term in terms if term.count(" ") == shortest - 1]
        vocabulary = self._tfidf.vocabulary_
        return sum(map(vocabulary.__contains__, words)) / len(words) if words else 0.0

    def _fit(self, texts: Iterable[str]) -> Any:
        check_parameters(self.get_params(deep=False))
        checked = list(check_strings(texts))
        if not checked:
            raise InvalidData("texts must contain at least one text; got none.")
        for min_df in (USUAL_MIN_DF, 1) if self.min_df is None else (self.min_df,):
            with suppress(ValueError):  # scikit-learn's error for an empty vocabulary
                return self._fit_vocabulary(checked, min_df)
        raise InvalidData(
            f"No word of two letters or more is left in {len(checked)} texts. "
            f"Hint: lower min_df, raise max_df, or use fewer stop_words."
        )

    def _fit_vocabulary(self, texts: list[str], min_df: int | float) -> Any:
        vectorizer = self._new_tfidf(
            tuple(self.ngram_range), min_df=min_df, max_df=self.max_df, max_features=self.max_features
        )
        X = vectorizer.fit_transform(texts)
        self._set_fitted(tuple(map(str, vectorizer.get_feature_names_out())), vectorizer.idf_)
        return X

    def _set_fitted(self, words: tuple[str, ...], idf: NDArray[np.float32]) -> None:
        """Set the fitted attributes: words_, idf_, _analyzer and _tfidf."""
        self.words_, self.idf_ = words, idf
        shortest, _ = self.ngram_range  # the n-grams that coverage counts
        _, longest = ngram_lengths(words)  # longer n-grams are not in the vocabulary
        self._analyzer = self._new_tfidf((shortest, longest))
        self._tfidf = TfidfVectorizer(
            analyzer=_identity,
            sublinear_tf=self.sublinear_tf,
            dtype=np.float32,
            vocabulary={word: column for column, word in enumerate(words)},
        )
        self._tfidf.idf_ = idf

    def _new_tfidf(self, ngram_range: tuple[int, ...], **options: Any) -> TfidfVectorizer:
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


def _identity(terms: list[str]) -> list[str]:
    """Return the terms of a text that is analyzed already; a named function, so that it can be pickled."""
    return terms
