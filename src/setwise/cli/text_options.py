"""Options of text vectorization, which become :class:`setwise.text.TextVectorizer` objects to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from setwise.cli.option_groups import option_group

if TYPE_CHECKING:
    from setwise.text import TextVectorizer

__all__ = ["TextFeatures", "with_text_options"]

# Beside words, single characters say little.
SHORTEST_CHAR_NGRAM = 2


def _option(help: str, **more: Any) -> Any:
    return typer.Option(help=help, rich_help_panel="Text vectorization", **more)


_Ngrams = Annotated[
    int | None, _option("Length of the longest n-gram, in words or characters (see --analyzer).", min=1)
]
_Analyzer = Annotated[
    Literal["word", "char_wb"] | None, _option("Whether n-grams consist of words, or of characters within words.")
]
_CharNgrams = Annotated[
    int | None, _option("Use n-grams of characters beside words: from 2 up to this many characters.", min=2)
]
_TokenRule = Annotated[
    Literal["unicode", "sklearn"],
    _option("How texts are cut into words: for all scripts, or exactly as scikit-learn does."),
]
_MinDf = Annotated[float | None, _option("Ignore words in fewer documents: a count, or a share below 1.")]
_MaxDf = Annotated[float, _option("Ignore words in more documents: a share up to 1, or a count above 1.")]
_MaxFeatures = Annotated[int | None, _option("Size of the vocabulary: the most frequent words.", min=1)]
_StopWords = Annotated[Literal["english"] | None, _option("Ignore common English words.")]
_StripAccents = Annotated[
    Literal["unicode", "ascii"] | None,
    _option("Remove accents from all letters, or only from those with an ASCII form (faster)."),
]


@dataclass(frozen=True)
class TextFeatures:
    """How texts become features, as the options say."""

    vectorizer: TextVectorizer
    is_fixed: bool
    """Whether an option says which n-grams to use; otherwise validation chooses."""

    def candidates(self, budget: str) -> TextVectorizer | list[TextVectorizer]:
        """Return the vectorizers to choose from within a budget, or the only one."""
        from setwise.models import FEATURE_BUDGETS, NGRAM_BUDGETS
        from setwise.text import candidate_vectorizers

        if self.is_fixed or budget not in FEATURE_BUDGETS:
            return self.vectorizer
        return candidate_vectorizers(self.vectorizer, thorough=budget in NGRAM_BUDGETS)


def _text_features(
    *,
    ngrams: _Ngrams = None,
    analyzer: _Analyzer = None,
    char_ngrams: _CharNgrams = None,
    token_rule: _TokenRule = "unicode",
    min_df: _MinDf = None,
    max_df: _MaxDf = 1.0,
    max_features: _MaxFeatures = None,
    stop_words: _StopWords = None,
    strip_accents: _StripAccents = None,
) -> TextFeatures:
    """Return how texts become features."""
    from setwise.text import TextVectorizer  # late: `setwise --version` must be fast

    vectorizer = TextVectorizer(
        (1, ngrams or 1),
        analyzer=analyzer or "word",
        char_ngram_range=None if char_ngrams is None else (SHORTEST_CHAR_NGRAM, char_ngrams),
        token_rule=token_rule,
        min_df=None if min_df is None else _count_or_share(min_df),
        max_df=1.0 if max_df == 1.0 else _count_or_share(max_df),
        max_features=max_features,
        stop_words=stop_words,
        strip_accents=strip_accents,
    )
    is_fixed = any(option is not None for option in (ngrams, analyzer, char_ngrams))
    return TextFeatures(vectorizer, is_fixed)


def _count_or_share(value: float) -> int | float:
    """Return whole numbers from 1 as a count of documents, and other numbers as a share."""
    return int(value) if value >= 1.0 and value == int(value) else value


with_text_options = option_group(_text_features, "text_features")
"""Decorator that adds these options to a command, which receives ``TextFeatures`` as ``text_features``."""
