"""The estimator: every model, inference and decision, every form of y, and tuning on held-out documents alone."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from setwise import SetClassifier
from setwise.classifier import ScoredSet
from setwise.data import hold_out
from setwise.decision import DECISIONS, expected_f, gfm, most_probable, threshold
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.inference import INFERENCES, BlendInference, ExactInference, IndependentInference, base, size_marginals_of
from setwise.labels import LabelMatrix, SetCalibration, Support
from setwise.learners import FeatureColumns
from setwise.metrics import instance_f1
from setwise.models import MODELS, BernoulliMixture, BinaryRelevance
from setwise.posterior import Posterior, lacking
from setwise.prediction import Recipe, are_compatible
from tests.models.corpora import NAMES, name_lists, small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=80)
NEW, NEW_Y = small_corpus(random_state=1, n=30)
BR = BinaryRelevance(strength=0.01)


def plain(model: Any = BR, inference: Any = "support", decision: Any = "gfm", **options: Any) -> SetClassifier:
    """Return a classifier that tunes nothing except what a test asks for, and predicts as the paper does."""
    model = MODELS[model].model() if isinstance(model, str) and model in MODELS else model
    return SetClassifier(model, inference, decision, **{"calibration": None, **options})


def beliefs(classifier: SetClassifier) -> Any:
    """Return what the inference says about the new documents."""
    (block,) = classifier.recipe_.blocks(classifier.model_.posterior(NEW), classifier.support_)
    return block.beliefs


WORKING = [
    (name, inference, decision)
    for name, entry in MODELS.items()
    for inference in INFERENCES
    for decision in DECISIONS
    if are_compatible(inference, decision) and not lacking(entry.model, *Recipe(inference, decision).needs(entry.model))
]


class TestParts:
    def test_every_model_works_with_some_inference_and_decision(self) -> None:
        assert {name for name, _, _ in WORKING} == set(MODELS)
        assert len(WORKING) == 85

    @pytest.mark.parametrize(("model", "inference", "decision"), WORKING)
    def test_compatible_parts_predict_label_names(self, model: str, inference: Any, decision: Any) -> None:
        fitted = plain(model, inference, decision, n_samples=50).fit(X, name_lists(y))
        predicted = fitted.predict(NEW)
        assert len(predicted) == NEW.shape[0]
        assert {name for labels in predicted for name in labels} <= set(NAMES)
        assert type(fitted.model_) is MODELS[model].model
        assert fitted.score(NEW, name_lists(NEW_Y)) == instance_f1(name_lists(NEW_Y), predicted)
        if not lacking(fitted.model_, *fitted.recipe_.needs_for_value(fitted.model_)) and inference != "mode":
            assert_array_equal(fitted.expected_f1(NEW).clip(0, 1), fitted.expected_f1(NEW))

    def test_the_model_passed_in_stays_unfitted(self) -> None:
        plain(BR).fit(X, y)
        assert not hasattr(BR, "classes_")

    def test_predictions_are_those_of_the_parts(self) -> None:
        over = plain(BR).fit(X, y)
        sets = beliefs(over)
        assert_array_equal(over.predict(NEW), gfm(sets).sets.toarray())
        assert_allclose(over.predict_proba(NEW), sets.marginals, rtol=1e-14)
        assert_array_equal(over.expected_f1(NEW), gfm(sets).value)
        likely = plain(BR, decision="most_probable").fit(X, y)
        assert_array_equal(likely.predict(NEW), most_probable(sets).sets.toarray())
        assert_allclose(
            likely.expected_f1(NEW), expected_f(size_marginals_of(sets), most_probable(sets).sets), rtol=1e-13
        )
        cut = plain(BR, "exact", "threshold", threshold=0.3, at_least_one=True).fit(X, y)
        posterior = cut.model_.posterior(NEW)
        chosen = threshold(posterior.marginals(), 0.3, at_least_one=True)
        assert_array_equal(cut.predict(NEW), chosen.toarray())
        assert_allclose(cut.predict_proba(NEW), posterior.marginals(), rtol=0, atol=1e-13)
        assert_allclose(cut.expected_f1(NEW), expected_f(posterior.size_marginals(), chosen), rtol=1e-13)
        recall = plain(BR, "exact", beta=2.0).fit(X, y)
        decision = gfm(recall.model_.posterior(NEW).size_marginals(), beta=2.0)
        assert_array_equal(recall.predict(NEW), decision.sets.toarray())
        assert_allclose(  # of F1, whatever F was maximized
            recall.expected_f1(NEW),
            expected_f(recall.model_.posterior(NEW).size_marginals(), decision.sets),
            rtol=1e-13,
        )
        assert_array_equal(recall.predict_with_value(NEW).value, recall.expected_f1(NEW))

    def test_the_support_can_be_trimmed_and_grown(self) -> None:
        counts = Support.of(LabelMatrix.of(y)).counts
        trimmed = plain(BR, min_count=2).fit(X, y)
        assert trimmed.support_.n_sets == (counts >= 2).sum()
        grown = plain(BR, min_count=2, extra_sets=[["ape", "eel"], ["bee", "cat", "dog"]])
        grown.fit(X, name_lists(y))
        assert ["bee", "cat", "dog"] in grown.support_.sets.name_lists()
        assert trimmed.support_.n_sets <= grown.support_.n_sets <= trimmed.support_.n_sets + 2

    def test_no_result_depends_on_the_size_of_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fitted = [plain(BR, inference).fit(X, y) for inference in ("support", "exact", "sampled", "blend")]
        whole = [(one.predict(NEW), one.predict_proba(NEW), one.predict_sets(NEW, 3)) for one in fitted]
        monkeypatch.setattr(base, "BLOCK_BYTES", 1)
        for one, (predicted, marginals, sets) in zip(fitted, whole, strict=True):
            assert_array_equal(one.predict(NEW), predicted)
            assert_allclose(one.predict_proba(NEW), marginals, rtol=1e-13)
            assert one.predict_sets(NEW, 3) == sets

    def test_no_bit_depends_on_the_number_of_threads(self) -> None:
        one, two = (plain(BernoulliMixture(n_jobs=n), n_jobs=n).fit(X, y) for n in (1, 2))
        assert_array_equal(one.predict_proba(NEW), two.predict_proba(NEW))
        assert_array_equal(one.expected_f1(NEW), two.expected_f1(NEW))


FORMS: dict[str, Any] = {
    "dense array": (y, np.ndarray),
    "list of rows": (y.tolist(), np.ndarray),
    "booleans": (y.astype(bool), np.ndarray),
    "sparse array": (sp.csc_array(y), sp.csr_array),
    "sparse matrix": (sp.coo_matrix(y), sp.csr_matrix),
    "names": (name_lists(y), list),
}


class TestForms:
    @pytest.mark.parametrize("form", FORMS)
    def test_predictions_come_in_the_form_of_the_labels(self, form: str) -> None:
        labels, kind = FORMS[form]
        fitted = plain(BR).fit(X, labels)
        predicted = fitted.predict(NEW)
        assert type(predicted) is kind
        usual = plain(BR).fit(X, y).predict(NEW)
        if kind is list:
            assert predicted == name_lists(usual)
            assert fitted.classes_.tolist() == list(NAMES)
            assert fitted.score(NEW, name_lists(NEW_Y)) == instance_f1(NEW_Y, usual)
        else:
            assert_array_equal(predicted.toarray() if sp.issparse(predicted) else predicted, usual)
            assert fitted.classes_.tolist() == list("01234")
        assert fitted.score(NEW, NEW_Y) == instance_f1(NEW_Y, usual)
        assert fitted.score(NEW, sp.csr_array(NEW_Y)) == instance_f1(NEW_Y, usual)

    def test_documents_may_be_sparse_or_dense(self) -> None:
        fitted = plain(BR).fit(X.toarray(), y)
        for form in (NEW, NEW.toarray(), sp.csc_matrix(NEW), NEW.toarray().tolist()):
            assert_array_equal(fitted.predict(form), plain(BR).fit(X, y).predict(NEW))

    def test_labels_unseen_in_training_count_as_missed(self) -> None:
        fitted = plain(BR).fit(X, name_lists(y))
        truth = [[*labels, "yak"] for labels in fitted.predict(NEW)]
        assert fitted.score(NEW, truth) == pytest.approx(np.mean([2 * (len(t) - 1) / (2 * len(t) - 1) for t in truth]))

    def test_features_have_names_where_they_come_in_a_frame(self) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed here")
        columns = [f"word {j}" for j in range(X.shape[1])]
        fitted = plain(BR).fit(pandas.DataFrame(X.toarray(), columns=columns), y)
        assert fitted.feature_names_in_.tolist() == columns
        assert_array_equal(
            fitted.predict(pandas.DataFrame(NEW.toarray(), columns=columns)), plain(BR).fit(X, y).predict(NEW)
        )

    def test_the_number_of_features_is_checked(self) -> None:
        fitted = plain(BR).fit(X, y)
        assert fitted.n_features_in_ == 12
        with pytest.raises(ValueError, match="expecting 12 features"):
            fitted.predict(NEW[:, :5])

    def test_one_document(self) -> None:
        fitted = plain(BR).fit(X[:1], name_lists(y[:1]))
        assert fitted.predict(NEW[:2]) == name_lists(y[:1]) * 2
        assert_allclose(fitted.expected_f1(NEW[:2]), 1.0, rtol=1e-13)
        whole = plain(BR).fit(X, y)
        assert_array_equal(whole.predict(NEW[3:4]), whole.predict(NEW)[3:4])

    @pytest.mark.parametrize(("model", "inference"), [(m, i) for m, i, d in WORKING if d == "gfm"])
    def test_constant_labels_and_documents_without_labels(self, model: str, inference: Any) -> None:
        constant = y.copy()
        constant[:, 1], constant[:, 3] = 1, 0
        predicted = plain(model, inference, n_samples=50).fit(X, constant).predict(NEW)
        assert predicted[:, 1].all()
        assert not predicted[:, 3].any()
        nothing = plain(model, inference, n_samples=50).fit(X, np.zeros_like(y)).predict(NEW)
        assert not nothing.any()

    def test_empty_sets_can_be_predicted(self) -> None:
        assert (y.sum(axis=1) == 0).any()
        fitted = plain(BR, decision="most_probable").fit(X, y)
        predicted = fitted.predict(X)
        assert (predicted.sum(axis=1) == 0).any()
        assert plain(BR).fit(X, [[] if not row.any() else ["some"] for row in y]).score(X, [[]] * 80) < 1.0


class TestSets:
    def test_the_top_sets_have_names_and_falling_probabilities(self) -> None:
        fitted = plain(BR, decision="most_probable").fit(X, name_lists(y))
        ranked = fitted.predict_sets(NEW, top=4)
        assert [len(row) for row in ranked] == [4] * 30
        for row, predicted in zip(ranked, fitted.predict(NEW), strict=True):
            assert all(isinstance(scored, ScoredSet) for scored in row)
            assert list(row[0].labels) == predicted
            probabilities = [scored.probability for scored in row]
            assert probabilities == sorted(probabilities, reverse=True)
            assert len({scored.labels for scored in row}) == 4
        whole = fitted.predict_sets(NEW, top=10_000)
        assert_allclose([sum(scored.probability for scored in row) for row in whole], 1.0, rtol=1e-12)
        assert {len(row) for row in whole} == {fitted.support_.n_sets}

    def test_sets_are_of_the_support_whatever_the_inference(self) -> None:
        over, exact = (plain(BR, inference).fit(X, y) for inference in ("support", "exact"))
        assert over.predict_sets(NEW, 2) == exact.predict_sets(NEW, 2)
        with pytest.raises(Incompatible, match=r"^predict_sets needs LabelSizeFactors to have `log_prob`\. Hint: "):
            plain("lsf", "exact").fit(X, y).predict_sets(NEW)

    @pytest.mark.parametrize("top", [0, -1, 1.5, "two"])
    def test_invalid_numbers_of_sets(self, top: Any) -> None:
        with pytest.raises(InvalidParameter, match=r"^top must be an integer of at least 1; got "):
            plain(BR).fit(X, y).predict_sets(NEW, top=top)


class Spy(BinaryRelevance):
    """BR that notes which documents it is fitted to and which it scores, by a number in their last feature."""

    seen: ClassVar[list[set[int]]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Any = None) -> Spy:
        matrix = FeatureColumns.matrix_of(X)
        Spy.seen.append(numbers_of(matrix))
        super().fit(matrix[:, :-1], y, sample_weight, callback)
        return self

    def posterior(self, X: Any) -> Posterior:
        Spy.seen.append(numbers_of(X))
        return super().posterior(X[:, :-1])


def numbers_of(X: Any) -> set[int]:
    return set(X[:, [-1]].toarray().ravel().round().astype(int).tolist())


TUNED: dict[str, dict[str, Any]] = {
    "likelihood": {"calibration": "likelihood"},
    "f1": {"calibration": "f1"},
    "exact likelihood": {"inference": "exact", "calibration": "likelihood"},
    "exact f1": {"inference": "exact", "calibration": "f1"},
    "blend likelihood": {"inference": "blend", "calibration": "likelihood"},
    "tuned": {"inference": "exact", "decision": "threshold", "threshold": "tuned"},
    "tuned, never none": {"decision": "threshold", "threshold": "tuned", "at_least_one": True},
    "tuned per label": {"inference": "exact", "decision": "threshold", "threshold": "tuned per label"},
    "both": {"decision": "threshold", "threshold": "tuned", "calibration": "likelihood"},
}


class TestTuning:
    @pytest.mark.parametrize("kind", TUNED)
    def test_held_out_documents_are_not_in_the_first_training(self, kind: str) -> None:
        numbered = sp.csr_array(sp.hstack([X, sp.csr_array(np.arange(1.0, 81.0)[:, None])]))
        Spy.seen.clear()
        plain(Spy(strength=0.01), cv=0.25, **TUNED[kind]).fit(numbered, y)
        first, *scored, last = Spy.seen
        assert len(first) == 60
        held = set(range(1, 81)) - first
        assert len(held) == 20
        assert scored
        assert all(some <= held for some in scored)
        assert last == set(range(1, 81))  # trained once more on all

    @pytest.mark.parametrize("kind", TUNED)
    def test_tuned_parameters_depend_on_the_training_documents_alone(self, kind: str) -> None:
        one, same, other = (plain(BR, random_state=random_state, **TUNED[kind]).fit(X, y) for random_state in (0, 0, 5))
        before = (one.recipe_.calibration, one.recipe_.scaling), np.array(one.recipe_.threshold)
        one.predict(NEW)
        one.score(NEW, NEW_Y)
        assert (
            (one.recipe_.calibration, one.recipe_.scaling)
            == before[0]
            == (same.recipe_.calibration, same.recipe_.scaling)
        )
        assert_array_equal(before[1], same.recipe_.threshold)
        differs = before[0] != (other.recipe_.calibration, other.recipe_.scaling)
        assert differs or not np.array_equal(before[1], other.recipe_.threshold)
        trained = BinaryRelevance(strength=0.01).fit(X, y).coef_.toarray()
        assert_array_equal(one.model_.coef_.toarray(), trained.astype(np.float32))
        if kind == "tuned per label":
            assert before[1].shape == (5,)
        elif "tuned" in kind:
            assert 0.0 <= one.recipe_.threshold <= 1.0

    def test_exact_inference_is_calibrated_without_a_prior(self) -> None:
        tuned = plain(BR, "exact", calibration="likelihood").fit(X, y)
        assert tuned.recipe_.scaling.prior == 0.0
        assert tuned.recipe_.scaling != SetCalibration()
        inference = tuned.recipe_.over(tuned.support_, tuned.model_.abilities)
        assert isinstance(inference, IndependentInference)
        assert inference.calibration is tuned.recipe_.scaling
        assert tuned.recipe_.calibration == SetCalibration()
        assert plain(BR, calibration="likelihood").fit(X, y).recipe_.calibration.prior != 0.0

    def test_a_tuned_blend_is_the_best_of_those_tried(self) -> None:
        tuned = plain(BR, "blend", blend="tuned", cv=0.2).fit(X, y)
        rest, held = hold_out(y, 0.2, 0)
        scores = {
            blend: plain(BR, "blend", blend=blend).fit(X[rest], y[rest]).score(X[held], y[held])
            for blend in np.arange(11) / 10
        }
        assert scores[tuned.recipe_.blend] == max(scores.values())

    def test_both_parts_of_a_blend_are_calibrated(self) -> None:
        tuned = plain(BR, "blend", calibration="likelihood").fit(X, y)
        inference = tuned.recipe_.over(tuned.support_, tuned.model_.abilities)
        assert isinstance(inference, BlendInference)
        assert isinstance(inference.free, ExactInference)
        assert inference.support.calibration is tuned.recipe_.calibration != SetCalibration()
        assert inference.free.calibration is tuned.recipe_.scaling != SetCalibration()

    def test_numbers_of_a_calibration_are_used_unchanged(self) -> None:
        calibration = SetCalibration(0.5, 0.3, 0.2)
        fitted = plain(BR, calibration=calibration).fit(X, y)
        assert fitted.recipe_.calibration == calibration
        usual = plain(BR).fit(X, y)
        assert not np.allclose(fitted.predict_proba(NEW), usual.predict_proba(NEW))
        same = plain(BR, calibration=SetCalibration()).fit(X, y)
        assert_array_equal(same.predict_proba(NEW), usual.predict_proba(NEW))

    def test_one_document_cannot_be_held_out(self) -> None:
        with pytest.raises(
            InvalidData, match=r"^X must have at least 3 documents to hold some out; got n_samples=1\.$"
        ):
            plain(BR, decision="threshold", threshold="tuned").fit(X[:1], y[:1])
