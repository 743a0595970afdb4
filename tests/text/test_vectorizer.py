"""The vectorizer as an estimator: batches, state, parameters, coverage, errors."""

from __future__ import annotations

import copy
import doctest
import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.pipeline import make_pipeline

from setwise.classifier import SetClassifier
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.models import BinaryRelevance
from setwise.text import PackedTerms, TextState, TextVectorizer, analysis, terms, vectorizer

TEXTS = [
    "The cat sat on the mat, the very mat of the house",
    "A dog sat in the house",
    "Cats and dogs; the Café closed",
    "The café opens: a cat, a dog",
    "",
]

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "pairs of words": {"ngram_range": (1, 2)},
    "raw counts": {"sublinear_tf": False},
    "min_df and max_df": {"min_df": 2, "max_df": 0.5},
    "every word": {"min_df": 1},
    "few words": {"max_features": 3},
    "english stop words": {"stop_words": "english"},
    "own stop words": {"stop_words": ["cat", "dog"]},
    "no accents": {"strip_accents": "unicode"},
    "cases differ": {"lowercase": False},
    "scikit-learn's tokens": {"token_rule": "sklearn"},
    "n-grams of characters": {"analyzer": "char_wb", "ngram_range": (2, 4), "token_rule": "sklearn"},
}

BESIDE: dict[str, Any] = {"char_ngram_range": (2, 3)}


@pytest.mark.parametrize("setting", SETTINGS)
class TestEverySetting:
    def test_values_equal_those_of_scikit_learn(self, setting: str) -> None:
        parameters = SETTINGS[setting]
        rest = {name: value for name, value in parameters.items() if name != "token_rule"}
        theirs = TfidfVectorizer(**{"sublinear_tf": True, "min_df": 2, **rest})
        expected = theirs.fit_transform(TEXTS)
        ours = TextVectorizer(**parameters)
        X = ours.fit_transform(TEXTS)
        assert ours.words_ == tuple(theirs.get_feature_names_out())
        assert_allclose(X.toarray(), expected.toarray(), atol=1e-6)
        assert X.dtype == np.float32
        lengths = np.linalg.norm(X.toarray(), axis=1)
        assert_allclose(lengths[lengths > 0], 1.0, atol=1e-6)

    def test_batches_give_the_same_bits_as_all_texts_at_once(self, setting: str) -> None:
        ours = TextVectorizer(**SETTINGS[setting])
        whole = ours.fit_transform(TEXTS).toarray()
        assert_array_equal(ours.transform(TEXTS).toarray(), whole)
        assert_array_equal(ours.transform(iter(TEXTS)).toarray(), whole)
        assert_array_equal(np.vstack([ours.transform([text]).toarray() for text in TEXTS]), whole)
        assert ours.transform([]).shape == (0, whole.shape[1])

    def test_a_vectorizer_from_the_state_gives_the_same_bits(self, setting: str) -> None:
        ours = TextVectorizer(**SETTINGS[setting]).fit(TEXTS)
        state = ours.state()
        packed = PackedTerms(state.terms.bytes.copy(), state.terms.ends.copy(), state.terms.n_words)
        again = TextVectorizer.from_state(TextState(json.loads(json.dumps(state.parameters)), packed, state.idf))
        assert again.get_params() == ours.get_params()
        assert again.words_ == ours.words_
        assert_array_equal(again.transform(TEXTS).toarray(), ours.transform(TEXTS).toarray())


class TestVocabulary:
    def test_default_min_df_is_two_unless_that_leaves_no_word(self) -> None:
        assert TextVectorizer().fit(["red fox", "red hen"]).words_ == ("red",)
        assert TextVectorizer().fit(["red fox", "blue hen"]).words_ == ("blue", "fox", "hen", "red")
        assert TextVectorizer().fit(["one text alone"]).words_ == ("alone", "one", "text")

    def test_unknown_words_are_ignored(self) -> None:
        ours = TextVectorizer(min_df=1).fit(["red fox"])
        assert ours.transform(["blue hen"]).nnz == 0
        assert ours.get_feature_names_out().tolist() == ["fox", "red"]


