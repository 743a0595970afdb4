"""With ``token_rule="sklearn"`` the features are those of scikit-learn's TfidfVectorizer."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from setwise.data import Corpus
from setwise.text import TextVectorizer
from tests.text.parity import assert_parity
from tests.text.strategies import LISTS_OF_TEXTS, STOP_WORDS, ranges

RAW_CORPORA = (
    "brighter_chn",
    "es_codiesp",
    "goemotions",
    "medical_raw",
    "ohsumed_raw",
    "reuters21578",
    "xed_fi",
)
FEW = 1500
"""Documents per corpus in `make test`."""


OPTIONS: Any = st.fixed_dictionaries(
    {},
    optional={
        "strip_accents": st.sampled_from(["unicode", "ascii"]),
        "lowercase": st.booleans(),
        "sublinear_tf": st.booleans(),
        "min_df": st.sampled_from([1, 2, 0.3]),
        "max_df": st.sampled_from([1.0, 0.7, 3]),
        "max_features": st.integers(1, 12),
    },
)


class TestOddTexts:
    @settings(max_examples=400)
    @given(train=LISTS_OF_TEXTS, test=LISTS_OF_TEXTS, lengths=ranges(3), stop_words=STOP_WORDS, options=OPTIONS)
    @pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
    def test_words(
        self, train: list[str], test: list[str], lengths: Any, stop_words: Any, options: dict[str, Any]
    ) -> None:
        assert_parity(train, test, ngram_range=lengths, stop_words=stop_words, **options)

    @settings(max_examples=300)
    @given(train=LISTS_OF_TEXTS, test=LISTS_OF_TEXTS, lengths=ranges(5), options=OPTIONS)
    def test_characters_within_words(
        self, train: list[str], test: list[str], lengths: Any, options: dict[str, Any]
    ) -> None:
        assert_parity(train, test, analyzer="char_wb", ngram_range=lengths, **options)

    @pytest.mark.parametrize("lowercase", [True, False])
    @pytest.mark.parametrize("strip_accents", [None, "unicode", "ascii"])
    def test_every_character(self, lowercase: bool, strip_accents: Any) -> None:
        """Between letters and, as far as that matters, around a capital sigma."""
        form = "x{0}y A{0}\u03a3 {0}\u03a3" if lowercase and strip_accents is None else "x{0}y"
        # Planes 0 and 1, the compatibility ideographs, and samples of the rest, whose characters are all alike.
        starts = [*range(0, 0x20000, 0x1000), 0x20000, 0x2F000, 0x30000, 0x40000, 0xE0000, 0xF0000, 0x10F000]
        texts = [" ".join(form.format(chr(point)) for point in range(one, one + 0x1000)) for one in starts]
        options: dict[str, Any] = {"lowercase": lowercase, "strip_accents": strip_accents}
        # N-grams of nine characters are whole words here, with their punctuation.
        whole_words: dict[str, Any] = {"analyzer": "char_wb", "ngram_range": (9, 9)}
        for more in ({}, whole_words):
            analyze = TfidfVectorizer(**more, **options).build_analyzer()
            ours = TextVectorizer(token_rule="sklearn", min_df=1, **more, **options).fit(texts)
            assert ours.words_ == tuple(sorted({term for text in texts for term in analyze(text)}))

    def test_english_stop_words_and_long_counts(self) -> None:
        texts = ["the fox and the hen " + "fox " * 5000, "a hen"]
        assert_parity(texts, texts, stop_words="english", ngram_range=(1, 2))
        assert_parity(texts, texts, sublinear_tf=False)


class TestCorpora:
    @pytest.mark.parametrize("name", RAW_CORPORA)
    def test_first_documents(self, name: str, corpus: Callable[[str], Corpus]) -> None:
        train, test = (read_texts(corpus(name), part, FEW) for part in ("train", "test"))
        assert_parity(train, test, min_df=2)
        assert_parity(train[:300], test[:300], min_df=2, ngram_range=(1, 2), strip_accents="unicode", max_features=2000)
        assert_parity(train[:150], test[:150], min_df=2, ngram_range=(2, 4), analyzer="char_wb")

    @pytest.mark.slow
    @pytest.mark.parametrize("name", RAW_CORPORA)
    def test_all_documents(self, name: str, corpus: Callable[[str], Corpus]) -> None:
        train, test = (read_texts(corpus(name), part, None) for part in ("train", "test"))
        assert_parity(train, test, min_df=2)
        assert_parity(train, test, min_df=2, ngram_range=(1, 2), strip_accents="ascii", max_features=20_000)
        assert_parity(train[:3000], test[:3000], min_df=3, ngram_range=(2, 5), analyzer="char_wb")


def read_texts(corpus: Corpus, part: str, n_documents: int | None) -> list[str]:
    with gzip.open(corpus.folder / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in islice(lines, n_documents)]
