"""The automatic choice of a model: every candidate is reported, and what was finished survives an interruption."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from setwise import SetClassifier, load
from setwise.classifier_spec import ClassifierSpec
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix
from setwise.learners import FeatureColumns
from setwise.models import AUTO_STAGES, BUDGETS, MODELS, AutoStage, BinaryRelevance, Ensemble, PairwiseCRF
from setwise.tuning import auto, pooling
from tests.models.corpora import name_lists, same_state, small_corpus
from tests.tuning.resumed import refuse_to_search_br_again

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=150)
NEW = small_corpus(random_state=1, n=40)[0]


# One recipe, whose calibration takes no search: for tests that are about models and not about recipes.
ONE_RECIPE = {"inference": "support", "decision": "gfm", "calibration": "likelihood"}


def fitted(**options: Any) -> SetClassifier:
    return SetClassifier("auto", n_jobs=1, **options).fit(X, y)


@pytest.fixture(scope="module")
def normal() -> SetClassifier:
    return fitted()


def test_every_model_and_pool_is_reported(normal: SetClassifier) -> None:
    result = normal.tuning_
    assert result is not None
    names = [trial.name for trial in result.model_trials]
    stages = [stage.name for stage in AUTO_STAGES["normal"] if stage.min_documents <= len(y)]
    assert names[: len(stages)] == stages
    assert set(names[len(stages) :]) <= {kind.name for kind in auto.POOLS}
    best = max(result.model_trials, key=lambda trial: trial.value)
    assert result.model_name == best.name
    assert result.value == best.value
    assert all(trial.n_bytes > 0 and trial.seconds is not None for trial in result.model_trials)
    assert normal.score(X, y) > 0.5


def test_quick_is_br_alone() -> None:
    quick = fitted(budget="quick")
    alone = SetClassifier("br", budget="quick", n_jobs=1).fit(X, y)
    assert same_state(quick.model_, alone.model_)
    assert_array_equal(quick.predict(NEW), alone.predict(NEW))
    assert quick.tuning_ is not None
    assert [trial.name for trial in quick.tuning_.model_trials] == ["br"]


def test_models_that_know_training_sets_only_are_not_tried_where_few_documents_have_one() -> None:
    """Every document has a set of its own: no held-out set is a training set."""
    sets = [np.array([number >> bit & 1 for bit in range(7)]) for number in range(1, 91)]
    own = np.array(sets)
    result = SetClassifier("auto", n_jobs=1).fit(own + 0.1, own).tuning_
    assert result is not None
    names = [trial.name for trial in result.model_trials]
    assert names[:2] == ["br, squared hinge", "br"]
    assert "crf" not in names


def test_a_result_is_shown_in_a_few_lines(normal: SetClassifier) -> None:
    assert len(repr(normal.tuning_)) < 1500


def test_a_model_that_needs_many_documents_is_not_tried_on_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    first = AUTO_STAGES["quick"][0]
    for least, names in ((len(y), ["br", "mlp"]), (len(y) + 1, ["br"])):
        monkeypatch.setitem(AUTO_STAGES, "quick", (first, AutoStage("mlp", "mlp", "quick", min_documents=least)))
        result = fitted(budget="quick", **ONE_RECIPE).tuning_
        assert result is not None
        assert [trial.name for trial in result.model_trials][: len(names)] == names
        assert ("mlp" in names) == ("mlp" in [trial.name for trial in result.model_trials])


def test_a_model_with_too_many_weights_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    first, n_weights = AUTO_STAGES["quick"][0], X.shape[1] * y.shape[1]
    for most, expected in ((n_weights, True), (n_weights - 1, False)):
        monkeypatch.setitem(AUTO_STAGES, "quick", (first, AutoStage("pcc", "pcc", "quick", max_weights=most)))
        result = fitted(budget="quick", **ONE_RECIPE).tuning_
        assert result is not None
        assert ("pcc" in [trial.name for trial in result.model_trials]) == expected


def test_a_model_that_scores_too_many_sets_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, features = LabelMatrix.of(y), FeatureColumns.of(X)
    spec = ClassifierSpec(SetClassifier(budget="quick", n_jobs=1).get_params(deep=False))
    n_scores = len(y) * len(np.unique(y, axis=0))
    for most, expected in ((n_scores, ["br", "crf"]), (n_scores - 1, ["br"])):
        crf = AutoStage("crf", "crf", "quick", max_set_scores=most)
        monkeypatch.setitem(AUTO_STAGES, "quick", (AUTO_STAGES["quick"][0], crf))
        parts = spec.parts(X, labels, None, 0, None)
        assert [stage.name for stage in spec.auto_stages(parts, features, labels, 0, False)] == expected
        monkeypatch.undo()


def test_a_model_is_not_tried_on_too_many_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, features = LabelMatrix.of(y), FeatureColumns.of(X)
    spec = ClassifierSpec(SetClassifier(budget="quick", n_jobs=1).get_params(deep=False))
    for most, expected in ((len(y), ["mlp"]), (len(y) - 1, [])):
        monkeypatch.setitem(AUTO_STAGES, "quick", (AutoStage("mlp", "mlp", "quick", max_documents=most),))
        assert [stage.name for stage in spec.auto_stages([], features, labels, 0, False)] == expected


def test_paths_without_l1_are_left_out_where_they_have_too_many_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    n_weights = X.shape[1] * y.shape[1]
    for most, expected in ((n_weights, [1.0, 0.5, 0.0]), (n_weights - 1, [1.0, 0.5])):
        monkeypatch.setitem(AUTO_STAGES, "quick", (AutoStage("br", "br", "normal", max_dense_weights=most),))
        spec = ClassifierSpec(SetClassifier(budget="quick", n_jobs=1).get_params(deep=False))
        labels = LabelMatrix.of(y)
        (stage,) = spec.auto_stages([], FeatureColumns.of(X), labels, 0, False)
        assert [path.parameters["l1_ratio"] for path in stage.grid] == expected


@pytest.mark.parametrize("budget", BUDGETS)
def test_every_stage_names_a_model_and_the_first_is_the_simplest(budget: Any) -> None:
    stages = AUTO_STAGES[budget]
    assert len({stage.name for stage in stages}) == len(stages)
    assert MODELS[stages[0].model].model is BinaryRelevance
    for number, stage in enumerate(stages):
        MODELS[stage.model].model().set_params(**stage.parameters)._check_parameters()
        assert stage.ratio_of in {"", *(earlier.name for earlier in stages[:number])}


def test_the_second_loss_tries_the_ratio_that_was_best_with_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: dict[str, set[float]] = {}
    chosen: dict[str, float] = {}
    plain = auto._tune_stage

    def noted(scheduler: Any, stage: Any, *arguments: Any) -> Any:
        tried[stage.name] = {path.parameters["l1_ratio"] for path in stage.grid}
        result = plain(scheduler, stage, *arguments)
        chosen[stage.name] = result.model.l1_ratio
        return result

    monkeypatch.setattr(auto, "_tune_stage", noted)
    fitted(**ONE_RECIPE)
    assert tried["br, squared hinge"] == {1.0, 0.5, 0.0}
    assert tried["br"] == {chosen["br, squared hinge"]}


def worst_but(name: str) -> Any:
    """Return a stand-in for `_with_trial` that leaves only one model any good."""
    plain = auto._with_trial

    def with_trial(result: Any, own_name: str, started: float) -> Any:
        value = result.value if own_name == name else 0.0
        return plain(replace(result, value=value), own_name, started)

    return with_trial


def test_a_pool_is_trained_on_all_documents_and_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(auto, "_with_trial", worst_but("pool"))
    monkeypatch.setattr(pooling, "simplex_weights", lambda rows: np.full(rows.shape[1], 1.0 / rows.shape[1]))
    classifier = fitted(**ONE_RECIPE)
    model = classifier.model_
    assert isinstance(model, Ensemble)
    assert model.counts_.sum() == len(y)
    assert [type(one) for one in model.models_] == [BinaryRelevance, BinaryRelevance, PairwiseCRF]
    classifier.save(tmp_path / "auto.setwise")
    loaded = load(tmp_path / "auto.setwise")
    assert_array_equal(loaded.predict(NEW), classifier.predict(NEW))
    assert loaded.tuning_ is not None
    assert loaded.tuning_.model_name == "pool"
    assert [trial.name for trial in loaded.tuning_.model_trials][:4] == ["br, squared hinge", "br", "crf", "pool"]
    assert loaded.get_params()["model"] == "auto"
    unrefitted = fitted(refit=False, **ONE_RECIPE)
    assert unrefitted.model_.counts_.sum() < len(y)


def test_two_threads_give_the_same_bits(normal: SetClassifier, tmp_path: Path) -> None:
    two = SetClassifier("auto", n_jobs=2).fit(X, y)
    for number, classifier in enumerate((normal, two)):
        classifier.set_params(n_jobs=None).model_.set_params(n_jobs=None)
        classifier.save(tmp_path / f"{number}.setwise")
    assert_array_equal(normal.predict(NEW), two.predict(NEW))
    assert normal.tuning_ is not None
    assert two.tuning_ is not None
    assert [one.value for one in normal.tuning_.model_trials] == [one.value for one in two.tuning_.model_trials]


class TestPreference:
    def test_the_simplest_within_one_standard_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(auto, "standard_error", lambda *_: 1.0)
        simple = fitted(prefer="simple", **ONE_RECIPE)
        assert simple.tuning_ is not None
        assert simple.tuning_.model_name == AUTO_STAGES["normal"][0].name

    def test_the_best_where_no_simpler_one_is_near(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(auto, "_with_trial", worst_but("crf"))
        simple = fitted(prefer="simple", **ONE_RECIPE)
        assert simple.tuning_ is not None
        assert simple.tuning_.model_name == "crf"


class TestInterruption:
    @staticmethod
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    def test_the_best_model_so_far_is_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(PairwiseCRF, "fit", self.interrupt)
        with pytest.warns(UserWarning, match="interrupted: the best of the 2 models tuned so far is used"):
            classifier = fitted(**ONE_RECIPE)
        assert classifier.tuning_ is not None
        assert [trial.name for trial in classifier.tuning_.model_trials] == ["br, squared hinge", "br"]
        assert isinstance(classifier.model_, BinaryRelevance)

    def test_before_the_first_model_there_is_nothing_to_keep(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(BinaryRelevance, "fit_path", self.interrupt)
        with pytest.raises(KeyboardInterrupt):
            fitted(**ONE_RECIPE)


class TestCheckpoint:
    def test_what_was_finished_is_not_trained_again(
        self, normal: SetClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "tuning.jsonl"
        fitted(checkpoint=file)
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(lines[:-3]), encoding="utf-8")  # as if the second model had not been finished
        refuse_to_search_br_again(monkeypatch)
        again = fitted(checkpoint=file)
        assert_array_equal(again.predict(NEW), normal.predict(NEW))
        assert same_state(again.model_, normal.model_)

        def without_time(line: str) -> str:
            return line.split('"seconds"')[0]

        assert list(map(without_time, file.read_text(encoding="utf-8").splitlines())) == list(
            map(without_time, "".join(lines).splitlines())
        )

    def test_the_choice_of_features_is_stored_too(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        texts = [" ".join(f"word{j}" for j in row.indices) + " common" for row in X]
        options: dict[str, Any] = {"n_jobs": 1, "checkpoint": tmp_path / "tuning.jsonl"}
        first = SetClassifier("br", **options).fit(texts, name_lists(y))
        refuse_to_search_br_again(monkeypatch)
        again = SetClassifier("br", **options).fit(texts, name_lists(y))
        assert first.predict(texts) == again.predict(texts)
        assert again.tuning_ is not None
        assert first.tuning_ is not None
        assert len(again.tuning_.feature_trials) >= 3
        assert again.tuning_.feature_trials == first.tuning_.feature_trials

    def test_a_random_state_is_known_by_its_seed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        options: dict[str, Any] = {"budget": "quick", "checkpoint": tmp_path / "tuning.jsonl"}
        SetClassifier(random_state=np.random.RandomState(3), **options).fit(X, y)
        refuse_to_search_br_again(monkeypatch)
        SetClassifier(random_state=np.random.RandomState(3), **options).fit(X, y)
        with pytest.raises(InvalidData, match="is the checkpoint of another run"):
            SetClassifier(random_state=np.random.RandomState(4), **options).fit(X, y)

    @pytest.mark.parametrize("change", ["text", "label", "option", "validation"])
    def test_a_checkpoint_of_another_run_is_refused(self, tmp_path: Path, change: str) -> None:
        texts = [" ".join(f"word{j}" for j in row.indices) + " common" for row in X]
        labels = name_lists(y)
        file = tmp_path / "tuning.jsonl"
        valid = (texts[:40], labels[:40])
        SetClassifier(budget="quick", checkpoint=file).fit(texts, labels, validation_data=valid)
        before = file.read_bytes()
        options: dict[str, Any] = {"budget": "quick", "checkpoint": file}
        if change == "text":
            texts = [*texts[:-1], texts[-1] + "x"]
        elif change == "label":
            labels = [*labels[:-1], ["ape", "bee", "cat"] if labels[-1] != ["ape", "bee", "cat"] else ["ape"]]
        elif change == "option":
            options["scoring"] = "micro_f1"
        else:
            valid = (texts[:39], labels[:39])
        with pytest.raises(InvalidData, match="is the checkpoint of another run"):
            SetClassifier(**options).fit(texts, labels, validation_data=valid)
        assert file.read_bytes() == before


def test_options_that_only_some_models_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = SetClassifier("auto", "sampled", n_samples=50, n_jobs=1, calibration=None).fit(X, y)
    assert sampled.tuning_ is not None
    assert "crf" not in [trial.name for trial in sampled.tuning_.model_trials]  # it cannot draw sets
    assert np.isfinite(sampled.expected_f1(NEW)).all()
