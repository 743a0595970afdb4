"""One training tells both what early stopping gives and what training to the end gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from setwise.experiments.grids import make_model
from setwise.experiments.recipes import MODELS, prediction
from setwise.experiments.watching import Watched, watched
from setwise.labels import LabelMatrix
from setwise.prediction import judged
from setwise.tuning import Part, Validation, fit_for
from tests.models.corpora import small_corpus

SETTINGS = {"strength": 1e-3, "l1_ratio": 0.5}


def is_even(iteration: int) -> bool:
    return iteration % 2 == 0


def always(_: int) -> bool:
    return True


def parts(n_folds: int | None = 3) -> list[Part]:
    X, y = small_corpus(n=90)
    return Validation(0.2, n_folds).parts(X, LabelMatrix.of(y))


def by_hand(model: Any, some: list[Part], recipe: Any, iterations: int | None) -> float:
    """Train for so many iterations, as a user would, and score."""
    held = [part.held_out(fit_for(model, part.X, part.y, iterations)) for part in some]
    return judged(recipe, held)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_folds", [None, 3])
def test_every_look_is_a_training_of_so_many_iterations(name: str, n_folds: int | None) -> None:
    model, some = make_model(name).set_params(**SETTINGS), parts(n_folds)
    recipes = ["S+G"] if name == "LSF" else ["S+G", "E+S"]
    judges = {recipe: prediction(name, recipe) for recipe in recipes}
    seen = watched(make_model(name), SETTINGS, some, judges, is_even)
    for recipe in recipes:
        values = seen.values[recipe]
        assert seen.best(recipe, early=False) == (values[-1], SETTINGS, None)
        assert values[-1] == pytest.approx(by_hand(model, some, judges[recipe], None), abs=1e-12)
        for iteration, value in list(zip(seen.iterations, values, strict=True))[:-1]:
            assert is_even(iteration)
            assert value == pytest.approx(by_hand(model, some, judges[recipe], iteration), abs=1e-12)


def test_early_stopping_takes_the_first_best_look() -> None:
    seen = Watched(SETTINGS, [1, 2, 3, 4], {"S": [0.1, 0.5, 0.5, 0.2]})
    assert seen.best("S", early=True) == (0.5, SETTINGS, 2)
    assert seen.best("S", early=False) == (0.2, SETTINGS, None)


def test_judges_that_share_an_inference_do_not_disturb_one_another() -> None:
    some = parts(None)
    names = ["No REG", "S", "G", "S+G"]
    judges = {name: prediction("BR", name, n_samples=50) for name in names}
    together = watched(make_model("BR"), SETTINGS, some, judges, always)
    for name in names:
        alone = watched(make_model("BR"), SETTINGS, some, {name: judges[name]}, always)
        assert np.array_equal(together.values[name], alone.values[name])


def test_fewer_looks_give_some_of_the_values_and_the_end() -> None:
    judges = {"S+G": prediction("BR", "S+G")}
    every, some = (watched(make_model("BR"), SETTINGS, parts(3), judges, rule) for rule in (always, is_even))
    assert some.iterations[-1] == every.iterations[-1] > 4
    assert set(some.iterations[:-1]) == {one for one in every.iterations[:-1] if is_even(one)}
    values = dict(zip(every.iterations, every.values["S+G"], strict=True))
    assert some.values["S+G"] == [values[one] for one in some.iterations]
