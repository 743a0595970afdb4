"""Texts as the core reads them: the analyzer that the parameters of a vectorizer describe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from setwise import _core
from setwise.text.characters import CAPITAL_SIGMA, character_table
from setwise.text.inputs import check_strings
from setwise.text.terms import PackedTerms

__all__ = ["analyzer_for", "english_stop_words", "unspaced_share"]

# Vectorizers in use at the same time seldom have more lists of stop words than this.
_STOP_WORD_LISTS = 8


def analyzer_for(parameters: Mapping[str, Any], texts: tuple[str, ...]) -> _core.TextAnalyzer:
    """Return the analyzer of a vectorizer with these parameters, for these texts.

    The texts matter only because a table that few of them need is not built for the others.
    """
    lowercase = bool(parameters["lowercase"])
    sigma = lowercase and _core.some_contain(texts, ord(CAPITAL_SIGMA))
    lengths = tuple(parameters["ngram_range"])
    is_words, beside = parameters["analyzer"] == "word", parameters["char_ngram_range"]
    stop_words = parameters["stop_words"]
    if stop_words is not None:
        words = english_stop_words() if isinstance(stop_words, str) else frozenset(stop_words)
        stop_words = _stop_word_table(words)
    return _core.TextAnalyzer(
        character_table(lowercase, parameters["strip_accents"], sigma),
        parameters["token_rule"] == "unicode",
        lengths if is_words else None,
        (None if beside is None else tuple(beside)) if is_words else lengths,
        stop_words,
    )


def english_stop_words() -> frozenset[str]:
    """Return scikit-learn's list of English stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # late: its package takes long to import

    return frozenset(ENGLISH_STOP_WORDS)


@lru_cache(maxsize=_STOP_WORD_LISTS)
def _stop_word_table(words: frozenset[str]) -> _core.Vocabulary:
    return PackedTerms.of(words).table()


def unspaced_share(texts: Iterable[str]) -> float:
    """Return the share of the letters and digits of texts that belong to scripts without spaces between words.

    These are Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar.

    Parameters
    ----------
    texts : iterable of str
        The texts.

    Returns
    -------
    float
        Between 0 and 1; 0 for texts without letters and digits.

    Examples
    --------
    >>> from setwise.text import unspaced_share
    >>> unspaced_share(["東京 ok"])
    0.5
    """
    unspaced, total = _core.count_scripts(character_table(False, None, False), check_strings(texts))
    return unspaced / total if total else 0.0
