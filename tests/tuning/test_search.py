"""The search: each trial equals a fit of its own, whatever the order, the interruptions and the threads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.metrics import hamming_loss, instance_f1, macro_f1, micro_f1, set_accuracy
from setwise.models import (
    BernoulliMixture,
    BinaryRelevance,
    ClassifierChain,
    LabelSizeFactors,
    PairwiseCRF,
    Patience,
    StrengthPath,
    fit_for,
)
from setwise.prediction import Candidate, HeldOut, Recipe, TuningTargets, tune_recipe
from setwise.tuning import PAPER, Progress, Validation, best_of, evaluation_tasks, search
from setwise.tuning.path_ends import CLEARLY_WORSE, HOPELESS, REACH
from setwise.tuning.search import train_again
from tests.models.corpora import same_state, small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=80)
LABELS = LabelMatrix.of(y)
PARTS = Validation(share=0.3, random_state=1).parts(X, LABELS)
PATHS = [StrengthPath((0.1, 0.01, 0.001), {"l1_ratio": ratio}) for ratio in (1.0, 0.5)]
BR = BinaryRelevance(n_jobs=1)
TIGHT = BinaryRelevance(tol=1e-9, n_jobs=1)  # a path and a fit of its own then predict the same sets
EXACT = Candidate("exact", Recipe("exact", "gfm"))


def scored(model: Any, recipe: Recipe = PAPER.recipe, metric: Any = instance_f1) -> float:
    (part,) = PARTS
    decided = recipe.decide(model.posterior(part.X_held), part.support)
    return float(metric(part.y_held, part.y_held.with_indicator(decided.sets)))


@pytest.mark.parametrize("model", [BR, ClassifierChain(), LabelSizeFactors()], ids=lambda model: type(model).__name__)
def test_a_trial_has_the_value_of_a_fit_of_its_own(model: Any) -> None:
    candidate = EXACT if isinstance(model, LabelSizeFactors) else PAPER
    model = clone(model).set_params(tol=1e-9)
    trials = search(model, PATHS, PARTS, recipes=[candidate])
    assert [one.setting for one in trials] == [setting for path in PATHS for setting in path.settings]
    for one in trials:
        fit = clone(model).set_params(**one.setting.values).fit(PARTS[0].X, PARTS[0].y)
        assert one.value == scored(fit, candidate.recipe)
        assert one.n_iterations is None
        size = fit.size()
        assert (one.row["n_nonzero"], one.row["n_features_used"]) == (size.n_nonzero, size.n_features_used)


def test_rows_have_data_model_settings_score_and_cost() -> None:
    (one, *_) = search(BR, PATHS, PARTS, dataset="synthetic")
    assert one.row.keys() >= {"dataset", "model", "strength", "l1_ratio", "n_iterations", "scoring", "value", "seconds"}
    assert (one.row["dataset"], one.row["model"], one.row["scoring"]) == ("synthetic", "BinaryRelevance", "instance_f1")
    assert one.row["n_bytes"] > 0


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        (BernoulliMixture(3, tol=0.0, max_iter=12), {"gate_strength": 0.1}),
        (PairwiseCRF(max_iter=12), {"l1_ratio": 0.0}),
        (BinaryRelevance(max_iter=12), {"l1_ratio": 1.0}),
    ],
    ids=["cbm", "crf", "br"],
)
def test_early_stopping_chooses_the_iterations_of_the_best_evaluation(model: Any, settings: dict[str, Any]) -> None:
    (trial,) = search(model, [StrengthPath((0.001,), settings)], PARTS, early_stopping=Patience(patience=100))
    values = []
    fit_one = clone(model).set_params(strength=0.001, **settings)
    fit_one.fit(PARTS[0].X, PARTS[0].y, callback=lambda _, seen: values.append(scored(seen)))
    assert trial.value == max(values)
    assert trial.row["history"] == [list(zip(range(1, 1 + len(values)), values, strict=True))]
    assert trial.n_iterations == 1 + values.index(max(values))
    assert trial.value == scored(fit_for(fit_one, PARTS[0].X, PARTS[0].y, trial.n_iterations))


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("instance_f1", instance_f1),
        ("set_accuracy", set_accuracy),
        ("micro_f1", micro_f1),
        ("macro_f1", macro_f1),
        ("hamming_loss", hamming_loss),
    ],
)
def test_every_metric_can_be_the_scoring_and_the_lowest_loss_is_best(name: Any, metric: Any) -> None:
    trials = search(TIGHT, PATHS, PARTS, scoring=name)
    for one in trials:
        fit = clone(TIGHT).set_params(**one.setting.values).fit(PARTS[0].X, PARTS[0].y)
        assert one.value == scored(fit, metric=metric)
    best = best_of(trials, name)
    assert best is not None
    assert best.value == (min if name == "hamming_loss" else max)(one.value for one in trials)


def test_the_value_is_that_of_all_folds_together() -> None:
    parts = Validation(n_folds=3, random_state=0).parts(X, LABELS)
    assert sum(part.y_held.n_samples for part in parts) == 80
    (one,) = search(BR, [StrengthPath((0.01,), {"l1_ratio": 1.0})], parts)
    total = 0.0
    for part in parts:
        fit = clone(BR).set_params(strength=0.01, l1_ratio=1.0).fit(part.X, part.y)
        sets = part.y_held.with_indicator(PAPER.recipe.decide(fit.posterior(part.X_held), part.support).sets)
        total += instance_f1(part.y_held, sets) * part.y_held.n_samples
    assert one.value == pytest.approx(total / 80)


def test_recipes_are_tuned_before_they_are_evaluated() -> None:
    cut = Candidate("cut", Recipe("exact", "threshold", at_least_one=True), TuningTargets(threshold="tuned"))
    trials = search(TIGHT, PATHS[:1], PARTS, recipes=[PAPER, cut])
    assert [one.recipe for one in trials] == ["paper", "cut"] * 3
    for one in trials[1::2]:
        fit = clone(TIGHT).set_params(**one.setting.values).fit(PARTS[0].X, PARTS[0].y)
        held = HeldOut.of(fit, PARTS[0].X_held, PARTS[0].y_held, PARTS[0].support)
        assert one.value == scored(fit, tune_recipe(cut.recipe, cut.targets, [held]))


def test_threads_do_not_matter() -> None:
    one, two = (search(clone(BR).set_params(n_jobs=n), PATHS, PARTS) for n in (1, 2))
    assert [trial.value for trial in one] == [trial.value for trial in two]


def test_at_most_max_documents_are_held_out() -> None:
    few = Validation(share=0.5, random_state=0, max_documents=10).parts(X, LABELS)
    assert few[0].y_held.n_samples == 10
    assert few[0].y.n_samples == 40
    in_folds = Validation(n_folds=4, random_state=0, max_documents=20).parts(X, LABELS)
    assert [part.y_held.n_samples for part in in_folds] == [5] * 4


class TestEndOfPaths:
    LONG = (StrengthPath(tuple(0.3 * 10.0 ** (-number / 2) for number in range(10)), {"l1_ratio": 1.0}),)
    CUT = Candidate("exact, threshold", Recipe("exact", "threshold"), TuningTargets(threshold="tuned"))

    def test_a_path_ends_where_a_much_weaker_strength_is_clearly_worse(self) -> None:
        whole = search(BR, self.LONG, PARTS)
        values, strengths = [one.value for one in whole], [one.setting.strength for one in whole]
        ends = next(
            number
            for number, (value, strength) in enumerate(zip(values, strengths, strict=True), start=1)
            if value < (1.0 - CLEARLY_WORSE) * max(values[:number])
            and strength * REACH <= strengths[values.index(max(values[:number]))]
        )
        assert 2 < ends < len(whole)
        found = search(BR, self.LONG, PARTS, ends_paths=True)
        assert [(one.setting, one.value) for one in found] == [(one.setting, one.value) for one in whole[:ends]]

    def test_every_recipe_has_to_be_past_its_best(self) -> None:
        lengths = [len(search(BR, self.LONG, PARTS, recipes=[one], ends_paths=True)) for one in (PAPER, self.CUT)]
        both = search(BR, self.LONG, PARTS, recipes=[PAPER, self.CUT], ends_paths=True)
        assert len(both) >= 2 * max(lengths)

    def test_weaker_strengths_are_not_trained(self, monkeypatch: pytest.MonkeyPatch) -> None:
        trained: list[float] = []
        set_fits = BinaryRelevance._set_fits

        def noted(model: BinaryRelevance, *fits: Any) -> None:
            trained.append(model.strength)
            set_fits(model, *fits)

        monkeypatch.setattr(BinaryRelevance, "_set_fits", noted)
        found = search(BR, self.LONG, PARTS, ends_paths=True)
        assert trained == [one.setting.strength for one in found]

    POOR_MIDDLE = (
        StrengthPath((0.01,), {"l1_ratio": 1.0}),
        StrengthPath((50.0,), {"l1_ratio": 0.5}),  # so strong that no feature is used
        StrengthPath((0.01,), {"l1_ratio": 0.2}),
        StrengthPath((0.01,), {"l1_ratio": 0.0}),
        StrengthPath((0.01,), {"l1_ratio": 1.0, "strength_scaling": "label"}),
    )

    def test_smaller_l1_ratios_are_not_tried_after_one_that_is_no_better(self) -> None:
        whole = search(BR, self.POOR_MIDDLE, PARTS)
        assert whole[1].value < whole[0].value
        found = search(BR, self.POOR_MIDDLE, PARTS, ends_paths=True)
        assert [one.setting for one in found] == [whole[number].setting for number in (0, 1, 4)]

    def test_a_smaller_l1_ratio_has_to_be_clearly_better(self) -> None:
        equal = [StrengthPath((50.0,), {"l1_ratio": ratio}) for ratio in (1.0, 0.5, 0.2)]  # no feature is used in any
        assert len(search(BR, equal, PARTS, ends_paths=True)) == 2
        rising = self.POOR_MIDDLE[1:4]
        assert len(search(BR, rising, PARTS, ends_paths=True)) == 3

    def test_one_recipe_that_gains_is_enough_to_go_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Only under the second recipe is the second ratio better than the first."""
        order = iter([[0.5, 0.5], [0.4, 0.6], [0.3, 0.3]])
        monkeypatch.setattr(evaluation_tasks, "values_of", lambda *_: next(order))
        found = search(BR, self.POOR_MIDDLE[:3], PARTS, recipes=[PAPER, EXACT], ends_paths=True)
        assert [one.value for one in found] == [0.5, 0.5, 0.4, 0.6, 0.3, 0.3]

    def test_a_grid_ends_with_a_first_path_that_is_hopelessly_below_another_model(self) -> None:
        whole = search(BR, self.POOR_MIDDLE, PARTS)
        for to_beat, n in ((whole[0].value / (1.0 - HOPELESS) + 0.001, 1), (whole[0].value + 0.001, 3)):
            found = search(BR, self.POOR_MIDDLE, PARTS, ends_paths=True, to_beat=to_beat)
            assert len(found) == n
        assert len(search(BR, self.POOR_MIDDLE, PARTS, to_beat=1e9)) == len(whole)

    def test_a_loss_that_is_hopelessly_higher_ends_a_grid_too(self) -> None:
        options: dict[str, Any] = {"scoring": "hamming_loss", "ends_paths": True}
        loss = search(BR, self.POOR_MIDDLE, PARTS, **options)[0].value
        assert loss > 0.0
        assert len(search(BR, self.POOR_MIDDLE, PARTS, **options, to_beat=loss / (1.0 + HOPELESS) - 1e-6)) == 1
        assert len(search(BR, self.POOR_MIDDLE, PARTS, **options, to_beat=loss)) > 1

    @pytest.mark.parametrize("paths", [LONG, POOR_MIDDLE], ids=["strengths", "ratios"])
    def test_a_resumed_search_ends_at_the_same_settings(self, tmp_path: Path, paths: Any) -> None:
        whole = search(BR, paths, PARTS, ends_paths=True, checkpoint=tmp_path / "whole")
        written = (tmp_path / "whole").read_bytes().splitlines(keepends=True)
        for n_lines in range(1, len(written) + 1):
            (tmp_path / "part").write_bytes(b"".join(written[:n_lines]))
            seen: list[Progress] = []
            again = search(BR, paths, PARTS, ends_paths=True, checkpoint=tmp_path / "part", progress=seen.append)
            assert [(one.setting, one.value) for one in again] == [(one.setting, one.value) for one in whole]
            assert seen[-1].done == seen[-1].total == len(whole)


