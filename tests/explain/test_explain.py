"""Explanations of predictions, against recomputation: change the set or the text, and predict again."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import scipy.special

from setwise import SetClassifier
from setwise.exceptions import Incompatible
from setwise.explain import Explanation, Limits
from setwise.models import MODELS, BinaryRelevance, EnergyNetwork, Ensemble, Member, PairwiseCRF
from tests.cli.corpus import news
from tests.models.corpora import name_lists, small_corpus

DOCUMENTS = news(160)
TEXTS = [str(one["text"]) for one in DOCUMENTS]
LABELS = [list(one["labels"]) for one in DOCUMENTS]
OTHER = [str(one["text"]) for one in news(6, random_state=5)]

RECIPES: list[tuple[Any, ...]] = [
    (BinaryRelevance(1e-3), "support", "gfm"),
    (BinaryRelevance(1e-3), "exact", "gfm"),
    (BinaryRelevance(1e-3), "exact", "threshold"),
    (BinaryRelevance(1e-3), "sampled", "gfm"),
    (BinaryRelevance(1e-3), "mode", "most_probable"),
    (PairwiseCRF(1e-3), "support", "gfm"),
]


def fitted(*recipe: Any, **options: Any) -> SetClassifier:
    return SetClassifier(*recipe, calibration=None, n_jobs=1, **options).fit(TEXTS, LABELS)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda one: f"{type(one[0]).__name__}, {one[1]}, {one[2]}")
class TestEveryRecipe:
    def test_the_set_is_that_of_predict(self, recipe: Any) -> None:
        classifier = fitted(*recipe)
        found = classifier.explain(OTHER, leave_out_words=False)
        assert [list(one.labels) for one in found] == [sorted(names) for names in classifier.predict(OTHER)]
        stated = classifier.predict_with_value(OTHER).value
        for one, value in zip(found, stated, strict=True):
            assert one.stated_expected_f1 == (None if np.isnan(value) else pytest.approx(value, abs=1e-9))

    def test_words_and_the_rest_sum_to_the_score(self, recipe: Any) -> None:
        for one in fitted(*recipe).explain(OTHER, leave_out_words=False, limits=Limits(n_features=3)):
            for reason in one.reasons:
                listed = sum(share.contribution for share in reason.features)
                total = reason.intercept + reason.other_labels + listed + reason.other_features
                assert reason.score == pytest.approx(total, abs=1e-9)
                assert len(reason.features) <= 3

    def test_what_each_word_changes_is_the_prediction_without_it(self, recipe: Any) -> None:
        classifier = fitted(*recipe)
        for text, one in zip(OTHER, classifier.explain(OTHER), strict=True):
            for word in one.without_words:
                begin, end = word.span
                assert text[begin:end] == word.word
                (again,) = classifier.predict([text[:begin] + text[end:]])
                assert sorted(again) == sorted(word.labels)
                assert word.changes_set == (set(again) != set(one.labels))


WAYS: list[tuple[Any, Any]] = [("support", "gfm"), ("exact", "gfm"), ("exact", "threshold")]
"""Inference and decision: the first that a model is able to is used."""


@lru_cache
def of_model(name: str) -> SetClassifier:
    """Return a classifier with a registered model, or with a pool of two, in the first way that it is able to."""
    members = [Member(BinaryRelevance(1e-3)), Member(PairwiseCRF(1e-3))]
    model = Ensemble(members) if name == "ensemble" else MODELS[name].model()
    for way in WAYS:
        try:
            return fitted(model, *way)
        except Incompatible:
            continue
    raise AssertionError(f"{name} predicts in none of the ways")


@pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")
@pytest.mark.parametrize("name", [*MODELS, "ensemble"])
class TestEveryModel:
    """Against the classifier itself: a word is deleted from the text, and the rest predicted again, one by one."""

    def test_the_set_without_a_word(self, name: str) -> None:
        classifier, changes = of_model(name), 0
        short = [" ".join(text.split()[:4]) for text in OTHER]  # so that a word can change a set
        for text, one in zip(short, classifier.explain(short), strict=True):
            assert sorted(one.labels) == sorted(classifier.predict([text])[0])
            assert one.without_words
            for word in one.without_words:
                begin, end = word.span
                (again,) = classifier.predict([text[:begin] + text[end:]])
                assert sorted(again) == sorted(word.labels)
                assert word.changes_set == (set(again) != set(one.labels))
                changes += word.changes_set
        assert changes

    def test_words_and_the_rest_sum_to_the_score(self, name: str) -> None:
        for one in of_model(name).explain(OTHER, leave_out_words=False, limits=Limits(n_features=2)):
            for reason in one.reasons:
                listed = sum(share.contribution for share in reason.features)
                total = reason.intercept + reason.other_labels + listed + reason.other_features
                assert reason.score == pytest.approx(total, abs=1e-9)


def test_the_score_of_br_is_the_logit() -> None:
    classifier = fitted(BinaryRelevance(1e-3), "exact", "gfm")
    logits = scipy.special.logit(classifier.predict_proba(OTHER))
    for i, one in enumerate(classifier.explain(OTHER, leave_out_words=False)):
        for reason in one.reasons:
            label = list(classifier.classes_).index(reason.label)
            assert reason.score == pytest.approx(logits[i, label], abs=1e-6)
            assert reason.probability == pytest.approx(classifier.predict_proba(OTHER)[i, label])


@pytest.mark.parametrize("inference", ["support", "exact"])
def test_neighbors_are_what_the_expected_f1_says(inference: str) -> None:
    """The expected F1 of a set with one label removed or added, summed over the sets by hand."""
    X, y = small_corpus(n=80)
    classifier = SetClassifier(BinaryRelevance(0.01), inference, "gfm", calibration=None, n_jobs=1).fit(
        X, name_lists(y)
    )
    names = [str(name) for name in classifier.classes_]
    if inference == "support":
        sets = classifier.support_.sets.indicator.toarray()
        log_prob = classifier.model_.posterior(X[:10]).log_prob(sets)
    else:
        sets = np.array(np.meshgrid(*[[0, 1]] * 5)).T.reshape(-1, 5)
        log_prob = classifier.model_.posterior(X[:10]).log_prob(sets)
    chances = np.exp(log_prob - np.logaddexp.reduce(log_prob, axis=1, keepdims=True))
    for i, one in enumerate(classifier.explain(X[:10], limits=Limits(n_labels=5))):
        assert one.stated_expected_f1 is not None
        for reason in one.reasons:
            assert reason.expected_f1_without is not None
            changed = np.array([(name in one.labels) != (name == reason.label) for name in names])
            size = sets.sum(axis=1) + changed.sum()
            f1 = np.where(size > 0, 2.0 * (sets @ changed) / np.maximum(size, 1), 1.0)
            assert reason.expected_f1_without == pytest.approx(chances[i] @ f1, abs=1e-9)
            assert reason.expected_f1_without <= one.stated_expected_f1 + 1e-9  # the decision has found the best


def test_rivals_are_the_most_probable_other_sets() -> None:
    classifier = fitted(BinaryRelevance(1e-3), "support", "gfm")
    for one, ranked in zip(classifier.explain(OTHER), classifier.predict_sets(OTHER, 4), strict=True):
        assert one.stated_expected_f1 is not None
        others = [scored for scored in ranked if set(scored.labels) != set(one.labels)]
        for rival, scored in zip(one.rivals, others, strict=False):
            assert set(rival.labels) == set(scored.labels)
            assert rival.probability == pytest.approx(scored.probability)
            assert rival.expected_f1 <= one.stated_expected_f1 + 1e-9


@pytest.mark.parametrize("recipe", RECIPES[:2])
def test_alternatives_are_the_likely_sets_with_their_expected_f1(recipe: Any) -> None:
    classifier = fitted(*recipe)
    every = classifier.predict_sets(OTHER, top=1000)
    for likely, ranked in zip(classifier.alternatives(OTHER, 3), every, strict=True):
        assert [(one.labels, one.probability) for one in likely] == [
            (one.labels, one.probability) for one in ranked[:3]
        ]
        for one in likely:
            f1 = [2.0 * len({*one.labels} & {*true.labels}) / (len(one.labels) + len(true.labels)) for true in ranked]
            expected = sum(true.probability * value for true, value in zip(ranked, f1, strict=True))
            assert one.expected_f1 == pytest.approx(expected, abs=1e-9)
    assert classifier.alternatives([]) == []


def test_alternatives_need_a_distribution_over_sets() -> None:
    with pytest.raises(Incompatible, match=r"^alternatives needs EnergyNetwork to have `log_prob`\. Hint: "):
        fitted(EnergyNetwork(), "exact", "threshold").alternatives(OTHER)


def test_spans_are_where_the_words_are() -> None:
    classifier = fitted(BinaryRelevance(1e-3), "support", "gfm")
    for text, one in zip(OTHER, classifier.explain(OTHER, leave_out_words=False), strict=True):
        assert any(share.spans for reason in one.reasons for share in reason.features)
        for reason in one.reasons:
            for share in reason.features:
                assert all(text[begin:end].lower() == share.feature for begin, end in share.spans)


def test_the_confidence_is_that_of_the_classifier() -> None:
    classifier = SetClassifier("br", budget="quick", n_jobs=1).fit(TEXTS, LABELS)
    sure = classifier.confidence(OTHER)
    for i, one in enumerate(classifier.explain(OTHER, leave_out_words=False)):
        assert one.confidence == sure.probability[i]
        assert one.expected_f1 == sure.expected_f1[i]


def test_what_a_cut_at_half_would_say() -> None:
    classifier = fitted(BinaryRelevance(1e-3), "support", "gfm")
    own = classifier.model_.posterior(classifier.vectorizer_.transform(OTHER)).marginals() > 0.5
    for row, one in zip(own, classifier.explain(OTHER, leave_out_words=False), strict=True):
        assert list(one.cut_at_half) == [str(classifier.classes_[label]) for label in np.flatnonzero(row)]


def test_it_is_plain_data() -> None:
    (one,) = fitted(BinaryRelevance(1e-3), "support", "gfm").explain(OTHER[:1])
    assert isinstance(one, Explanation)
    assert json.loads(json.dumps(one.as_dict()))["labels"] == list(one.labels)


def test_features_without_texts_have_the_names_of_their_columns() -> None:
    X, y = small_corpus(n=60)
    classifier = SetClassifier(BinaryRelevance(0.01), "support", "gfm", calibration=None, n_jobs=1).fit(X, y)
    (one,) = classifier.explain(X[:1])
    shares = [share for reason in one.reasons for share in reason.features]
    assert {share.feature for share in shares} <= {str(number) for number in range(X.shape[1])}
    assert all(share.spans == () for share in shares)
    assert one.without_words == ()


def test_a_model_of_marginals_alone_and_no_documents() -> None:
    X, y = small_corpus(n=60)
    network = EnergyNetwork(n_hidden=8, max_iter=2, n_jobs=1)
    classifier = SetClassifier(network, "exact", "threshold", calibration=None, n_jobs=1).fit(X, y)
    (one,) = classifier.explain(X[:1])
    assert one.stated_expected_f1 is None
    assert one.rivals == ()
    assert classifier.explain(X[:0]) == []


def test_a_text_without_known_words() -> None:
    (one,) = fitted(BinaryRelevance(1e-3), "support", "gfm").explain(["zut alors"])
    assert one.without_words == ()
    assert all(reason.features == () for reason in one.reasons)
