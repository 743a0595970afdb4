"""Learning curves: trainings that are evaluated but not stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from setwise.exceptions import InvalidParameter
from setwise.labels import LabelMatrix
from setwise.models import BinaryRelevance, Patience, StrengthPath, fit_for
from setwise.prediction import Candidate, Recipe, evaluate_recipe
from setwise.tuning import CurveSchedule, Part, Validation, learning_curve, search
from tests.models.corpora import small_corpus

GRID = [StrengthPath((1e-2, 1e-3), {"l1_ratio": 0.5})]
RECIPES = [Candidate("support", Recipe("support", "gfm")), Candidate("mode", Recipe("mode", "most_probable"))]
EVEN = CurveSchedule(0, 2)


def parts(n_folds: int | None = None) -> list[Part]:
    X, y = small_corpus(n=90)
    return Validation(0.2, n_folds).parts(X, LabelMatrix.of(y))


def test_a_schedule_contains_the_first_iterations_and_multiples() -> None:
    assert [iteration for iteration in range(1, 25) if iteration in CurveSchedule(3, 10)] == [1, 2, 3, 10, 20]
    assert [iteration for iteration in range(1, 8) if iteration in CurveSchedule(0, 3)] == [3, 6]


@pytest.mark.parametrize(("first", "every"), [(-1, 1), (0, 0), (1.5, 1)])
def test_a_schedule_has_whole_numbers(first: int, every: int) -> None:
    with pytest.raises(InvalidParameter, match="first|every"):
        CurveSchedule(first, every)


def test_the_last_point_is_the_fitted_model() -> None:
    (part,) = parts()
    model = BinaryRelevance(strength=1e-3)
    curve = learning_curve(model, part.X, part.y, lambda trained: trained.coef_.copy(), EVEN)
    iterations = [iteration for iteration, _ in curve]
    assert all(iteration % 2 == 0 for iteration in iterations[:-1])
    assert len(iterations) > 2
    assert abs(curve[-1][1] - model.coef_).max() == 0
    converged = BinaryRelevance(strength=1e-3).fit(part.X, part.y)
    assert abs(converged.coef_ - model.coef_).max() == 0


@pytest.mark.parametrize("n_folds", [None, 3])
def test_the_history_of_a_trial_is_the_curve_of_its_recipe(n_folds: int | None) -> None:
    some = parts(n_folds)
    trials = search(BinaryRelevance(), GRID, some, recipes=RECIPES, learning_curves=EVEN)
    assert [(trial.setting.strength, trial.recipe) for trial in trials] == [
        (strength, recipe.name) for strength in GRID[0].strengths for recipe in RECIPES
    ]
    for trial in trials:
        recipe = next(one.recipe for one in RECIPES if one.name == trial.recipe)
        model = BinaryRelevance().set_params(**trial.setting.values)
        assert trial.n_iterations is None
        for part, curve in zip(some, trial.row["history"], strict=True):
            for iteration, value in curve:
                fitted = fit_for(model, part.X, part.y, iteration)
                assert value == evaluate_recipe(recipe, [part.held_out(fitted)])


def test_an_interrupted_search_continues_with_the_same_result(tmp_path: Path) -> None:
    some, path = parts(), tmp_path / "trials.jsonl"

    def run(checkpoint: Path | None) -> list[dict[str, object]]:
        trials = search(BinaryRelevance(), GRID, some, recipes=RECIPES, learning_curves=EVEN, checkpoint=checkpoint)
        return [
            {**trial.row, "seconds": 0, "history": [list(map(list, one)) for one in trial.row["history"]]}
            for trial in trials
        ]

    whole = run(path)
    header, first, *_ = path.read_text().splitlines()
    path.write_text(f"{header}\n{first}\n")
    assert run(path) == whole == run(None)


def test_early_stopping_and_learning_curves_exclude_each_other() -> None:
    with pytest.raises(InvalidParameter, match="Use one of them"):
        search(BinaryRelevance(), GRID, parts(), early_stopping=Patience(), learning_curves=EVEN)