class TestScikitLearnInterface:
    def test_clone_copies_parameters_and_not_the_vocabulary(self) -> None:
        ours = TextVectorizer((1, 3), stop_words=["the"]).fit(TEXTS)
        fresh = clone(ours)
        assert fresh.get_params() == ours.get_params()
        with pytest.raises(NotFittedError):
            fresh.transform(TEXTS)
        with pytest.raises(NotFittedError):
            fresh.state()

    def test_pipeline(self) -> None:
        labels = [["pet"], ["pet"], ["place"], ["pet", "place"], []]
        model = make_pipeline(
            TextVectorizer(), SetClassifier(BinaryRelevance(1e-3), "support", "gfm", calibration=None)
        ).set_params(textvectorizer__min_df=1)
        assert model.fit(TEXTS, labels).predict(["the cat sat"]) == [["pet"]]

    def test_pickle_and_copy_keep_the_fitted_state(self) -> None:
        ours = TextVectorizer(stop_words=["the"], **BESIDE).fit(TEXTS)
        assert ours.words_  # derived attributes must not be in the way
        for again in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
            assert again.words_ == ours.words_
            assert_array_equal(again.transform(TEXTS).toarray(), ours.transform(TEXTS).toarray())

    def test_a_second_fit_replaces_the_first(self) -> None:
        ours = TextVectorizer(min_df=1).fit(["red fox"])
        assert (ours.words_, ours.transform(["red"]).nnz) == (("fox", "red"), 1)
        ours.fit(["blue hen"])
        assert (ours.words_, ours.transform(["red"]).nnz) == (("blue", "hen"), 0)

    def test_feature_names_in_a_pipeline_and_before_fit(self) -> None:
        pipeline = make_pipeline(TextVectorizer(min_df=1), SelectKBest(chi2, k=2))
        pipeline.fit(["red fox", "red hen", "blue hen"], [0, 1, 1])
        names = pipeline[0].get_feature_names_out()
        assert (names.dtype, names.tolist()) == (object, ["blue", "fox", "hen", "red"])
        assert pipeline.get_feature_names_out().tolist() == ["fox", "hen"]
        with pytest.raises(NotFittedError):
            TextVectorizer().get_feature_names_out()


class TestErrors:
    @pytest.mark.parametrize(
        ("texts", "message"),
        [
            ("one string", "list of strings; got a value of type str"),
            (3, "list of strings; got a value of type int"),
            (["fine", None], "type NoneType as text 1"),
            ([b"bytes"], "type bytes as text 0"),
            ([], "at least one text; got none"),
            (["a", "!?"], "No word of two letters or more is left in 2 texts"),
        ],
    )
    def test_texts(self, texts: Any, message: str) -> None:
        with pytest.raises(InvalidData, match=message):
            TextVectorizer().fit(texts)

    def test_no_word_is_left(self) -> None:
        with pytest.raises(InvalidData, match="lower min_df"):
            TextVectorizer(min_df=5).fit(TEXTS)
        with pytest.raises(InvalidData, match="stop_words"):
            TextVectorizer(stop_words="english").fit(["the and of", "the"])

    @pytest.mark.parametrize(
        "parameters",
        [
            {"ngram_range": (2, 1)},
            {"ngram_range": (0, 1)},
            {"ngram_range": (1, 10**9)},
            {"ngram_range": 2},
            {"ngram_range": "12"},
            {"min_df": 0},
            {"min_df": 1.5},
            {"min_df": True},
            {"max_df": float("nan")},
            {"max_df": None},
            {"max_features": 0},
            {"stop_words": "french"},
            {"stop_words": [1]},
            {"strip_accents": "all"},
            {"lowercase": "yes"},
            {"sublinear_tf": 1},
            {"analyzer": "char"},
            {"token_rule": None},
            {"char_ngram_range": (3, 2)},
            {"char_ngram_range": 3},
            {"n_jobs": 0},
        ],
        ids=str,
    )
    def test_parameters(self, parameters: dict[str, Any]) -> None:
        (name,) = parameters
        with pytest.raises(InvalidParameter, match=f"^{name} must"):
            TextVectorizer(**parameters).fit(TEXTS)
        state = TextVectorizer().fit(TEXTS).state()
        with pytest.raises(InvalidData if name == "n_jobs" else InvalidParameter, match=f"^(parameters|{name}) must"):
            TextVectorizer.from_state(replace(state, parameters={**state.parameters, **parameters}))

    def test_character_ngrams_beside_words_need_words(self) -> None:
        with pytest.raises(InvalidParameter, match="^char_ngram_range must be None with analyzer='char_wb'"):
            TextVectorizer(analyzer="char_wb", char_ngram_range=(2, 3)).fit(TEXTS)

    def test_inconsistent_states(self) -> None:
        state = TextVectorizer().fit(TEXTS).state()
        nan = state.idf.copy()
        nan[0] = np.nan
        packed = state.terms
        twice = PackedTerms.of([*packed.strings()[:-1], packed[0]])
        falling = replace(packed, ends=packed.ends[::-1].copy())
        longer = replace(packed, bytes=np.append(packed.bytes, np.uint8(65)))
        latin = replace(packed, bytes=np.where(np.arange(packed.bytes.size) == 1, 0xE9, packed.bytes).astype(np.uint8))
        changes: list[tuple[dict[str, Any], str]] = [
            ({"parameters": {}}, "^parameters must be"),
            ({"terms": PackedTerms.of([])}, "at least one term"),
            ({"terms": twice}, "must all differ"),
            ({"terms": falling}, "must not decrease"),
            ({"terms": longer}, "end where the bytes end"),
            ({"terms": latin}, "must be UTF-8"),
            ({"terms": replace(packed, ends=packed.ends.astype(np.int32))}, "ends of a vocabulary must be"),
            ({"terms": replace(packed, bytes=packed.bytes[None])}, "bytes of a vocabulary must be"),
            ({"terms": replace(packed, n_words=len(packed) - 1)}, "n_words must fit the analyzer"),
            ({"terms": replace(packed, n_words=len(packed) + 1)}, "n_words must be an integer from 0 to"),
            ({"terms": PackedTerms.of(["two words", *packed.strings()[1:]])}, "got 1 to 2 words"),
            ({"idf": state.idf[:-1]}, "for each of"),
            ({"idf": state.idf.astype(np.float64)}, "must be float32"),
            ({"idf": nan}, "lie in"),
            ({"idf": state.idf * 1e9}, "lie in"),
        ]
        for change, message in changes:
            with pytest.raises(InvalidData, match=message):
                TextVectorizer.from_state(replace(state, **change))

    def test_character_ngrams_of_a_state_have_the_lengths_of_the_parameters(self) -> None:
        state = TextVectorizer(analyzer="char_wb", ngram_range=(2, 3)).fit(TEXTS).state()
        changed = {**state.parameters, "ngram_range": [1, 2]}
        with pytest.raises(InvalidData, match="at most 2 characters; got 3"):
            TextVectorizer.from_state(replace(state, parameters=changed))


