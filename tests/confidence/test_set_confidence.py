"""How sure predicted sets are: learned from outcomes, in the classifier, and in the model file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from setwise import SetClassifier, TextVectorizer, load
from setwise.confidence import COLUMNS, MIN_DOCUMENTS, Evidence, SetConfidence
from setwise.data import folds
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.labels import Decision, LabelMatrix, Support, csr_of_ones
from setwise.metrics import calibration_error, instance_f1
from setwise.models import BinaryRelevance, fit_for
from tests.models.corpora import name_lists, small_corpus

X, y = small_corpus(n=400)
OPTIONS: dict[str, Any] = {"budget": "quick", "n_jobs": 1}
CLASSIFIER = SetClassifier("br", "support", "gfm", calibration="f1", **OPTIONS).fit(X, name_lists(y))

WORDS = ["fox", "hen", "jay", "owl", "cat", "dog", "cow", "pig"]


def texts(n: int = 240, random_state: int = 0) -> tuple[list[str], list[list[str]]]:
    """Return texts of five words, whose labels are two of the words, but for noise."""
    random = np.random.default_rng(random_state)
    drawn = [random.choice(WORDS, 5) for _ in range(n)]
    labels = [sorted({str(word) for word in one if word in WORDS[:3]} or {"none"}) for one in drawn]
    return [" ".join(one) for one in drawn], [one if random.random() < 0.8 else ["none"] for one in labels]


def synthetic(n: int, random_state: int = 0) -> tuple[Evidence, LabelMatrix, NDArray[np.float64]]:
    """Return evidence of sets of one label, of which a share of s^2 is right where s is stated."""
    random = np.random.default_rng(random_state)
    columns = random.random((n, len(COLUMNS)))
    right = (random.random(n) < columns[:, 0] ** 2).astype(np.float64)
    predicted = csr_of_ones(np.zeros(n, np.int64), np.ones(n, np.int64), 2)
    truth = csr_of_ones(np.where(right > 0.0, 0, 1), np.ones(n, np.int64), 2)
    return Evidence(Decision(predicted, columns[:, 1]), columns), LabelMatrix(("a", "b"), truth), right


def test_outcomes_correct_what_is_stated() -> None:
    evidence, truth, _ = synthetic(4000)
    confidence = SetConfidence.fit([evidence], [truth])
    assert confidence is not None
    other, _, right = synthetic(4000, 1)
    found = confidence.of(other)
    stated = other.columns[:, 0]
    assert calibration_error(found.probability, right) < 0.03 < calibration_error(stated, right)
    assert ((found.probability - right) ** 2).mean() < ((stated - right) ** 2).mean()
    assert calibration_error(found.expected_f1, right) < 0.03


def test_parts_are_one_after_the_other() -> None:
    evidence, truth, _ = synthetic(600)
    halves = [
        Evidence(Decision(evidence.decision.sets[rows], evidence.decision.value[rows]), evidence.columns[rows])
        for rows in (slice(0, 200), slice(200, 600))
    ]
    parts = SetConfidence.fit(halves, [truth.take(np.arange(200)), truth.take(np.arange(200, 600))])
    whole = SetConfidence.fit([evidence], [truth])
    assert parts is not None
    assert whole is not None
    assert_array_equal(parts.of(evidence).probability, whole.of(evidence).probability)


def test_too_few_documents_have_no_confidence() -> None:
    for n, has_one in ((MIN_DOCUMENTS - 1, False), (MIN_DOCUMENTS, True)):
        evidence, truth, _ = synthetic(n)
        assert (SetConfidence.fit([evidence], [truth]) is not None) == has_one


def test_below_the_coverage_of_held_out_documents_confidence_falls_to_zero() -> None:
    evidence, truth, _ = synthetic(1000)
    evidence.columns[:, -1] = np.linspace(0.5, 1.0, 1000)
    confidence = SetConfidence.fit([evidence], [truth])
    assert confidence is not None
    assert 0.5 <= confidence.least_coverage < 0.52
    columns = np.repeat(evidence.columns[:1], 3, axis=0)
    columns[:, -1] = [0.5 * confidence.least_coverage, 0.0, confidence.least_coverage]
    low = confidence.of(Evidence(Decision(evidence.decision.sets[:3], np.zeros(3)), columns))
    assert low.probability[0] <= 0.5 * low.probability[2]
    assert low.probability[1] == low.expected_f1[1] == 0.0


class TestClassifier:
    def test_the_sets_are_those_of_predict(self) -> None:
        found = CLASSIFIER.confidence(X)
        assert_array_equal(found.sets.toarray(), CLASSIFIER.predict_with_value(X).sets.toarray())
        assert_array_equal(found.expected_f1, CLASSIFIER.expected_f1(X))
        assert ((found.probability >= 0.0) & (found.probability <= 1.0)).all()

    def test_what_is_quoted_agrees_with_the_outcome(self) -> None:
        """On other documents of the same kind, also where what chose the sets overstates."""
        other, truth = small_corpus(n=400)
        random = np.random.default_rng(5)
        rows = random.permutation(400)
        fitted = SetClassifier("br", "support", "gfm", calibration="f1", **OPTIONS).fit(X[rows[:300]], y[rows[:300]])
        held = rows[300:]
        f1 = instance_f1(truth[held], fitted.predict(other[held]))
        assert abs(fitted.expected_f1(other[held]).mean() - f1) < 0.06

    def test_batches_do_not_matter(self) -> None:
        whole = CLASSIFIER.confidence(X[:30]).probability
        assert_array_equal(np.concatenate([CLASSIFIER.confidence(X[i : i + 1]).probability for i in range(30)]), whole)

    def test_nothing_changes_what_is_predicted(self) -> None:
        """The confidence is fitted after everything else has been chosen."""
        recipe = CLASSIFIER.recipe_
        fixed = SetClassifier(
            CLASSIFIER.model_,
            recipe.inference,
            recipe.decision,
            calibration=recipe.calibration,
            at_least_one=recipe.at_least_one,
            n_jobs=1,
        ).fit(X, name_lists(y))
        assert fixed.predict(X) == CLASSIFIER.predict(X)

    def test_it_is_in_the_model_file(self, tmp_path: Path) -> None:
        CLASSIFIER.save(tmp_path / "m.setwise")
        loaded = load(tmp_path / "m.setwise")
        for name in ("probability", "expected_f1"):
            assert_array_equal(getattr(loaded.confidence(X), name), getattr(CLASSIFIER.confidence(X), name))

    def test_no_documents(self) -> None:
        assert CLASSIFIER.confidence(X[:0]).probability.shape == (0,)

    def test_where_nothing_is_held_out_there_is_none(self) -> None:
        fixed = SetClassifier(BinaryRelevance(0.01), "support", "gfm", calibration=None).fit(X, y)
        assert fixed.confidence_ is None
        with pytest.raises(Incompatible, match=f"at least {MIN_DOCUMENTS} held-out documents"):
            fixed.confidence(X)
        assert_array_equal(fixed.expected_f1(X), fixed.predict_with_value(X).value)

    @pytest.mark.parametrize("options", [{"refit": False}, {"refit": "folds"}, {"cv": 4}, {"scoring": "hamming_loss"}])
    def test_every_way_to_fit_has_one(self, options: dict[str, Any]) -> None:
        fitted = SetClassifier("br", **OPTIONS, **options).fit(X, name_lists(y))
        assert fitted.confidence_ is not None
        assert np.isfinite(fitted.confidence(X).probability).all()

    def test_few_documents_are_held_out_in_ten_folds(self) -> None:
        """Of the chosen model, trained again: all documents count, and no more than a tenth of them is missing."""
        assert CLASSIFIER.confidence_ is not None
        assert CLASSIFIER.tuning_ is not None
        labels = LabelMatrix.of(name_lists(y))
        evidence, truth = [], []
        for train, held in folds(labels, 10, 1):
            model = fit_for(CLASSIFIER.tuning_.model, X[train], labels.take(train), CLASSIFIER.tuning_.n_iterations)
            support = Support.of(labels.take(train))
            evidence.append(Evidence.of(CLASSIFIER.recipe_, model.posterior(X[held]), support, X[held]))
            truth.append(labels.take(held))
        expected = SetConfidence.fit(evidence, truth)
        assert expected is not None
        assert CLASSIFIER.confidence_.n_documents == expected.n_documents == labels.n_samples
        assert CLASSIFIER.confidence_.brier == expected.brier

    def test_folds_that_the_caller_asked_for_are_used(self) -> None:
        fitted = SetClassifier("br", cv=0.5, **OPTIONS).fit(X, name_lists(y))
        assert fitted.confidence_ is not None
        assert fitted.confidence_.n_documents < 0.6 * len(y)

    def test_threads_do_not_matter(self) -> None:
        other = SetClassifier("br", "support", "gfm", calibration="f1", budget="quick", n_jobs=2).fit(X, name_lists(y))
        assert_array_equal(other.confidence(X).probability, CLASSIFIER.confidence(X).probability)


class TestTexts:
    fitted = SetClassifier("br", **OPTIONS).fit(*texts())

    def test_texts_and_features_with_coverage_have_the_same_confidence(self) -> None:
        other = [*texts(20, 1)[0], "fox quux hen jay owl"]
        features, coverage = self.fitted.vectorizer_.transform_with_coverage(other)
        assert coverage[-1] < 1.0
        assert_array_equal(
            self.fitted.confidence(other).probability, self.fitted.confidence(features, coverage).probability
        )

    def test_texts_of_unknown_words_have_low_confidence(self) -> None:
        known, unknown = "fox hen owl cat dog", "zut alors mon ami fox"
        sure, unsure = self.fitted.confidence([known, unknown]).probability
        assert unsure < 0.5 * sure

    def test_a_classifier_of_features_that_is_saved_with_its_vectorizer(self, tmp_path: Path) -> None:
        """It has learned nothing about coverage, so that texts have the confidence of their features."""
        vectorizer, (documents, labels) = TextVectorizer(), texts()
        features = vectorizer.fit_transform(documents)
        fitted = SetClassifier("br", **OPTIONS).fit(features, labels)
        fitted.save(tmp_path / "m.setwise", vectorizer)
        other = ["fox quux hen jay owl", "fox hen"]
        found = load(tmp_path / "m.setwise").confidence(other).probability
        assert vectorizer.coverage(other)[0] < 1.0
        assert_array_equal(found, fitted.confidence(vectorizer.transform(other)).probability)

    def test_a_text_without_any_known_word_has_none(self) -> None:
        assert self.fitted.confidence(["zut alors"]).expected_f1[0] == 0.0


def test_a_damaged_confidence_is_refused(tmp_path: Path) -> None:
    confidence = CLASSIFIER.confidence_
    assert confidence is not None
    object.__setattr__(confidence, "least_coverage", 7.0)
    try:
        with pytest.raises(InvalidData, match="least_coverage"):
            CLASSIFIER.save(tmp_path / "m.setwise")
    finally:
        object.__setattr__(confidence, "least_coverage", 1.0)


class TestAutomation:
    def test_a_threshold_is_found_kept_and_saved(self, tmp_path: Path) -> None:
        fitted = SetClassifier("br", **OPTIONS).fit(X[:200], name_lists(y[:200]))
        with pytest.raises(Incompatible, match="call automate first"):
            fitted.accepts(fitted.confidence(X))
        found = fitted.automate(X[200:], name_lists(y[200:]), target_f1=0.5)
        assert found.threshold is not None
        confidence = fitted.confidence(X)
        assert_array_equal(fitted.accepts(confidence), confidence.expected_f1 >= found.threshold)
        fitted.save(tmp_path / "m.setwise")
        assert load(tmp_path / "m.setwise").automation_ == found

    def test_one_target_has_to_be_named(self) -> None:
        with pytest.raises(InvalidParameter, match="either target_accuracy or target_f1"):
            CLASSIFIER.automate(X, name_lists(y))
        with pytest.raises(InvalidParameter, match="either target_accuracy or target_f1"):
            CLASSIFIER.automate(X, name_lists(y), target_accuracy=0.9, target_f1=0.9)

    def test_a_label_that_was_never_seen_is_missed(self) -> None:
        truth = [[*names, "unheard of"] for names in CLASSIFIER.predict(X)]
        assert CLASSIFIER.automate(X, truth, target_accuracy=0.01).threshold is None
