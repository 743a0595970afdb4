"""One search shows both what early stopping gives and what training to convergence gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reproduction.paper import MODELS, prediction_recipe
from reproduction.plan import build_model
from reproduction.run import choose_setting, mean_curve
from setwise.labels import LabelMatrix
from setwise.models import LabelModel, Setting, StrengthPath, fit_for
from setwise.prediction import Candidate, Recipe, evaluate_recipe
from setwise.tuning import CurveSchedule, Part, Trial, Validation, search
from tests.models.corpora import small_corpus

SETTINGS = {"strength": 1e-3, "l1_ratio": 0.5}
PATH = StrengthPath((1e-3,), {"l1_ratio": 0.5})
EVEN, ALWAYS = CurveSchedule(0, 2), CurveSchedule(0, 1)


def parts(n_folds: int | None = 3) -> list[Part]:
    X, y = small_corpus(n=90)
    return Validation(0.2, n_folds).parts(X, LabelMatrix.of(y))


def weights(some: list[Part]) -> list[int]:
    return [part.y_held.n_samples for part in some]


def curves(
    name: str, some: list[Part], recipes: dict[str, Recipe], schedule: CurveSchedule
) -> dict[str, list[tuple[int, float]]]:
    """Return the learning curve under each recipe."""
    candidates = [Candidate(one, recipe) for one, recipe in recipes.items()]
    trials = search(build_model(name), [PATH], some, recipes=candidates, learning_curves=schedule)
    return {trial.recipe: mean_curve(trial, weights(some), schedule) for trial in trials}


def f1_after(model: LabelModel, some: list[Part], recipe: Recipe, n_iterations: int | None) -> float:
    """Train for a number of iterations, as a user would, and evaluate."""
    return evaluate_recipe(recipe, [part.held_out(fit_for(model, part.X, part.y, n_iterations)) for part in some])


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_folds", [None, 3])
def test_every_point_of_a_curve_is_a_training_of_so_many_iterations(name: str, n_folds: int | None) -> None:
    model, some = build_model(name).set_params(**SETTINGS), parts(n_folds)
    recipes = {recipe: prediction_recipe(name, recipe) for recipe in (["S+G"] if name == "LSF" else ["S+G", "E+S"])}
    for recipe, curve in curves(name, some, recipes, EVEN).items():
        *points, (_, last) = curve
        assert last == pytest.approx(f1_after(model, some, recipes[recipe], None), abs=1e-12)
        for iteration, value in points:
            assert iteration % 2 == 0
            assert value == pytest.approx(f1_after(model, some, recipes[recipe], iteration), abs=1e-12)


def trial(strength: float, *history: list[tuple[int, float]]) -> Trial:
    return Trial(Setting(strength, (("l1_ratio", 0.5),)), "S", None, 0.0, {"history": list(history)})


def test_early_stopping_uses_the_first_best_iteration() -> None:
    one = trial(1.0, [(1, 0.1), (2, 0.5), (3, 0.5), (4, 0.2)])
    settings = {"strength": 1.0, "l1_ratio": 0.5}
    assert choose_setting([one], [1], ALWAYS, early=True) == (0.5, settings, 2)
    assert choose_setting([one], [1], ALWAYS, early=False) == (0.2, settings, None)


def test_the_first_of_equal_settings_is_chosen() -> None:
    trials = [trial(strength, [(1, value)]) for strength, value in [(4.0, 0.1), (3.0, 0.3), (2.0, 0.3)]]
    for early in (False, True):
        assert choose_setting(trials, [1], ALWAYS, early=early).settings["strength"] == 3.0


def test_a_part_that_has_converged_keeps_its_last_value() -> None:
    """The first part converges after 3 iterations, which are scheduled only if even; the second needs 6."""
    one = trial(1.0, [(2, 0.2), (3, 0.4)], [(2, 0.4), (4, 0.8), (6, 1.0)])
    curve = mean_curve(one, [1, 3], EVEN)
    assert [iteration for iteration, _ in curve] == [2, 4, 6]
    assert [value for _, value in curve] == pytest.approx([0.35, 0.7, 0.85])


def test_a_part_that_converged_before_the_first_scheduled_iteration_counts_from_the_start() -> None:
    curve = mean_curve(trial(1.0, [(3, 0.5)], [(2, 0.1), (4, 0.3)]), [1, 1], EVEN)
    assert dict(curve) == pytest.approx({2: 0.3, 4: 0.4})


def test_recipes_with_the_same_inference_do_not_affect_one_another() -> None:
    some = parts(None)
    recipes = {name: prediction_recipe("BR", name, n_samples=50) for name in ["No REG", "S", "G", "S+G"]}
    together = curves("BR", some, recipes, ALWAYS)
    for name, recipe in recipes.items():
        assert curves("BR", some, {name: recipe}, ALWAYS)[name] == together[name]


def test_a_sparser_schedule_gives_some_of_the_points_and_the_end() -> None:
    recipes = {"S+G": prediction_recipe("BR", "S+G")}
    every, some = (dict(curves("BR", parts(3), recipes, schedule)["S+G"]) for schedule in (ALWAYS, EVEN))
    assert max(some) == max(every) > 4
    assert set(some) == {iteration for iteration in every if iteration % 2 == 0} | {max(every)}
    assert all(np.isclose(some[iteration], every[iteration]) for iteration in some)


def test_the_numbers_of_the_history_are_those_of_json() -> None:
    (one,) = search(
        build_model("BR"),
        [PATH],
        parts(None),
        recipes=[Candidate("S", prediction_recipe("BR", "S"))],
        learning_curves=EVEN,
    )
    history: Any = one.row["history"]
    assert all(isinstance(iteration, int) and isinstance(value, float) for iteration, value in history[0])
    assert one.n_iterations is None
    assert one.value == history[0][-1][1]
