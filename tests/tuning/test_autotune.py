"""The default without options: it tunes model and prediction, reports, and sees nothing it should not."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from setwise import SetClassifier
from setwise.classifier_spec import MODELS
from setwise.data.splits import hold_out
from setwise.exceptions import Incompatible, InvalidParameter
from setwise.models import BinaryRelevance, LabelSizeFactors
from setwise.tuning import autotune, fit_for
from tests.models.corpora import name_lists, same_state, small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=120)
NEW, NEW_Y = small_corpus(random_state=1, n=40)


def test_without_options_it_finds_settings_and_a_recipe_and_says_so() -> None:
    fitted = SetClassifier().fit(X, name_lists(y))
    found = fitted.tuning_
    assert len({tuple(one.cell.settings.items()) for one in found.tried}) == 24
    assert fitted.model_.strength == found.model.strength in [one.cell.strength for one in found.tried]
    assert found.value == max(one.value for one in found.alternatives)
    names = [one.recipe for one in found.alternatives]
    assert found.recipe_name in names
    assert {"support, gfm", "support, likelihood, gfm", "exact, threshold"} <= set(names)
    assert fitted.recipe_ is found.recipe
    assert fitted.score(NEW, name_lists(NEW_Y)) > 0.5


@pytest.mark.parametrize("model", MODELS)
def test_every_model_by_name(model: str) -> None:
    fitted = SetClassifier(model, budget="quick", n_jobs=1).fit(X, y)
    assert type(fitted.model_) is MODELS[model]
    assert fitted.predict(NEW).shape == NEW_Y.shape
    if model in ("crf", "cbm"):
        assert fitted.tuning_.iterations is not None
        assert fitted.model_.n_iter_ <= fitted.tuning_.iterations
    else:
        assert fitted.tuning_.iterations is None


def test_the_same_seed_gives_the_same_and_threads_do_not_matter() -> None:
    one, two = (SetClassifier(budget="quick", n_jobs=n, random_state=3).fit(X, y) for n in (1, 2))
    assert one.tuning_.value == two.tuning_.value
    assert_array_equal(one.predict(NEW), two.predict(NEW))


def test_a_model_of_ones_own_keeps_its_parameters() -> None:
    fitted = SetClassifier(BinaryRelevance(strength=0.02, l1_ratio=0.3)).fit(X, y)
    assert (fitted.model_.strength, fitted.model_.l1_ratio) == (0.02, 0.3)
    assert fitted.tuning_.tried == []
    assert len(fitted.tuning_.alternatives) > 3


def test_the_recipe_of_the_paper_is_there_as_it_is_printed() -> None:
    fitted = SetClassifier("br", "support", "gfm", calibration=None, budget="quick").fit(X, y)
    assert (fitted.recipe_.inference, fitted.recipe_.decision) == ("support", "gfm")
    assert fitted.recipe_.calibration.changes_nothing
    assert {one.judge for one in fitted.tuning_.tried} == {"as it is"}


@pytest.mark.parametrize(
    "given",
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
def test_what_is_given_holds(given: dict[str, Any]) -> None:
    fitted = SetClassifier(BinaryRelevance(strength=0.01), **given).fit(X, y)
    if "inference" in given:
        assert fitted.recipe_.inference == given["inference"]
    if "decision" in given:
        assert fitted.recipe_.decision == given["decision"]
    if "calibration" in given and given["calibration"] is None:
        assert fitted.recipe_.calibration.changes_nothing
        assert fitted.recipe_.scaling.changes_nothing
    assert fitted.predict(NEW).shape == NEW_Y.shape


def test_a_threshold_that_is_given_holds_whatever_is_tuned_beside_it() -> None:
    fitted = SetClassifier(BinaryRelevance(strength=0.01), decision="threshold", threshold=0.3).fit(X, y)
    assert fitted.threshold_ == 0.3
    assert SetClassifier(BinaryRelevance(strength=0.01), decision="threshold", threshold="tuned").fit(
        X, y
    ).threshold_ not in (0.3, 0.5)


def test_where_every_document_has_a_label_every_prediction_has() -> None:
    full = y.copy()
    full[~full.any(axis=1), 0] = 1
    fitted = SetClassifier(budget="quick").fit(X, full)
    assert fitted.recipe_.at_least_one
    assert fitted.predict(NEW).any(axis=1).all()
    some_without = y.copy()
    some_without[:20] = 0
    assert not SetClassifier(budget="quick").fit(X, some_without).recipe_.at_least_one


def test_what_cannot_be_is_refused_in_one_sentence() -> None:
    with pytest.raises(Incompatible, match=r"^There is no recipe for LabelSizeFactors with inference='support'"):
        SetClassifier(LabelSizeFactors(), "support").fit(X, y)


def test_a_fit_that_was_ended_goes_on_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tuning.jsonl"
    whole = SetClassifier(budget="quick", tuning_file=file).fit(X, y)
    monkeypatch.setattr(BinaryRelevance, "fit_path", lambda *_: pytest.fail("it was tuned again"))
    again = SetClassifier(budget="quick", tuning_file=file).fit(X, y)
    assert_array_equal(whole.predict(NEW), again.predict(NEW))


class Numbered(BinaryRelevance):
    """BR that notes which documents it is shown, by a number in their last feature."""

    shown: ClassVar[set[int]] = set()

    def fit(self, X: Any, y: Any, callback: Any = None) -> Numbered:
        self.note(X)
        super().fit(X[:, :-1], y, callback)
        return self

    def scores(self, X: Any) -> Any:
        self.note(X)
        return super().scores(X[:, :-1])

    @classmethod
    def note(cls, X: Any) -> None:
        cls.shown |= set(X[:, [-1]].toarray().ravel().round().astype(int).tolist())


def numbered(features: Any, first: int) -> sp.csr_array:
    numbers = np.arange(first, first + features.shape[0], dtype=float)
    return sp.csr_array(sp.hstack([features, sp.csr_array(numbers[:, None])]))


def test_no_test_document_is_read_before_the_score() -> None:
    Numbered.shown = set()
    train, test = numbered(X, 1), numbered(NEW, 1001)
    fitted = SetClassifier(Numbered(strength=0.01)).fit(train, y)
    assert Numbered.shown == set(range(1, 121))
    fitted.score(test, NEW_Y)
    assert set(range(1001, 1041)) <= Numbered.shown


def test_the_choice_does_not_change_with_test_labels() -> None:
    """Held-out documents alone choose: other labels for the rest of the world change nothing."""
    fitted = SetClassifier(budget="quick").fit(X, y)
    before = fitted.recipe_, fitted.model_.strength
    fitted.score(NEW, 1 - NEW_Y)
    assert (fitted.recipe_, fitted.model_.strength) == before


def test_few_documents_are_held_out_in_turns() -> None:
    assert autotune.usual_validation(autotune.FEW_DOCUMENTS - 1).n_folds == 3
    assert autotune.usual_validation(autotune.FEW_DOCUMENTS).n_folds is None


def test_without_a_refit_the_model_is_the_one_that_was_judged() -> None:
    kept = SetClassifier("cbm", budget="quick", refit=False, n_jobs=1).fit(X, y)
    assert kept.model_ is kept.tuning_.trained[0]
    rest, _ = hold_out(y, 0.2, 0)
    again = fit_for(kept.tuning_.model, X[rest], y[rest], kept.tuning_.iterations)
    again.round_weights()
    assert same_state(kept.model_, again)
    with pytest.raises(InvalidParameter, match=r"^held_out must be a share where refit=False; got 3 folds\.$"):
        SetClassifier(refit=False, held_out=3).fit(X, y)


def test_documents_given_to_tune_on_are_the_ones_that_choose() -> None:
    Numbered.shown = set()
    other, their_labels = small_corpus(random_state=5, n=50)
    fitted = SetClassifier(Numbered(strength=0.01)).fit(numbered(X, 1), y, valid=(numbered(other, 501), their_labels))
    assert Numbered.shown == {*range(1, 121), *range(501, 551)}
    assert len(fitted.tuning_.trained) == 1
    named = [[*labels, "yak"] for labels in name_lists(their_labels)]  # a label that no training document has
    again = SetClassifier(BinaryRelevance(strength=0.01)).fit(X, name_lists(y), valid=(other, named))
    assert again.tuning_.recipe_name == fitted.tuning_.recipe_name