class TestTwoBlocks:
    def test_words_come_first_and_names_have_a_prefix(self) -> None:
        ours = TextVectorizer(min_df=1, char_ngram_range=(3, 3)).fit(["red fox"])
        assert ours.words_ == ("fox", "red", "char: fo", "char: re", "char:ed ", "char:fox", "char:ox ", "char:red")
        assert ours.get_feature_names_out().tolist() == list(ours.words_)

    def test_each_block_is_that_of_its_own_vectorizer_with_the_same_weight(self) -> None:
        both = TextVectorizer(token_rule="sklearn", **BESIDE)
        X = both.fit_transform(TEXTS).toarray()
        words = TextVectorizer(token_rule="sklearn").fit_transform(TEXTS).toarray()
        chars = TextVectorizer((2, 3), analyzer="char_wb", token_rule="sklearn").fit_transform(TEXTS).toarray()
        expected = np.hstack([words, chars])
        expected /= np.maximum(np.linalg.norm(expected, axis=1, keepdims=True), 1e-30)
        assert_allclose(X, expected, atol=1e-6)
        assert_array_equal(both.transform(TEXTS).toarray(), X)

    def test_a_text_with_one_block_only_has_unit_length(self) -> None:
        ours = TextVectorizer(min_df=1, **BESIDE).fit(["red fox"])
        X = ours.transform(["re xx", "red", ""]).toarray()
        assert_allclose(np.linalg.norm(X, axis=1), [1.0, 1.0, 0.0], atol=1e-6)
        assert X[0, :2].tolist() == [0.0, 0.0]

    def test_the_limit_is_for_both_blocks_together(self) -> None:
        ours = TextVectorizer(min_df=1, max_features=6, **BESIDE).fit(["aa aa aa bb", "aa bb"])
        assert ours.words_ == ("aa", "char: a", "char: aa", "char:a ", "char:aa", "char:aa ")

    def test_coverage_is_that_of_the_words(self) -> None:
        ours = TextVectorizer(min_df=1, **BESIDE).fit(["red fox"])
        assert_allclose(ours.coverage(["red hen", "re fo", "fox"]), [0.5, 0.0, 1.0])

    def test_the_state_has_both_blocks(self) -> None:
        ours = TextVectorizer(**BESIDE).fit(TEXTS)
        again = TextVectorizer.from_state(ours.state())
        assert again.words_ == ours.words_
        assert_array_equal(again.transform(TEXTS).toarray(), ours.transform(TEXTS).toarray())


