"""The one estimator: every form of labels, every part by name, scikit-learn's manners, and nothing seen too early."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from setwise.classifier import ScoredSet, SetClassifier
from setwise.classifier_spec import MODELS
from setwise.data.splits import hold_out
from setwise.decision import expected_f, gfm, most_probable, threshold
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.inference import SetCalibration, blocks
from setwise.inference.blend import size_marginals_of
from setwise.labels import LabelMatrix, Support
from setwise.metrics import instance_f1
from setwise.models.br import BinaryRelevance
from setwise.models.cbm import BernoulliMixture
from tests.models.corpora import NAMES, name_lists, small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=80)
NEW, NEW_Y = small_corpus(random_state=1, n=30)
BR = BinaryRelevance(strength=0.01)


def plain(model: Any = BR, inference: Any = "support", decision: Any = "gfm", **options: Any) -> SetClassifier:
    """Nothing is tuned but what a test asks for; all else is as in the paper."""
    model = MODELS[model]() if isinstance(model, str) and model in MODELS else model
    return SetClassifier(model, inference, decision, **{"calibration": None, **options})


WORKING = [
    (model, inference, decision)
    for model, inferences in {
        "br": ("support", "exact", "sampled", "mode", "blend"),
        "pcc": ("support", "sampled", "mode", "blend"),
        "crf": ("support", "exact", "mode", "blend"),
        "cbm": ("support", "exact", "sampled", "mode", "blend"),
        "lsf": ("exact",),
    }.items()
    for inference in inferences
    for decision in ("gfm", "most_probable", "threshold")
    if (decision == "most_probable" and inference in ("support", "mode"))
    or (decision != "most_probable" and inference != "mode")
]


class TestParts:
    @pytest.mark.parametrize(("model", "inference", "decision"), WORKING)
    def test_all_that_go_together_predict_by_name(self, model: str, inference: Any, decision: Any) -> None:
        fitted = plain(model, inference, decision, n_samples=50).fit(X, name_lists(y))
        found = fitted.predict(NEW)
        assert len(found) == NEW.shape[0]
        assert {name for labels in found for name in labels} <= set(NAMES)
        assert type(fitted.model_) is MODELS[model]
        assert fitted.score(NEW, name_lists(NEW_Y)) == instance_f1(name_lists(NEW_Y), found)
        if inference != "mode":
            assert_array_equal(fitted.expected_f1(NEW).clip(0, 1), fitted.expected_f1(NEW))

    def test_the_model_that_is_given_stays_unfitted(self) -> None:
        plain(BR).fit(X, y)
        assert not hasattr(BR, "classes_")

    def test_what_is_predicted_is_what_the_parts_say(self) -> None:
        over = plain(BR).fit(X, y)
        known = over.inference_.infer(over.model_, NEW)
        assert_array_equal(over.predict(NEW), gfm(known).sets.toarray())
        assert_allclose(over.predict_proba(NEW), known.marginals, rtol=1e-14)
        assert_array_equal(over.expected_f1(NEW), gfm(known).value)
        likely = plain(BR, decision="most_probable").fit(X, y)
        assert_array_equal(likely.predict(NEW), most_probable(known).sets.toarray())
        assert_allclose(
            likely.expected_f1(NEW), expected_f(size_marginals_of(known), most_probable(known).sets), rtol=1e-13
        )
        cut = plain(BR, "exact", "threshold", threshold=0.3, at_least_one=True).fit(X, y)
        chosen = threshold(cut.model_.marginals(NEW), 0.3, at_least_one=True)
        assert_array_equal(cut.predict(NEW), chosen.toarray())
        assert_allclose(cut.predict_proba(NEW), cut.model_.marginals(NEW), rtol=0, atol=1e-13)
        assert_allclose(cut.expected_f1(NEW), expected_f(cut.model_.size_marginals(NEW), chosen), rtol=1e-13)
        recall = plain(BR, "exact", beta=2.0).fit(X, y)
        decided = gfm(recall.model_.size_marginals(NEW), beta=2.0)
        assert_array_equal(recall.predict(NEW), decided.sets.toarray())
        assert_allclose(  # of F1, whatever F was maximised
            recall.expected_f1(NEW), expected_f(recall.model_.size_marginals(NEW), decided.sets), rtol=1e-13
        )

    def test_the_support_can_be_trimmed_and_grown(self) -> None:
        counts = Support.of(LabelMatrix.of(y)).counts
        trimmed = plain(BR, min_count=2).fit(X, y)
        assert trimmed.support_.n_sets == (counts >= 2).sum()
        grown = plain(BR, min_count=2, extra_sets=[["ape", "eel"], ["bee", "cat", "dog"]])
        grown.fit(X, name_lists(y))
        assert ["bee", "cat", "dog"] in grown.support_.sets.name_lists()
        assert trimmed.support_.n_sets <= grown.support_.n_sets <= trimmed.support_.n_sets + 2

    def test_nothing_depends_on_the_size_of_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fitted = [plain(BR, inference).fit(X, y) for inference in ("support", "exact", "sampled", "blend")]
        whole = [(one.predict(NEW), one.predict_proba(NEW), one.predict_sets(NEW, 3)) for one in fitted]
        monkeypatch.setattr(blocks, "BLOCK_BYTES", 1)
        for one, (predicted, chances, sets) in zip(fitted, whole, strict=True):
            assert_array_equal(one.predict(NEW), predicted)
            assert_allclose(one.predict_proba(NEW), chances, rtol=1e-13)
            assert one.predict_sets(NEW, 3) == sets

    def test_threads_leave_every_bit(self) -> None:
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
        given, kind = FORMS[form]
        fitted = plain(BR).fit(X, given)
        found = fitted.predict(NEW)
        assert type(found) is kind
        usual = plain(BR).fit(X, y).predict(NEW)
        if kind is list:
            assert found == name_lists(usual)
            assert fitted.classes_.tolist() == list(NAMES)
            assert fitted.score(NEW, name_lists(NEW_Y)) == instance_f1(NEW_Y, usual)
        else:
            assert_array_equal(found.toarray() if sp.issparse(found) else found, usual)
            assert fitted.classes_.tolist() == list("01234")
        assert fitted.score(NEW, NEW_Y) == instance_f1(NEW_Y, usual)
        assert fitted.score(NEW, sp.csr_array(NEW_Y)) == instance_f1(NEW_Y, usual)

    def test_documents_may_be_sparse_or_dense(self) -> None:
        fitted = plain(BR).fit(X.toarray(), y)
        for form in (NEW, NEW.toarray(), sp.csc_matrix(NEW), NEW.toarray().tolist()):
            assert_array_equal(fitted.predict(form), plain(BR).fit(X, y).predict(NEW))

    def test_names_that_training_lacks_are_missed_in_the_score(self) -> None:
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

    def test_the_number_of_features_is_kept_and_asked_for(self) -> None:
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
    def test_labels_that_all_or_none_have_and_documents_without_any(self, model: str, inference: Any) -> None:
        constant = y.copy()
        constant[:, 1], constant[:, 3] = 1, 0
        found = plain(model, inference, n_samples=50).fit(X, constant).predict(NEW)
        assert found[:, 1].all()
        assert not found[:, 3].any()
        nothing = plain(model, inference, n_samples=50).fit(X, np.zeros_like(y)).predict(NEW)
        assert not nothing.any()

    def test_empty_sets_can_be_predicted(self) -> None:
        assert (y.sum(axis=1) == 0).any()
        fitted = plain(BR, decision="most_probable").fit(X, y)
        found = fitted.predict(X)
        assert (found.sum(axis=1) == 0).any()
        assert plain(BR).fit(X, [[] if not row.any() else ["some"] for row in y]).score(X, [[]] * 80) < 1.0


class TestSets:
    def test_the_top_sets_have_names_and_falling_probabilities(self) -> None:
        fitted = plain(BR, decision="most_probable").fit(X, name_lists(y))
        found = fitted.predict_sets(NEW, top=4)
        assert [len(row) for row in found] == [4] * 30
        for row, predicted in zip(found, fitted.predict(NEW), strict=True):
            assert all(isinstance(scored, ScoredSet) for scored in row)
            assert list(row[0].labels) == predicted
            chances = [scored.probability for scored in row]
            assert chances == sorted(chances, reverse=True)
            assert len({scored.labels for scored in row}) == 4
        whole = fitted.predict_sets(NEW, top=10_000)
        assert_allclose([sum(scored.probability for scored in row) for row in whole], 1.0, rtol=1e-12)
        assert {len(row) for row in whole} == {fitted.support_.n_sets}

    def test_they_are_of_the_support_whatever_the_inference(self) -> None:
        over, exact = (plain(BR, inference).fit(X, y) for inference in ("support", "exact"))
        assert over.predict_sets(NEW, 2) == exact.predict_sets(NEW, 2)
        with pytest.raises(Incompatible, match="Support inference needs LabelSizeFactors to have `log_prob`"):
            plain("lsf", "exact").fit(X, y).predict_sets(NEW)

    @pytest.mark.parametrize("top", [0, -1, 1.5, "two"])
    def test_no_sets_are_refused(self, top: Any) -> None:
        with pytest.raises(InvalidParameter, match=r"^top must be a whole number from 1 up; got "):
            plain(BR).fit(X, y).predict_sets(NEW, top=top)


class Spy(BinaryRelevance):
    """BR that notes which documents each training sees, by a number in their last feature."""

    seen: ClassVar[list[set[int]]] = []

    def fit(self, X: Any, y: Any, callback: Any = None) -> Spy:
        Spy.seen.append(set(X[:, [-1]].toarray().ravel().round().astype(int).tolist()))
        super().fit(X[:, :-1], y, callback)
        return self

    def scores(self, X: Any) -> Any:
        Spy.seen.append(set(X[:, [-1]].toarray().ravel().round().astype(int).tolist()))
        return super().scores(X[:, :-1])


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
        plain(Spy(strength=0.01), held_out=0.25, **TUNED[kind]).fit(numbered, y)
        first, *asked, last = Spy.seen
        assert len(first) == 60
        held = set(range(1, 81)) - first
        assert len(held) == 20
        assert asked
        assert all(some <= held for some in asked)
        assert last == set(range(1, 81))  # trained once more on all

    @pytest.mark.parametrize("kind", TUNED)
    def test_what_is_tuned_depends_on_the_training_documents_alone(self, kind: str) -> None:
        one, same, other = (plain(BR, random_state=random_state, **TUNED[kind]).fit(X, y) for random_state in (0, 0, 5))
        before = (one.calibration_, one.scaling_), np.array(one.threshold_)
        one.predict(NEW)
        one.score(NEW, NEW_Y)
        assert (one.calibration_, one.scaling_) == before[0] == (same.calibration_, same.scaling_)
        assert_array_equal(before[1], same.threshold_)
        differs = before[0] != (other.calibration_, other.scaling_)
        assert differs or not np.array_equal(before[1], other.threshold_)
        trained = BinaryRelevance(strength=0.01).fit(X, y).coef_.toarray()
        assert_array_equal(one.model_.coef_.toarray(), trained.astype(np.float32))
        if kind == "tuned per label":
            assert before[1].shape == (5,)
        elif "tuned" in kind:
            assert 0.0 <= one.threshold_ <= 1.0

    def test_exact_inference_is_calibrated_without_a_prior(self) -> None:
        found = plain(BR, "exact", calibration="likelihood").fit(X, y)
        assert found.scaling_.prior == 0.0
        assert found.scaling_ != SetCalibration()
        assert found.inference_.calibration is found.scaling_
        assert found.calibration_ == SetCalibration()
        assert plain(BR, calibration="likelihood").fit(X, y).calibration_.prior != 0.0

    def test_a_tuned_blend_is_the_best_of_those_tried(self) -> None:
        found = plain(BR, "blend", blend="tuned", held_out=0.2).fit(X, y)
        assert found.inference_.weight == found.blend_
        rest, held = hold_out(y, 0.2, 0)
        scores = {
            blend: plain(BR, "blend", blend=blend).fit(X[rest], y[rest]).score(X[held], y[held])
            for blend in np.arange(11) / 10
        }
        assert scores[found.blend_] == max(scores.values())

    def test_both_parts_of_a_blend_are_calibrated(self) -> None:
        found = plain(BR, "blend", calibration="likelihood").fit(X, y)
        assert found.inference_.support.calibration is found.calibration_ != SetCalibration()
        assert found.inference_.free.calibration is found.scaling_ != SetCalibration()

    def test_a_given_calibration_is_used_as_it_is(self) -> None:
        given = SetCalibration(0.5, 0.3, 0.2)
        fitted = plain(BR, calibration=given).fit(X, y)
        assert fitted.calibration_ == given
        usual = plain(BR).fit(X, y)
        assert not np.allclose(fitted.predict_proba(NEW), usual.predict_proba(NEW))
        same = plain(BR, calibration=SetCalibration()).fit(X, y)
        assert_array_equal(same.predict_proba(NEW), usual.predict_proba(NEW))

    def test_one_document_cannot_be_held_out(self) -> None:
        with pytest.raises(
            InvalidData, match=r"^X must have at least 3 documents to hold some out; got n_samples=1\.$"
        ):
            plain(BR, decision="threshold", threshold="tuned").fit(X[:1], y[:1])


class TestManners:
    TEXTS: ClassVar[list[str]] = [
        "red apple",
        "green pear",
        "red car",
        "green apple tree",
        "fast red car",
        "old tree",
    ] * 4
    LABELS: ClassVar[list[list[str]]] = [["fruit"], ["fruit"], ["car"], ["fruit", "plant"], ["car"], ["plant"]] * 4

    def test_in_a_pipeline_from_text_to_names(self) -> None:
        pipeline = make_pipeline(TfidfVectorizer(), plain(BinaryRelevance(strength=1e-3)))
        pipeline.fit(self.TEXTS, self.LABELS)
        assert pipeline.predict(["red apple", "old tree"]) == [["fruit"], ["plant"]]
        assert pipeline.score(self.TEXTS, self.LABELS) == 1.0
        assert pipeline.predict_proba(["car"]).shape == (1, 3)

    def test_in_a_grid_search_over_parameters_of_the_model_and_over_parts(self) -> None:
        grid = {"model__strength": [10.0, 1e-3], "inference": ["support", "exact"]}
        for labels in (y, sp.csr_array(y), name_lists(y)):
            search = GridSearchCV(plain(BinaryRelevance()), grid, cv=KFold(3, shuffle=True, random_state=0))
            search.fit(X, labels)
            assert search.best_params_["model__strength"] == 1e-3
            assert np.isfinite(search.cv_results_["mean_test_score"]).all()
            assert search.best_estimator_.score(NEW, NEW_Y) > 0.3

    def test_in_cross_validation_where_a_fold_lacks_a_label(self) -> None:
        labels = name_lists(y)
        labels[0].append("yak")
        scores = cross_val_score(plain(BR), X, labels, cv=KFold(4), error_score="raise")
        assert np.isfinite(scores).all()

    def test_parameters_can_be_read_set_and_copied(self) -> None:
        classifier = plain(BinaryRelevance(strength=0.5), "exact", beta=2.0)
        assert classifier.get_params()["model__strength"] == 0.5
        classifier.set_params(model__strength=0.25, decision="threshold")
        copy = clone(classifier)
        assert copy.model is not classifier.model
        assert (copy.model.strength, copy.decision, copy.beta) == (0.25, "threshold", 2.0)

    @pytest.mark.parametrize("model", MODELS)
    def test_pickled_and_read_again_it_predicts_the_same(self, model: str) -> None:
        fitted = plain(model, "exact" if model in ("lsf", "crf") else "support").fit(X, name_lists(y))
        again = pickle.loads(pickle.dumps(fitted))
        assert again.predict(NEW) == fitted.predict(NEW)
        assert_array_equal(again.predict_proba(NEW), fitted.predict_proba(NEW))

    def test_inputs_and_parameters_stay_as_they_were(self) -> None:
        features, labels, model = X.copy(), y.copy(), BinaryRelevance(strength=0.01)
        classifier = plain(model, calibration="likelihood")
        before = classifier.get_params()
        classifier.fit(features, labels).predict(features)
        assert classifier.get_params() == before
        assert classifier.model is model
        assert_array_equal(features.toarray(), X.toarray())
        assert_array_equal(labels, y)

    @pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_sets", "expected_f1"])
    def test_unfitted_it_says_so(self, method: str) -> None:
        with pytest.raises(NotFittedError):
            getattr(SetClassifier(), method)(X)
        with pytest.raises(NotFittedError):
            SetClassifier().score(X, y)


HELD_OUT = "held_out must be None, a share between 0 and 1 or a number of folds from 2 up; got "


class TestRefusals:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"model": "svm"}, "model must be one of 'br', 'pcc', 'crf', 'cbm', 'lsf' or a model; got 'svm'."),
            (
                {"inference": "maximum"},
                "inference must be one of 'tuned', 'support', 'exact', 'sampled', 'mode', 'blend'; got 'maximum'.",
            ),
            ({"decision": "gmf"}, "decision must be one of 'tuned', 'gfm', 'most_probable', 'threshold'; got 'gmf'."),
            (
                {"calibration": "platt"},
                "calibration must be None, 'tuned', 'likelihood', 'f1' or a SetCalibration; got 'platt'.",
            ),
            (
                {"calibration": 0.5},
                "calibration must be None, 'tuned', 'likelihood', 'f1' or a SetCalibration; got 0.5.",
            ),
            ({"threshold": "best"}, "threshold must lie in [0, 1] or be 'tuned' or 'tuned per label'; got 'best'."),
            ({"threshold": 1.5}, "threshold must lie in [0, 1] or be 'tuned' or 'tuned per label'; got 1.5."),
            ({"threshold": np.nan}, "threshold must lie in [0, 1] or be 'tuned' or 'tuned per label'; got nan."),
            ({"threshold": [0.5]}, "threshold must lie in [0, 1] or be 'tuned' or 'tuned per label'; got [0.5]."),
            ({"blend": -0.1}, "blend must lie in [0, 1] or be 'tuned'; got -0.1."),
            ({"blend": "half"}, "blend must lie in [0, 1] or be 'tuned'; got 'half'."),
            ({"held_out": 0.0}, HELD_OUT + "0.0."),
            ({"held_out": 1}, HELD_OUT + "1."),
            ({"held_out": True}, HELD_OUT + "True."),
            ({"budget": "huge"}, "budget must be one of 'quick', 'normal', 'thorough'; got 'huge'."),
            (
                {"metric": "auc"},
                "metric must be one of 'instance_f1', 'set_accuracy', 'micro_f1', 'macro_f1', "
                "'hamming_loss'; got 'auc'.",
            ),
            ({"beta": 0.0}, "beta must be a finite number above 0; got 0.0."),
            ({"min_count": 0}, "min_count must be a whole number from 1 up; got 0."),
            ({"n_samples": 1.5}, "n_samples must be a whole number from 1 up; got 1.5."),
            ({"random_state": -1}, "random_state must be a whole number from 0 to 2^64 - 1; got -1."),
            ({"n_jobs": 0}, "n_jobs must be None (all cores) or a whole number from 1 up; got 0."),
            ({"min_count": 1000}, None),
        ],
        ids=str,
    )
    def test_bad_parameters_in_one_sentence(self, change: dict[str, Any], message: str | None) -> None:
        with pytest.raises(InvalidParameter) as refusal:
            plain(**change).fit(X, y)
        assert message is None or str(refusal.value) == message
        assert str(refusal.value).count(". ") == 0

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"inference": "mode", "decision": "gfm"}, "decision='gfm' cannot work with inference='mode'. Hint: "),
            ({"inference": "mode", "decision": "threshold"}, "decision='threshold' cannot work with inference='mode'."),
            (
                {"inference": "exact", "decision": "most_probable"},
                "decision='most_probable' cannot work with inference='exact'. Hint: ",
            ),
            ({"model": "lsf"}, "inference='support' needs LabelSizeFactors to have `log_prob`. Hint: "),
            (
                {"model": "pcc", "inference": "exact"},
                "inference='exact' needs ClassifierChain to have `size_marginals`. Hint: use support inference",
            ),
            (
                {"model": "crf", "inference": "sampled"},
                "inference='sampled' needs PairwiseCRF to have `sample`. Hint: CRF knows only training sets",
            ),
            ({"model": "lsf", "inference": "blend"}, "inference='blend' needs LabelSizeFactors to have `log_prob`."),
            (
                {"model": "crf", "inference": "exact", "calibration": "likelihood"},
                "inference='exact' needs PairwiseCRF to have `scaled_marginals` and `scaled_size_marginals`.",
            ),
            (
                {"model": "crf", "inference": "blend", "calibration": SetCalibration(0.5)},
                "inference='blend' needs PairwiseCRF to have `scaled_size_marginals`. Hint: BR and CBM have it",
            ),
            (
                {"model": "lsf", "inference": "exact", "calibration": "f1"},
                "inference='exact' needs LabelSizeFactors to have `scaled_marginals` and `scaled_size_marginals`.",
            ),
            (
                {"inference": "sampled", "calibration": "f1"},
                "calibration='f1' changes nothing where inference='sampled'. Hint: calibrate 'support', ",
            ),
            (
                {"inference": "mode", "decision": "most_probable", "calibration": "likelihood"},
                "calibration='likelihood' changes nothing where inference='mode'. Hint: calibrate 'support', ",
            ),
        ],
        ids=str,
    )
    def test_parts_that_do_not_go_together(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(Incompatible) as refusal:
            plain(**change).fit(X, y)
        assert str(refusal.value).startswith(message)

    def test_a_mode_has_no_probabilities(self) -> None:
        fitted = plain(BR, "mode", "most_probable").fit(X, y)
        with pytest.raises(Incompatible, match=r"^inference='mode' gives sets, not probabilities of labels\. Hint:"):
            fitted.predict_proba(NEW)
        with pytest.raises(Incompatible, match=r"^inference='mode' cannot tell what to expect of a set\. Hint:"):
            fitted.expected_f1(NEW)

    def test_labels_that_are_missing_or_too_few(self) -> None:
        with pytest.raises(InvalidData, match="requires y to be passed, but the target y is None"):
            SetClassifier().fit(X, None)
        with pytest.raises(InvalidData, match="X has 80 rows but y has 79"):
            SetClassifier().fit(X, y[:-1])
        with pytest.raises(ValueError, match="NaN"):
            SetClassifier().fit(np.full((2, 2), np.nan), [[1], [0]])
