"""The token rule "unicode", its ranges in the text and its coverage, against an oracle; scripts without spaces."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer

from setwise.exceptions import InvalidData
from setwise.text import TextVectorizer, unspaced_share
from tests.oracles.tokens import Term, char_terms, is_unspaced, joined, pieces, prepared, units, word_terms
from tests.text.strategies import LISTS_OF_TEXTS, STOP_WORDS, ranges

OPTIONS: Any = st.fixed_dictionaries(
    {"lowercase": st.booleans(), "strip_accents": st.sampled_from([None, "unicode", "ascii"])}
)
RULES = st.sampled_from(["unicode", "sklearn"])


def assert_equals_oracle(texts: list[str], terms: list[list[Term]], ours: TextVectorizer) -> None:
    """Compare vocabulary, features and ranges with the terms of each text."""
    names = [[name for name, _, _ in one] for one in terms]
    if not any(names):
        with pytest.raises(InvalidData, match="is left"):
            ours.fit(texts)
        return
    theirs = TfidfVectorizer(analyzer=lambda one: one, sublinear_tf=True, dtype=np.float32)
    expected = theirs.fit_transform(names)
    expected.sort_indices()
    found = ours.fit_transform(texts)
    assert ours.words_ == tuple(theirs.get_feature_names_out())
    assert_array_equal(found.indices, expected.indices)
    assert_allclose(found.toarray(), expected.toarray(), atol=1e-6)
    assert_array_equal(ours.transform(texts).toarray(), found.toarray())
    for text, one in zip(texts, terms, strict=True):
        spans = ours.spans(text)
        ranges_of: dict[str, list[tuple[int, int]]] = {}
        columns = {name: column for column, name in enumerate(ours.words_)}
        for name, begin, end in sorted(one, key=lambda term: (term[1], term[2], columns[term[0]])):
            ranges_of.setdefault(name, []).append((begin, end))
        assert list(spans.items()) == list(ranges_of.items())


class TestAgainstTheOracle:
    @settings(max_examples=400)
    @given(texts=LISTS_OF_TEXTS, lengths=ranges(3), stop_words=STOP_WORDS, options=OPTIONS)
    def test_words(self, texts: list[str], lengths: Any, stop_words: Any, options: dict[str, Any]) -> None:
        terms = [word_terms(prepared(text, **options), lengths, set(stop_words or ())) for text in texts]
        assert_equals_oracle(texts, terms, TextVectorizer(lengths, min_df=1, stop_words=stop_words, **options))

    @settings(max_examples=300)
    @given(texts=LISTS_OF_TEXTS, lengths=ranges(4), rule=RULES, options=OPTIONS)
    def test_characters_within_words(self, texts: list[str], lengths: Any, rule: Any, options: dict[str, Any]) -> None:
        terms = [char_terms(prepared(text, **options), lengths, rule) for text in texts]
        ours = TextVectorizer(lengths, analyzer="char_wb", token_rule=rule, min_df=1, **options)
        assert_equals_oracle(texts, terms, ours)

    @settings(max_examples=150)
    @given(train=LISTS_OF_TEXTS, test=LISTS_OF_TEXTS)
    def test_coverage_counts_words_and_single_units(self, train: list[str], test: list[str]) -> None:
        ours = TextVectorizer((1, 2), min_df=1)
        try:
            known = set(ours.fit(train).words_)
        except InvalidData:
            return
        expected = []
        for text in test:
            counts = Counter(name for name, _, _ in counted(text))
            total = sum(counts.values())
            expected.append(sum(n for name, n in counts.items() if name in known) / total if total else 0.0)
        assert_allclose(ours.coverage(test), expected)


def counted(text: str) -> list[Term]:
    """Return words and single units, the terms that coverage is about."""
    found: list[Term] = []
    for is_run, piece in pieces(prepared(text, True, None)):
        if is_run:
            found += map(joined, units(piece))
        elif len(piece) >= 2:
            found.append(joined(piece))
    return found


class TestScripts:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("हिन्दी भाषा", {"हिन्दी", "भाषा"}),  # marks stay in their words
            ("naïve café", {"naïve", "café"}),
            ("東京都", {"東", "京", "都", "東京", "京都"}),
            ("a東b", {"東"}),
            ("ab東cd", {"ab", "東", "cd"}),
            ("กำ ดี", {"ก", "ำ", "กำ", "ดี"}),
            ("カタ時々", {"カ", "タ", "時", "々", "カタ", "タ時", "時々"}),
            ("x_1 y", {"x_1"}),
        ],
    )
    def test_words_of_a_text(self, text: str, words: set[str]) -> None:
        assert set(TextVectorizer(min_df=1).fit([text]).words_) == words

    def test_ngrams_see_pairs_and_lone_units(self) -> None:
        assert TextVectorizer((2, 2), min_df=1).fit(["big 東京都 猫 dog"]).words_ == (
            "big 東京",
            "京都 猫",
            "東京 京都",
            "猫 dog",
        )

    def test_latin_texts_are_cut_as_by_scikit_learn(self) -> None:
        texts = ["The café's 2 o'clock_tea (größer) x1 É", "naïve — façade"]
        same = [TextVectorizer(min_df=1, token_rule=rule).fit(texts).words_ for rule in ("unicode", "sklearn")]
        assert same[0] == same[1]

    def test_share_of_unspaced_scripts(self) -> None:
        texts = ["東京 ab, ไทย", "", "!", "ｶﾅ _1"]
        letters = [character for text in texts for character in text if character == "_" or character.isalnum()]
        assert unspaced_share(texts) == sum(map(is_unspaced, letters)) / len(letters)
        assert unspaced_share([]) == unspaced_share(["?"]) == 0.0
        assert unspaced_share(["漢字"]) == 1.0
        with pytest.raises(InvalidData, match="list of strings"):
            unspaced_share("漢字")