class TestResumed:
    MODELS: tuple[tuple[Any, list[StrengthPath], Patience | None], ...] = (
        (BR, PATHS, None),
        (BernoulliMixture(3, max_iter=3), [StrengthPath((0.01, 0.001))], Patience(patience=2)),
    )

    @pytest.mark.parametrize(("model", "paths", "patience"), MODELS, ids=["br", "cbm"])
    def test_the_result_is_the_same_from_any_number_of_finished_settings(
        self, tmp_path: Path, model: Any, paths: list[StrengthPath], patience: Patience | None
    ) -> None:
        whole = search(model, paths, PARTS, early_stopping=patience, checkpoint=tmp_path / "whole")
        written = (tmp_path / "whole").read_bytes().splitlines(keepends=True)
        assert len(written) == 1 + len(whole)
        for n_lines in range(len(written) + 1):
            (tmp_path / "part").write_bytes(b"".join(written[:n_lines]))
            again = search(model, paths, PARTS, early_stopping=patience, checkpoint=tmp_path / "part")
            assert [(one.setting, one.value, one.n_iterations) for one in again] == [
                (one.setting, one.value, one.n_iterations) for one in whole
            ]
            assert (tmp_path / "part").read_bytes().startswith(b"".join(written[:n_lines]))

    def test_finished_settings_are_not_trained_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = search(BR, PATHS, PARTS, checkpoint=tmp_path / "checkpoint")
        monkeypatch.setattr(BinaryRelevance, "fit_path", lambda *_: pytest.fail("a finished setting was trained again"))
        again = search(BR, PATHS, PARTS, checkpoint=tmp_path / "checkpoint")
        assert [one.row for one in again] == [one.row for one in whole]

    @pytest.mark.parametrize("change", ["data", "grid", "model", "recipe", "scoring"])
    def test_the_checkpoint_of_another_run_is_refused(self, tmp_path: Path, change: str) -> None:
        search(BR, PATHS, PARTS, checkpoint=tmp_path / "checkpoint")
        arguments: dict[str, Any] = {"model": BR, "paths": PATHS, "parts": PARTS}
        match change:
            case "data":
                arguments["parts"] = Validation(share=0.3, random_state=2).parts(X, LABELS)
            case "grid":
                arguments["paths"] = PATHS[:1]
            case "model":
                arguments["model"] = clone(BR).set_params(max_iter=199)
            case "recipe":
                arguments["recipes"] = [EXACT]
            case "scoring":
                arguments["scoring"] = "micro_f1"
        with pytest.raises(InvalidData, match="is the checkpoint of another run"):
            search(**arguments, checkpoint=tmp_path / "checkpoint")

    def test_an_interrupted_run_keeps_finished_settings(self, tmp_path: Path) -> None:
        def interrupt(progress: Progress) -> None:
            if progress.done == 4:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            search(BR, PATHS, PARTS, checkpoint=tmp_path / "checkpoint", progress=interrupt)
        assert len((tmp_path / "checkpoint").read_bytes().splitlines()) == 1 + 4
        seen: list[Progress] = []
        whole = search(BR, PATHS, PARTS, checkpoint=tmp_path / "checkpoint", progress=seen.append)
        assert [progress.done for progress in seen] == [4, 5, 6]
        assert seen[-1].best == best_of(whole)
        assert [one.value for one in whole] == [one.value for one in search(BR, PATHS, PARTS)]


