"""The choice of features on held-out documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import setwise
from setwise import SetClassifier, TextVectorizer
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.text import candidate_vectorizers, feature_set_name
from setwise.tuning import Part, feature_selection, search, validation


def _ordered_pairs(n: int, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Return texts whose label depends on the order of two words, which words alone do not tell."""
    random = np.random.default_rng(seed)
    fillers = ["red", "green", "blue", "black", "white", "gray"]
    texts, labels = [], []
    for _ in range(n):
        bites = random.random() < 0.5
        middle = "dog bites man" if bites else "man bites dog"
        filler = " ".join(random.choice(fillers, size=2))
        texts.append(f"{filler} {middle} {random.choice(fillers)}")
        labels.append(["accident", "animal"] if bites else ["news"])
    return texts, labels


def test_bigrams_are_chosen_where_the_order_of_words_matters() -> None:
    texts, labels = _ordered_pairs(240)
    classifier = SetClassifier("br", cv=0.3, vectorizer=[TextVectorizer(), TextVectorizer((1, 2))]).fit(texts, labels)
    tuning = classifier.tuning_
    assert tuning is not None
    assert tuning.feature_set == "words + bigrams"
    assert [trial.name for trial in tuning.feature_trials] == ["words", "words + bigrams"]
    words, bigrams = tuning.feature_trials
    assert words.value < 0.9 < bigrams.value
    assert words.n_features < bigrams.n_features
    assert classifier.vectorizer_.ngram_range == (1, 2)
    assert classifier.predict(["a dog bites man", "a man bites dog"]) == [["accident", "animal"], ["news"]]


def test_feature_sets_are_compared_by_folds_where_one_held_out_part_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = _ordered_pairs(120)
    monkeypatch.setattr(validation, "FEW_DOCUMENTS", 100)
    compared: list[int] = []
    search_features = search

    def counted(model: Any, grid: Any, parts: Any, **options: Any) -> Any:
        compared.append(sum(part.y_held.n_samples for part in parts))
        return search_features(model, grid, parts, **options)

    monkeypatch.setattr(feature_selection, "search", counted)
    vectorizers = [TextVectorizer(), TextVectorizer((1, 2))]
    classifier = SetClassifier("br", vectorizer=vectorizers).fit(texts, labels)
    assert compared == [120, 120]
    assert classifier.tuning_ is not None
    assert sum(len(sets.indptr) - 1 for sets in classifier.tuning_.held_out_sets) == 24  # all else has one part
    SetClassifier("br", vectorizer=vectorizers, cv=0.3).fit(texts, labels)
    assert compared[2:] == [36, 36]


def test_words_win_where_nothing_else_is_better() -> None:
    texts = ["red fox", "red hen", "blue fox", "blue hen"] * 15
    labels = [["fox"], ["hen"], ["fox"], ["hen"]] * 15
    classifier = SetClassifier("br", cv=0.3).fit(texts, labels)
    assert classifier.tuning_ is not None
    assert classifier.tuning_.feature_set == "words"
    # Neither bigrams nor characters are a gain, so that the two together are not tried.
    assert [one.name for one in classifier.tuning_.feature_trials] == [
        feature_set_name(one) for one in candidate_vectorizers()[:3]
    ]


def test_features_are_combined_where_each_of_them_is_a_gain() -> None:
    """The order of two words tells one label; an ending that many words share tells the other."""
    random = np.random.default_rng(0)
    letters = list("bcdfgklmnprstvz")
    texts, labels = [], []
    for _ in range(300):
        bites, ends = random.random(2) < 0.5
        word = "".join(random.choice(letters, size=4)) + ("ough" if ends else "eigh")
        texts.append(f"{'dog bites man' if bites else 'man bites dog'} {word}")
        labels.append((["animal"] if bites else ["news"]) + (["rough"] if ends else []))
    vectorizers = candidate_vectorizers(TextVectorizer(min_df=1))
    tuning = SetClassifier("br", cv=0.3, vectorizer=vectorizers, n_jobs=1).fit(texts, labels).tuning_
    assert tuning is not None
    names = [feature_set_name(one) for one in vectorizers]
    assert [one.name for one in tuning.feature_trials] == names
    assert tuning.feature_set == names[-1]


