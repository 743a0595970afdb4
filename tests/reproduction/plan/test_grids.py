"""The settings that are tried, and the iterations that are evaluated."""

from __future__ import annotations

import pytest

from reproduction.paper import MODELS
from reproduction.plan import FULL, QUICK, build_model, curve_schedule, tuning_grid
from setwise.exceptions import InvalidParameter


@pytest.mark.parametrize(
    ("model", "iterations"),
    [
        ("BR", [*range(1, 21), 30, 40]),
        ("CBM", [*range(1, 21), 30, 40]),
        ("CRF", [10, 20, 30, 40]),
        ("CRF without pairs", [10, 20, 30, 40]),
    ],
)
def test_early_iterations_are_all_evaluated_and_then_every_tenth(model: str, iterations: list[int]) -> None:
    schedule = curve_schedule(model)
    assert [iteration for iteration in range(1, 45) if iteration in schedule] == iterations


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("l1", [False, True])
def test_every_setting_is_a_setting_of_the_model(model: str, l1: bool) -> None:
    for effort in (FULL, QUICK):
        paths = tuning_grid(model, 0.5, effort, l1=l1)
        settings = [setting for path in paths for setting in path.settings]
        assert len(set(settings)) == len(settings)
        for setting in settings:
            assert (setting.values["l1_ratio"] > 0) == l1
            build_model(model).set_params(**setting.values)


def test_only_softened_responsibilities_have_negligible_ones() -> None:
    softened = {path.parameters["sharpness"] for path in tuning_grid("CBM", 1.0, FULL, l1=True)}
    assert softened == {0.4, 1.0}
    for path in tuning_grid("CBM", 1.0, FULL, l1=True):
        assert ("negligible" in path.parameters) == (path.parameters["sharpness"] < 1.0)


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"^'SVM' is not a model of the experiments\.$"):
        build_model("SVM")