class TestBestModels:
    FOLDS = Validation(n_folds=3).parts(X, LABELS)
    RECIPES = (PAPER, EXACT)

    def test_the_best_trial_under_each_recipe_has_its_models(self) -> None:
        trials = search(BR, PATHS, PARTS, recipes=self.RECIPES, keeps_best=True)
        for recipe in self.RECIPES:
            of_recipe = [one for one in trials if one.recipe == recipe.name]
            best = best_of(of_recipe)
            assert [one for one in of_recipe if one.trained is not None] == [best]
            assert best is not None
            assert best.trained is not None
            assert scored(best.trained[0], recipe.recipe) == best.value
        assert all(one.trained is None for one in search(BR, PATHS, PARTS))

    @pytest.mark.parametrize(
        ("model", "paths", "patience", "parts"),
        [
            (BR, PATHS, None, FOLDS),
            (
                BinaryRelevance(n_jobs=1, loss="squared_hinge"),
                [StrengthPath((0.1, 0.01), {"l1_ratio": 0.0})],
                None,
                PARTS,
            ),
            (PairwiseCRF(n_jobs=1), [StrengthPath((0.1, 0.01))], Patience(2, 3), PARTS),
            (BernoulliMixture(2, n_jobs=1), [StrengthPath((0.1, 0.01))], Patience(2, 3), PARTS),
        ],
        ids=["paths", "squares", "crf", "cbm"],
    )
    def test_models_that_were_not_kept_are_trained_again_to_the_last_bit(
        self, model: Any, paths: Any, patience: Any, parts: Any
    ) -> None:
        trials = search(model, paths, parts, early_stopping=patience, keeps_best=True)
        best = best_of(trials)
        assert best is not None
        assert best.trained is not None
        again = train_again(model, paths, parts, replace(best, trained=None), patience is not None)
        for kept, trained in zip(best.trained, again, strict=True):
            assert same_state(kept, trained)
        assert train_again(model, paths, parts, best, patience is not None) is best.trained

    def test_models_of_folds_that_stopped_at_different_iterations_are_not_kept(self) -> None:
        trials = search(
            PairwiseCRF(n_jobs=1), [StrengthPath((0.01,))], self.FOLDS, early_stopping=Patience(1, 1), keeps_best=True
        )
        (best,) = trials
        stopped = {max(history, key=lambda row: row[1])[0] for history in best.row["history"]}
        assert len(stopped) > 1
        assert best.trained is None


def test_an_unknown_scoring_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="scoring must be one of"):
        search(BR, PATHS, PARTS, scoring="auc")