def test_the_vocabulary_is_learnt_from_the_training_part_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every document has a word of its own: the features of a part have none of the held-out ones."""
    texts = [f"common word{i} word{i}" for i in range(40)]
    labels = [["a"] if i % 2 else ["b"] for i in range(40)]
    parts: list[Part] = []
    original = Part.of.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Part, "of", classmethod(lambda cls, *args: parts.append(p := original(cls, *args)) or p))  # type: ignore[func-returns-value]
    SetClassifier("br", cv=0.25, budget="quick", vectorizer=TextVectorizer(min_df=1)).fit(texts, labels)
    (part,) = parts
    assert part.features.n_features == 1 + 30
    assert part.X_held.nnz == 10  # "common" alone


@pytest.mark.parametrize("refit", [True, False])
def test_the_vectorizer_is_that_of_the_model(refit: bool) -> None:
    texts = [f"common word{i} word{i} {'x' if i % 2 else 'y'}{i % 2}" for i in range(40)]
    labels = [["a"] if i % 2 else ["b"] for i in range(40)]
    vectorizer = TextVectorizer(min_df=1)
    classifier = SetClassifier("br", cv=0.25, budget="quick", refit=refit, vectorizer=vectorizer).fit(texts, labels)
    assert classifier.model_.n_features_in_ == classifier.n_features_in_ == len(classifier.vectorizer_.words_)
    assert len(classifier.vectorizer_.words_) == (43 if refit else 33)
    assert classifier.predict(texts[:2]) == labels[:2]


def _counts(n: int = 300) -> tuple[Any, list[list[str]]]:
    """Return counts from 1 to 1000 whose logarithms, and not the counts themselves, tell the label."""
    random = np.random.default_rng(1)
    counts = np.floor(10.0 ** random.uniform(0.0, 3.0, size=(n, 4)))
    is_a = np.log(counts) @ [1.0, 1.0, -1.0, -1.0] > 0.0
    return sp.csr_array(counts), [["a"] if one else ["b"] for one in is_a]


def test_a_weighting_of_counts_is_chosen_saved_and_loaded(tmp_path: Path) -> None:
    X, y = _counts()
    classifier = SetClassifier("br", cv=0.3).fit(X[:200], y[:200])
    tuning = classifier.tuning_
    assert tuning is not None
    assert [trial.name for trial in tuning.feature_trials] == ["as is", "sublinear", "tfidf"]
    assert tuning.feature_set in ("sublinear", "tfidf")
    assert classifier.weighting_ is not None
    assert classifier.weighting_.weighting == tuning.feature_set
    as_is = SetClassifier("br", cv=0.3, weighting=None).fit(X[:200], y[:200])
    assert as_is.weighting_ is None
    assert classifier.score(X[200:], y[200:]) > as_is.score(X[200:], y[200:])
    classifier.save(tmp_path / "counts.setwise")
    loaded = setwise.load(tmp_path / "counts.setwise")
    assert loaded.predict(X[200:]) == classifier.predict(X[200:])
    assert loaded.tuning_ is not None
    assert loaded.tuning_.feature_trials == tuning.feature_trials


def test_features_are_not_compared_where_that_is_not_wanted() -> None:
    X, y = _counts(60)
    for options in ({"budget": "quick"}, {"weighting": None}, {"weighting": "tfidf"}):
        tuning = SetClassifier("br", cv=0.3, **options).fit(X, y).tuning_
        assert tuning is not None
        assert (tuning.feature_set, tuning.feature_trials) == ("", [])
    binary = SetClassifier("br", cv=0.3).fit((X > 0).astype(float), y).tuning_
    assert binary is not None
    assert not binary.feature_trials


def test_errors_say_what_is_wrong() -> None:
    texts, labels = _ordered_pairs(20)
    with pytest.raises(InvalidParameter, match="vectorizer must be"):
        SetClassifier(vectorizer=[]).fit(texts, labels)
    with pytest.raises(InvalidParameter, match="weighting must be"):
        SetClassifier(weighting="log").fit(texts, labels)  # type: ignore[arg-type]
    with pytest.raises(InvalidData, match="validation_data must hold texts where X does"):
        SetClassifier().fit(texts, labels, validation_data=(np.eye(3), [["news"]] * 3))
