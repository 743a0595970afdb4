"""Options of how text becomes features, in one place."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from setwise.cli.option_groups import taking

__all__ = ["takes_word_options"]


def _option(help: str, **more: Any) -> Any:
    return typer.Option(help=help, rich_help_panel="How text becomes features", **more)


_Ngrams = Annotated[int, _option("Longest n-gram, in words.", min=1)]
_MinDf = Annotated[float | None, _option("Ignore words in fewer documents than this: a number, or a share below 1.")]
_MaxDf = Annotated[float, _option("Ignore words in more documents than this: a share, or a number above 1.")]
_MaxFeatures = Annotated[int | None, _option("Largest vocabulary; the most frequent words are kept.", min=1)]
_StopWords = Annotated[Literal["english"] | None, _option("Ignore common English words.")]
_Accents = Annotated[
    Literal["unicode", "ascii"] | None,
    _option("Remove accents: from all letters, or from those that ASCII can write (faster)."),
]


def _options(
    *,
    ngrams: _Ngrams = 1,
    min_df: _MinDf = None,
    max_df: _MaxDf = 1.0,
    max_features: _MaxFeatures = None,
    stop_words: _StopWords = None,
    strip_accents: _Accents = None,
) -> Any:
    from setwise.text import TextVectorizer  # here, so that `setwise --version` need not wait for scikit-learn

    return TextVectorizer(
        (1, ngrams),
        min_df=None if min_df is None else _count_or_share(min_df),
        max_df=1.0 if max_df == 1.0 else _count_or_share(max_df),
        max_features=max_features,
        stop_words=stop_words,
        strip_accents=strip_accents,
    )


def _count_or_share(value: float) -> int | float:
    """Read 2 as two documents and 0.5 as half of them."""
    return int(value) if value >= 1.0 and value == int(value) else value


takes_word_options = taking(_options, "words")
"""Gives a command the options of words; it gets them together, as a vectorizer in its argument ``words``."""
