"""The feature sets of texts that validation chooses from."""

from __future__ import annotations

from typing import Any

from setwise._estimator import clone
from setwise.text.vectorizer import TextVectorizer

__all__ = ["candidate_vectorizers", "combined_feature_sets", "feature_set_name"]

_VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"ngram_range": (1, 2)},
    {"char_ngram_range": (3, 5)},
    {"ngram_range": (1, 2), "char_ngram_range": (3, 5)},
)
"""Words; words and pairs of adjacent words; words and the character n-grams within them; all of these."""

_LONG_VARIANTS: tuple[dict[str, Any], ...] = ({"ngram_range": (1, 3)}, {"ngram_range": (1, 4)})
"""Longer runs of words, which set phrases need."""


def candidate_vectorizers(base: TextVectorizer | None = None, *, thorough: bool = False) -> list[TextVectorizer]:
    """Return the vectorizers that validation chooses from, the smallest feature set first.

    Parameters
    ----------
    base : TextVectorizer, optional
        Its other parameters; by default those of ``TextVectorizer()``.
    thorough : bool
        Whether to have runs of up to four words too.

    Returns
    -------
    vectorizers : list of TextVectorizer

    Examples
    --------
    >>> from setwise.text import candidate_vectorizers, feature_set_name
    >>> [feature_set_name(one) for one in candidate_vectorizers()]
    ['words', 'words + bigrams', 'words + character 3-5-grams', 'words + bigrams + character 3-5-grams']
    """
    variants = _VARIANTS + _LONG_VARIANTS if thorough else _VARIANTS
    return [clone(base or TextVectorizer()).set_params(**variant) for variant in variants]


def feature_set_name(vectorizer: Any) -> str:
    """Return a short name of the features of a vectorizer."""
    if not isinstance(vectorizer, TextVectorizer):
        return type(vectorizer).__name__
    first, last = vectorizer.ngram_range
    if vectorizer.analyzer == "char_wb":
        return f"character {_lengths(first, last)}"
    names = {(1, 1): "words", (1, 2): "words + bigrams"}
    name = names.get((first, last), f"word {_lengths(first, last)}")
    if vectorizer.char_ngram_range is not None:
        name += f" + character {_lengths(*vectorizer.char_ngram_range)}"
    return name


def combined_feature_sets(vectorizer: Any) -> tuple[str, ...]:
    """Return the names of the smaller feature sets that the features of a vectorizer extend; often none.

    Examples
    --------
    >>> from setwise.text import TextVectorizer, combined_feature_sets
    >>> combined_feature_sets(TextVectorizer(ngram_range=(1, 2), char_ngram_range=(3, 5)))
    ('words + bigrams', 'words + character 3-5-grams')
    >>> combined_feature_sets(TextVectorizer(ngram_range=(1, 3)))
    ('words + bigrams',)
    """
    if not isinstance(vectorizer, TextVectorizer) or vectorizer.analyzer != "word":
        return ()
    first, last = vectorizer.ngram_range
    parts: list[dict[str, Any]] = []
    if vectorizer.char_ngram_range is not None and last > 1:
        parts = [{"char_ngram_range": None}, {"ngram_range": (1, 1)}]
    elif first == 1 and last > 2:
        parts = [{"ngram_range": (1, last - 1)}]
    return tuple(feature_set_name(clone(vectorizer).set_params(**part)) for part in parts)


def _lengths(first: int, last: int) -> str:
    return f"{first}-grams" if first == last else f"{first}-{last}-grams"
