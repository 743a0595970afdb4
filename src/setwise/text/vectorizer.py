"""TF-IDF features, computed by the core, with a fitted state that is plain data."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._estimator import BaseEstimator, TransformerMixin, check_is_fitted
from setwise._validation import effective_n_jobs
from setwise.exceptions import InvalidData
from setwise.text.analysis import analyzer_for
from setwise.text.checks import check_idf, check_parameters, check_terms
from setwise.text.inputs import check_strings
from setwise.text.places import TermPlaces
from setwise.text.terms import PackedTerms

__all__ = ["TextState", "TextVectorizer", "transform_with_coverage"]

# The default of min_df: a word of one document says nothing about another.
USUAL_MIN_DF = 2

# Names of character n-grams beside words start with it; no word contains a colon.
CHAR_PREFIX = "char:"

# Logarithms of counts up to this are computed by numpy, as in scikit-learn, and have the same bits.
_LISTED_COUNTS = 4096

_MAX_INT32 = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class TextState:
    """The state of a fitted :class:`setwise.TextVectorizer` as plain data.

    Parameters
    ----------
    parameters : dict
        The parameters of the vectorizer, as JSON can store them. ``n_jobs`` is not one of them: nothing depends on it.
    terms : PackedTerms
        Words and n-grams, in the order of the columns.
    idf : ndarray of float32
        Inverse document frequency of each term.

    Examples
    --------
    >>> from setwise.text import TextVectorizer
    >>> TextVectorizer().fit(["red fox", "red hen"]).state().terms.strings()
    ('red',)
    """

    parameters: dict[str, Any]
    terms: PackedTerms
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
    analyzer : {"word", "char_wb"}, default="word"
        Whether n-grams consist of words, or of characters within words. For n-grams of characters, each word has a
        space before and after it, and a word shorter than the n-gram is one feature as a whole.
    char_ngram_range : tuple (min_n, max_n) or None, default=None
        With ``analyzer="word"``: lengths of n-grams of characters to use beside the words. Their names start with
        ``"char:"``. In a row the words and the n-grams of characters have the same length.
    token_rule : {"unicode", "sklearn"}, default="unicode"
        How texts are cut into words. ``"sklearn"`` does it as scikit-learn's ``TfidfVectorizer``: a word is two or more
        letters, digits or underscores. With ``"unicode"``, combining marks are parts of words too, as Hindi or Arabic
        need it. Where a script has no spaces between words (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar), every
        character with its marks and every pair of adjacent ones is a feature; n-grams of words see the pairs.
        N-grams of characters are taken between whitespace with ``"sklearn"``, and without punctuation with
        ``"unicode"``.
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
        Words to ignore. They do not affect n-grams of characters.
    strip_accents : {"unicode", "ascii"} or None, default=None
        Remove accents from all letters, or all that has no ASCII equivalent.
    lowercase : bool, default=True
        Whether to convert texts to lower case.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use every core. The result does not depend on it.

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

    idf_: NDArray[np.float32]

    def __init__(
        self,
        ngram_range: tuple[int, int] = (1, 1),
        *,
        analyzer: Literal["word", "char_wb"] = "word",
        char_ngram_range: tuple[int, int] | None = None,
        token_rule: Literal["unicode", "sklearn"] = "unicode",
        sublinear_tf: bool = True,
        min_df: int | float | None = None,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        stop_words: Literal["english"] | Sequence[str] | None = None,
        strip_accents: Literal["unicode", "ascii"] | None = None,
        lowercase: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.char_ngram_range = char_ngram_range
        self.token_rule = token_rule
        self.sublinear_tf = sublinear_tf
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.stop_words = stop_words
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.n_jobs = n_jobs

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
        counts, kept = self._fit(texts)
        rows = counts.tfidf(kept, self.idf_, self._frequencies(), effective_n_jobs(self.n_jobs))
        return self._matrix(rows)

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
        return self.transform_with_coverage(texts)[0]

    def coverage(self, texts: Iterable[str]) -> NDArray[np.float64]:
        """Return the fraction of each text's words that are in the vocabulary; 0 for a text without words.

        Repeated words count each time. Longer n-grams do not count, only those of the length at which ``ngram_range``
        begins. Where a script has no spaces, its single characters count, and pairs of them do not.

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
        checked = check_strings(texts)
        rows, coverage = _core.tfidf(
            self._analyzer(checked),
            self._vocabulary,
            self.idf_,
            self._frequencies(),
            checked,
            effective_n_jobs(self.n_jobs),
        )
        return self._matrix(rows), coverage

    def spans(self, text: str) -> dict[str, list[tuple[int, int]]]:
        """Return where the features of one text are in it.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        dict of str to list of tuple (begin, end)
            For each word or n-gram of the vocabulary the ranges ``text[begin:end]`` that it comes from, in order of
            appearance. An n-gram ranges from its first to its last character. The spaces around words in n-grams of
            characters take no characters.

        Examples
        --------
        >>> from setwise.text import TextVectorizer
        >>> TextVectorizer().fit(["red fox", "red hen"]).spans("Red, dark red")
        {'red': [(0, 3), (10, 13)]}
        """
        columns, begins, ends = self._term_spans(text)
        spans: dict[int, list[tuple[int, int]]] = {}
        for column, *span in zip(columns.tolist(), begins.tolist(), ends.tolist(), strict=True):
            spans.setdefault(column, []).append((span[0], span[1]))
        return {self._prefix(column) + self._terms[column]: ranges for column, ranges in spans.items()}

    def places(self, text: str) -> TermPlaces:
        """Return where the features of one text are in it, by column: what :meth:`spans` returns, without the names.

        Parameters
        ----------
        text : str

        Returns
        -------
        places : TermPlaces

        Examples
        --------
        >>> from setwise.text import TextVectorizer
        >>> TextVectorizer().fit(["red fox", "red hen"]).places("Red, dark red").of(0)
        ((0, 3), (10, 13))
        """
        return TermPlaces.of_terms(*self._term_spans(text))

    def _term_spans(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        check_is_fitted(self)
        (checked,) = check_strings([text])
        return _core.term_spans(self._analyzer((checked,)), self._vocabulary, checked)

    @cached_property
    def words_(self) -> tuple[str, ...]:
        """Return words and n-grams in the order of the columns, as strings."""
        check_is_fitted(self)
        return tuple(self._prefix(column) + term for column, term in enumerate(self._terms.strings()))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the word or n-gram of each column, as in scikit-learn.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects, shape (n_features,)
        """
        return np.asarray(self.words_, dtype=object)

    def state(self) -> TextState:
        """Return the parameters, the vocabulary and the idf as plain data."""
        check_is_fitted(self)
        parameters = {name: value for name, value in self.get_params(deep=False).items() if name != "n_jobs"}
        for name in ("ngram_range", "char_ngram_range"):
            if parameters[name] is not None:
                parameters[name] = list(parameters[name])
        if not isinstance(self.stop_words, str | None):
            parameters["stop_words"] = sorted(self.stop_words)
        return TextState(parameters, self._terms, self.idf_)

    @classmethod
    def from_state(cls, state: TextState) -> TextVectorizer:
        """Return a fitted vectorizer from the result of :meth:`state`."""
        expected = sorted(name for name in cls._get_param_names() if name != "n_jobs")
        if sorted(state.parameters) != expected:
            raise InvalidData(f"parameters must be {expected}; got {sorted(state.parameters)}.")
        parameters = {**state.parameters, "n_jobs": None}
        check_parameters(parameters)
        for name in ("ngram_range", "char_ngram_range"):
            if parameters[name] is not None:
                parameters[name] = tuple(parameters[name])
        vectorizer = cls(**parameters)
        vocabulary = state.terms.table()
        check_terms(state.terms, vocabulary, parameters)
        check_idf(state.idf, len(state.terms))
        vectorizer._set_fitted(state.terms, state.idf)
        vectorizer.__dict__["_vocabulary"] = vocabulary
        return vectorizer

    def _fit(self, texts: Iterable[str]) -> tuple[_core.TermCounts, NDArray[np.uint8]]:
        """Set the fitted attributes; return the counted terms, and which of the selected ones are kept."""
        check_parameters(self.get_params(deep=False))
        checked = check_strings(texts)
        if not checked:
            raise InvalidData("texts must contain at least one text; got none.")
        n_texts, n_threads = len(checked), effective_n_jobs(self.n_jobs)
        counts = _core.TermCounts(self._analyzer(checked), checked, n_threads)
        for min_df in (USUAL_MIN_DF, 1) if self.min_df is None else (self.min_df,):
            counts.select(_n_documents(min_df, n_texts), _n_documents(self.max_df, n_texts), n_threads)
            document_frequency = counts.document_frequency()
            if document_frequency.size:
                break
        else:
            raise InvalidData(
                f"No word of two letters or more is left in {n_texts} texts. "
                f"Hint: lower min_df, raise max_df, or use fewer stop_words."
            )
        kept = np.ones(document_frequency.size, dtype=np.uint8)
        if self.max_features is not None and self.max_features < kept.size:
            kept = _most_frequent(counts.totals(), self.max_features)
        terms = PackedTerms(*counts.packed(kept), n_words=int(kept[: counts.n_words].sum()))
        self._set_fitted(terms, _idf(document_frequency[kept.astype(bool)], n_texts))
        return counts, kept

    def _set_fitted(self, terms: PackedTerms, idf: NDArray[np.float32]) -> None:
        """Set the fitted attributes _terms and idf_, and forget what was derived from earlier ones."""
        self._terms, self.idf_ = terms, idf
        for derived in ("words_", "_vocabulary"):
            self.__dict__.pop(derived, None)

    @cached_property
    def _vocabulary(self) -> _core.Vocabulary:
        return self._terms.table()

    def _analyzer(self, texts: tuple[str, ...]) -> _core.TextAnalyzer:
        return analyzer_for(self.get_params(deep=False), texts)

    def _prefix(self, column: int) -> str:
        is_beside_words = self.analyzer == "word" and column >= self._terms.n_words
        return CHAR_PREFIX if is_beside_words else ""

    def _frequencies(self) -> NDArray[np.float32]:
        return _log_frequencies() if self.sublinear_tf else np.empty(0, dtype=np.float32)

    def _matrix(self, rows: tuple[NDArray[Any], ...]) -> sp.csr_array:
        indptr, indices, values = rows
        if indptr[-1] <= _MAX_INT32:  # beside a wider indptr, scipy would copy the indices to its type
            indptr = indptr.astype(np.int32)
        X = sp.csr_array((values, indices, indptr), shape=(len(indptr) - 1, len(self._terms)))
        X.has_canonical_format = True  # columns rise within a row, so nobody needs to look
        return X

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for derived in ("words_", "_vocabulary"):
            state.pop(derived, None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def transform_with_coverage(transformer: Any, documents: Any) -> tuple[Any, NDArray[np.float64] | None]:
    """Return the features of documents, and the share of the known words of each where the transformer knows it."""
    if isinstance(transformer, TextVectorizer):
        return transformer.transform_with_coverage(documents)
    return transformer.transform(documents), None


def _n_documents(frequency: int | float, n_texts: int) -> float:
    """Return a number of documents; a float is a fraction of them."""
    return float(frequency if isinstance(frequency, numbers.Integral) else frequency * n_texts)


def _most_frequent(totals: NDArray[np.int64], limit: int) -> NDArray[np.uint8]:
    """Return a flag for each of the ``limit`` terms with the largest totals.

    scikit-learn has the totals in the type of the features, and sorts them by the same call; so ties are decided alike.
    """
    kept = np.zeros(totals.size, dtype=np.uint8)
    kept[(-totals.astype(np.float32)).argsort()[:limit]] = 1
    return kept


def _idf(document_frequency: NDArray[np.int64], n_texts: int) -> NDArray[np.float32]:
    """Return the idf of terms, with the same bits as scikit-learn's in single precision."""
    idf = np.full(document_frequency.shape, n_texts + 1, dtype=np.float32)
    idf /= document_frequency.astype(np.float32) + np.float32(1.0)
    return np.log(idf) + np.float32(1.0)


@cache
def _log_frequencies() -> NDArray[np.float32]:
    """Return 1 + log(count) for the counts 1, 2, ..."""
    return np.log(np.arange(1, _LISTED_COUNTS + 1, dtype=np.float32)) + np.float32(1.0)
