"""The default without options tunes model and prediction, reports both, and reads only training documents."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from setwise import SetClassifier
from setwise.confidence import MIN_DOCUMENTS
from setwise.data import hold_out
from setwise.exceptions import Incompatible, InvalidParameter
from setwise.inference import LabelScaling
from setwise.labels import LabelMatrix
from setwise.learners import FeatureColumns
from setwise.models import MODELS, BinaryRelevance, LabelSizeFactors, fit_for
from setwise.posterior import Posterior
from setwise.tuning import (
    FEW_DOCUMENTS,
    FEW_IF_THOROUGH,
    MAX_HELD_OUT,
    MAX_TUNING_WORK,
    confidence_validation,
    default_validation,
)
from tests.models.corpora import name_lists, same_state, small_corpus
from tests.tuning.resumed import refuse_to_search_br_again

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=120)
NEW, NEW_Y = small_corpus(random_state=1, n=40)


def test_without_options_settings_and_recipe_are_chosen_and_reported() -> None:
    fitted = SetClassifier("br").fit(X, name_lists(y))
    result = fitted.tuning_
    assert result is not None
    # Three paths of eight strengths, each up to where it ends.
    lengths = Counter(dict(trial.setting.parameters)["l1_ratio"] for trial in result.trials if "gfm" in trial.recipe)
    assert set(lengths) == {1.0, 0.5, 0.0}
    assert all(2 <= length <= 8 for length in lengths.values())
    assert fitted.model_.strength == result.model.strength in [trial.setting.strength for trial in result.trials]
    assert result.value == max(one.value for one in result.alternatives)
    names = [one.recipe for one in result.alternatives]
    assert result.recipe_name in names
    assert {"support, gfm", "support, likelihood, gfm", "exact, threshold"} <= set(names)
    assert fitted.recipe_ is result.recipe
    assert fitted.score(NEW, name_lists(NEW_Y)) > 0.5


@pytest.mark.parametrize("model", MODELS)
def test_every_model_by_name(model: str) -> None:
    fitted = SetClassifier(model, budget="quick", n_jobs=1).fit(X, y)
    assert type(fitted.model_) is MODELS[model].model
    assert fitted.predict(NEW).shape == NEW_Y.shape
    assert fitted.tuning_ is not None
    if MODELS[model].early_stopping is not None:
        assert fitted.tuning_.n_iterations is not None
        assert fitted.model_.n_iter_ <= fitted.tuning_.n_iterations
    else:
        assert fitted.tuning_.n_iterations is None


def test_the_result_depends_on_random_state_and_not_on_threads() -> None:
    one, two = (SetClassifier(budget="quick", n_jobs=n, random_state=3).fit(X, y) for n in (1, 2))
    assert one.tuning_ is not None
    assert two.tuning_ is not None
    assert one.tuning_.value == two.tuning_.value
    assert_array_equal(one.predict(NEW), two.predict(NEW))


def test_a_model_instance_keeps_its_parameters() -> None:
    fitted = SetClassifier(BinaryRelevance(strength=0.02, l1_ratio=0.3)).fit(X, y)
    assert (fitted.model_.strength, fitted.model_.l1_ratio) == (0.02, 0.3)
    assert fitted.tuning_ is not None
    assert fitted.tuning_.trials == []
    assert len(fitted.tuning_.alternatives) > 3


def test_the_recipe_of_the_paper_is_not_changed_by_tuning() -> None:
    fitted = SetClassifier("br", "support", "gfm", calibration=None, budget="quick").fit(X, y)
    assert (fitted.recipe_.inference, fitted.recipe_.decision) == ("support", "gfm")
    assert fitted.recipe_.calibration.is_identity
    assert fitted.tuning_ is not None
    assert {trial.recipe for trial in fitted.tuning_.trials} == {"uncalibrated"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"inference": "support"},
        {"inference": "exact"},
        {"inference": "sampled", "n_samples": 20},
        {"inference": "blend"},
        {"inference": "mode"},
        {"decision": "gfm"},
        {"decision": "threshold"},
        {"decision": "most_probable"},
        {"calibration": None},
        {"calibration": "f1"},
    ],
    ids=str,
)
def test_a_parameter_that_is_set_is_not_tuned(parameters: dict[str, Any]) -> None:
    fitted = SetClassifier(BinaryRelevance(strength=0.01), **parameters).fit(X, y)
    if "inference" in parameters:
        assert fitted.recipe_.inference == parameters["inference"]
    if "decision" in parameters:
        assert fitted.recipe_.decision == parameters["decision"]
    if "calibration" in parameters and parameters["calibration"] is None:
        assert fitted.recipe_.calibration.is_identity
        assert fitted.recipe_.scaling.is_identity
    assert fitted.predict(NEW).shape == NEW_Y.shape


def test_a_threshold_that_is_set_is_not_tuned() -> None:
    fitted = SetClassifier(BinaryRelevance(strength=0.01), decision="threshold", threshold=0.3).fit(X, y)
    assert fitted.recipe_.threshold == 0.3
    tuned = SetClassifier(BinaryRelevance(strength=0.01), decision="threshold", threshold="tuned").fit(X, y)
    assert tuned.recipe_.threshold not in (0.3, 0.5)


def test_predictions_are_non_empty_where_every_training_document_has_a_label() -> None:
    full = y.copy()
    full[~full.any(axis=1), 0] = 1
    fitted = SetClassifier(budget="quick").fit(X, full)
    assert fitted.recipe_.at_least_one
    assert fitted.predict(NEW).any(axis=1).all()
    some_without = y.copy()
    some_without[:20] = 0
    assert not SetClassifier(budget="quick").fit(X, some_without).recipe_.at_least_one


def test_a_model_without_a_feasible_recipe_is_refused() -> None:
    with pytest.raises(Incompatible, match=r"^No recipe works for LabelSizeFactors with inference='support'"):
        SetClassifier(LabelSizeFactors(), "support").fit(X, y)


def test_a_fit_continues_from_its_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tuning.jsonl"
    whole = SetClassifier(budget="quick", checkpoint=file).fit(X, y)
    refuse_to_search_br_again(monkeypatch)
    again = SetClassifier(budget="quick", checkpoint=file).fit(X, y)
    assert_array_equal(whole.predict(NEW), again.predict(NEW))


class Numbered(BinaryRelevance):
    """BR that records which documents it reads, by a number in their last feature."""

    read: ClassVar[set[int]] = set()

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Any = None) -> Numbered:
        matrix = FeatureColumns.matrix_of(X)
        self.record(matrix)
        super().fit(matrix[:, :-1], y, sample_weight, callback)
        return self

    def posterior(self, X: Any) -> Posterior:
        self.record(X)
        return super().posterior(X[:, :-1])

    @classmethod
    def record(cls, X: Any) -> None:
        cls.read |= set(X[:, [-1]].toarray().ravel().round().astype(int).tolist())


def numbered(features: Any, first: int) -> sp.csr_array:
    numbers = np.arange(first, first + features.shape[0], dtype=float)
    return sp.csr_array(sp.hstack([features, sp.csr_array(numbers[:, None])]))


def test_no_test_document_is_read_before_the_score() -> None:
    Numbered.read = set()
    train, test = numbered(X, 1), numbered(NEW, 1001)
    fitted = SetClassifier(Numbered(strength=0.01)).fit(train, y)
    assert Numbered.read == set(range(1, 121))
    fitted.score(test, NEW_Y)
    assert set(range(1001, 1041)) <= Numbered.read


def test_scoring_does_not_change_the_choice() -> None:
    fitted = SetClassifier(budget="quick").fit(X, y)
    before = fitted.recipe_, fitted.model_.strength
    fitted.score(NEW, 1 - NEW_Y)
    assert (fitted.recipe_, fitted.model_.strength) == before


def test_few_documents_are_cross_validated() -> None:
    assert default_validation(FEW_DOCUMENTS - 1).n_folds == 3
    assert default_validation(FEW_DOCUMENTS).n_folds is None
    assert default_validation(FEW_DOCUMENTS - 1, thorough=True).n_folds == 5
    assert default_validation(FEW_DOCUMENTS, thorough=True).n_folds == 3
    assert default_validation(FEW_IF_THOROUGH - 1, thorough=True).n_folds == 3
    assert default_validation(FEW_IF_THOROUGH, thorough=True).n_folds is None


@pytest.mark.parametrize(
    ("n_documents", "n_folds", "n_used"),
    [
        (MIN_DOCUMENTS, 10, 10),
        (2000, 10, 10),
        (4000, 10, 5),
        (9999, 10, 3),
        (10_000, 5, 2),
        (19_999, 5, 2),
        (20_000, 10, 2),
        (39_999, 10, 2),
        (40_000, 10, 1),
        (10**6, 10, 1),
    ],
)
def test_enough_documents_are_held_out_for_confidence_and_no_more(n_documents: int, n_folds: int, n_used: int) -> None:
    validation = confidence_validation(n_documents)
    assert validation is not None
    assert (validation.n_folds, validation.n_used) == (n_folds, n_used)
    assert validation.random_state != default_validation(n_documents).random_state
    held_out = min(n_documents * n_used / n_folds, MAX_HELD_OUT)
    enough = 1990 if n_documents < 10_000 else MAX_HELD_OUT
    assert held_out >= enough or n_used == n_folds
    assert confidence_validation(MIN_DOCUMENTS - 1) is None


def test_training_documents_are_left_out_where_they_are_too_much_work() -> None:
    labels = LabelMatrix.of(y)
    whole = default_validation(len(y)).parts(X, labels)[0]
    work = np.size(whole.X) * labels.n_labels
    assert whole.limited(work, 0) is whole
    half = whole.limited(work / 2, 0)
    assert abs(2 * half.y.n_samples - whole.y.n_samples) <= 2
    assert half.X.shape[0] == half.y.n_samples
    assert half.y_held is whole.y_held
    np.testing.assert_allclose(2 * half.y.counts, whole.y.counts, atol=4)
    weighted = replace(whole, sample_weight=np.arange(whole.y.n_samples, dtype=float)).limited(work / 2, 0)
    assert weighted.sample_weight is not None
    assert len(weighted.sample_weight) == half.y.n_samples
    (limited, *_) = replace(default_validation(len(y)), max_work=work / 2).parts(X, labels)
    assert limited.y.n_samples == half.y.n_samples
    assert default_validation(len(y)).max_work == MAX_TUNING_WORK
    assert default_validation(len(y), thorough=True).max_work is None
    validation = confidence_validation(len(y))
    assert validation is None or validation.max_work is None


def test_without_a_refit_the_model_is_the_one_that_was_evaluated() -> None:
    unrefitted = SetClassifier("cbm", budget="quick", refit=False, n_jobs=1).fit(X, y)
    assert unrefitted.tuning_ is not None
    assert unrefitted.model_ is unrefitted.tuning_.trained[0]
    rest, _ = hold_out(y, 0.2, 0)
    again = fit_for(unrefitted.tuning_.model, X[rest], y[rest], unrefitted.tuning_.n_iterations)
    again.round_weights()
    assert same_state(unrefitted.model_, again)
    with pytest.raises(
        InvalidParameter, match=r"^cv must be a share between 0 and 1 where refit=False; got 3 folds\.$"
    ):
        SetClassifier(refit=False, cv=3).fit(X, y)


def test_validation_data_replace_held_out_documents() -> None:
    Numbered.read = set()
    other, their_labels = small_corpus(random_state=5, n=50)
    validation_data = numbered(other, 501), their_labels
    fitted = SetClassifier(Numbered(strength=0.01)).fit(numbered(X, 1), y, validation_data=validation_data)
    assert Numbered.read == {*range(1, 121), *range(501, 551)}
    assert fitted.tuning_ is not None
    assert len(fitted.tuning_.trained) == 1
    named = [[*labels, "yak"] for labels in name_lists(their_labels)]  # a label that no training document has
    again = SetClassifier(BinaryRelevance(strength=0.01)).fit(X, name_lists(y), validation_data=(other, named))
    assert again.tuning_ is not None
    assert again.tuning_.recipe_name == fitted.tuning_.recipe_name


def test_a_thorough_budget_scales_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    few = [path for path in MODELS["br"].grid(BinaryRelevance(), "thorough", 0.1) if path.parameters["l1_ratio"] == 1.0]
    assert [path.parameters["strength_scaling"] for path in few] == ["global", "label"]
    monkeypatch.setattr("setwise.models.grids._LEARNER_GRIDS", {"thorough": (2, (1.0,))})
    fitted = SetClassifier("br", budget="thorough", n_jobs=1, weighting=None).fit(X, y)
    result = fitted.tuning_
    assert result is not None
    names = [one.recipe for one in result.alternatives]
    assert {"support, gfm", "labels scaled, support, gfm"} <= set(names)
    assert {dict(trial.setting.parameters)["strength_scaling"] for trial in result.trials} == {"global", "label"}


def test_scaled_labels_become_part_of_the_model() -> None:
    result = SetClassifier("br", budget="quick", n_jobs=1).fit(X, y).tuning_
    assert result is not None
    scaling = LabelScaling(np.linspace(0.5, 2.0, y.shape[1]), np.linspace(-1.0, 1.0, y.shape[1]))
    scaled = replace(result, label_scaling=scaling)
    plain, changed = result.fit(X, y), scaled.fit(X, y)
    expected = plain.posterior(NEW).rescaled(scaling.scale, scaling.shift).marginals()
    np.testing.assert_allclose(changed.posterior(NEW).marginals(), expected, atol=1e-12)
    part = scaled.fitted_parts()[0]
    np.testing.assert_allclose(part.intercept_, scaling.scale * result.trained[0].intercept_ + scaling.shift)
