"""TF-IDF of texts: equal to scikit-learn's, in batches, with a state that is plain data."""

from __future__ import annotations

import doctest
import json
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
from setwise.text import TextState, TextVectorizer, vectorizer

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
}


@pytest.mark.parametrize("setting", SETTINGS)
class TestEverySetting:
    def test_values_equal_those_of_scikit_learn(self, setting: str) -> None:
        parameters = SETTINGS[setting]
        theirs = TfidfVectorizer(**{"sublinear_tf": True, "min_df": 2, **parameters})
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
        read = TextState(
            json.loads(json.dumps(state.parameters)), tuple(json.loads(json.dumps(state.words))), state.idf
        )
        again = TextVectorizer.from_state(read)
        assert again.get_params() == ours.get_params()
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
        ],
        ids=str,
    )
    def test_parameters(self, parameters: dict[str, Any]) -> None:
        (name,) = parameters
        with pytest.raises(InvalidParameter, match=f"^{name} must"):
            TextVectorizer(**parameters).fit(TEXTS)
        state = TextVectorizer().fit(TEXTS).state()
        with pytest.raises(InvalidParameter, match=f"^{name} must"):
            TextVectorizer.from_state(replace(state, parameters={**state.parameters, **parameters}))

    def test_inconsistent_states(self) -> None:
        state = TextVectorizer().fit(TEXTS).state()
        nan = state.idf.copy()
        nan[0] = np.nan
        changes: list[tuple[dict[str, Any], str]] = [
            ({"parameters": {}}, "^parameters must be"),
            ({"words": ()}, "at least one word"),
            ({"words": (1,)}, "be strings"),
            ({"words": state.words[:-1] + state.words[:1]}, "all differ"),
            ({"idf": state.idf[:-1]}, "for each of"),
            ({"idf": state.idf.astype(np.float64)}, "must be float32"),
            ({"idf": nan}, "lie in"),
            ({"idf": state.idf * 1e9}, "lie in"),
        ]
        for change, message in changes:
            with pytest.raises(InvalidData, match=message):
                TextVectorizer.from_state(replace(state, **change))


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
    assert doctest.testmod(vectorizer).failed == 0