class TestSpans:
    def test_ranges_are_those_of_the_text_before_any_change(self) -> None:
        ours = TextVectorizer((1, 2), min_df=1, strip_accents="unicode").fit(["office istanbul fox"])
        text = "\u0130stanbul: the o\ufb03ce, OFFICE  Istanbul"
        assert ours.spans(text) == {
            "istanbul": [(0, 8), (28, 36)],
            "office": [(14, 18), (20, 26)],
            "office istanbul": [(20, 36)],
        }

    def test_padding_takes_no_characters(self) -> None:
        ours = TextVectorizer((1, 2), analyzer="char_wb", min_df=1).fit(["ab"])
        assert ours.spans("x ab") == {
            " ": [(0, 0), (1, 1), (2, 2), (4, 4)],
            " a": [(2, 3)],
            "a": [(2, 3)],
            "ab": [(2, 4)],
            "b": [(3, 4)],
            "b ": [(3, 4)],
        }

    def test_one_string_is_expected(self) -> None:
        with pytest.raises(InvalidData, match="type list"):
            TextVectorizer().fit(TEXTS).spans(["a text"])  # type: ignore[arg-type]


class TestThreads:
    @pytest.mark.parametrize("parameters", [{}, {"ngram_range": (1, 2), **BESIDE}, {"max_features": 50}], ids=str)
    def test_any_number_gives_the_same_bits(self, parameters: dict[str, Any]) -> None:
        random = np.random.default_rng(0)
        words = np.array([f"w{i}" if i % 7 else f"\u6f22{i}\u0416" for i in range(3000)])
        texts = [" ".join(words[np.minimum(random.zipf(1.3, 300), 3000) - 1]) for _ in range(400)]
        one = TextVectorizer(n_jobs=1, **parameters)
        two = TextVectorizer(n_jobs=2, **parameters)
        for expected, found in (
            (one.fit_transform(texts), two.fit_transform(texts)),
            (one.transform(texts[::-1]), two.transform(texts[::-1])),
        ):
            assert_array_equal(found.indptr, expected.indptr)
            assert_array_equal(found.indices, expected.indices)
            assert found.data.tobytes() == expected.data.tobytes()
        assert one.words_ == two.words_
        assert one.idf_.tobytes() == two.idf_.tobytes()
        assert one.coverage(texts).tobytes() == two.coverage(texts).tobytes()


class TestCoverage:
    @pytest.fixture
    def fitted(self) -> TextVectorizer:
        return TextVectorizer(min_df=1).fit(["the cat sat", "the dog sat"])

    def test_it_is_the_fraction_of_words_in_the_vocabulary(self, fitted: TextVectorizer) -> None:
        texts = ["The cat sat", "the the yak", "a yak", "", "!", "cat yak dog emu"]
        assert_allclose(fitted.coverage(texts), [1.0, 2 / 3, 0.0, 0.0, 0.0, 0.5])

    def test_pairs_of_words_do_not_count(self) -> None:
        both = TextVectorizer((1, 2), min_df=1).fit(["the cat sat", "the dog sat"])
        assert_allclose(both.coverage(["sat the yak", "cat the"]), [2 / 3, 1.0])

    def test_without_single_words_the_shortest_ngrams_count(self) -> None:
        pairs = TextVectorizer((2, 3), min_df=1).fit(["the cat sat", "the dog sat"])
        assert_allclose(pairs.coverage(["the cat ran", "cat"]), [0.5, 0.0])

    def test_stop_words_do_not_count(self) -> None:
        few = TextVectorizer(min_df=1, stop_words=["the"]).fit(["the cat sat", "the dog sat"])
        assert_allclose(few.coverage(["the cat", "the the"]), [1.0, 0.0])

    def test_features_and_coverage_together_equal_those_alone(self, fitted: TextVectorizer) -> None:
        texts = ["the cat", "yak", "dog yak"]
        X, coverage = fitted.transform_with_coverage(texts)
        assert_array_equal(X.toarray(), fitted.transform(texts).toarray())
        assert_array_equal(coverage, fitted.coverage(texts))

    def test_no_texts_and_wrong_texts(self, fitted: TextVectorizer) -> None:
        assert fitted.coverage([]).shape == (0,)
        with pytest.raises(InvalidData, match="texts must be strings; got a value of type int as text 1"):
            fitted.coverage(["a", 1])  # type: ignore[list-item]


def test_examples_in_docstrings() -> None:
    for module in (vectorizer, terms, analysis):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    "options", [{}, {"ngram_range": (1, 2)}, {"char_ngram_range": (2, 3)}, {"analyzer": "char_wb"}]
)
def test_places_are_the_spans_by_column(options: dict[str, Any]) -> None:
    vectorizer = TextVectorizer(**options).fit(["red fox runs", "red hen", "a blue fox"])
    for text in ("Red fox, dark RED fox runs", "nothing known", ""):
        places, spans = vectorizer.places(text), vectorizer.spans(text)
        by_name = {name: list(places.of(column)) for column, name in enumerate(vectorizer.words_)}
        assert {name: where for name, where in by_name.items() if where} == spans
