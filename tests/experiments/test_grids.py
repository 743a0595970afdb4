"""What is tried, and when it is looked at."""

from __future__ import annotations

import pytest

from setwise.experiments.grids import looked_at


@pytest.mark.parametrize(
    ("model", "looks"),
    [
        ("BR", [*range(1, 21), 30, 40]),
        ("CBM", [*range(1, 21), 30, 40]),
        ("CRF", [10, 20, 30, 40]),
        ("CRF without pairs", [10, 20, 30, 40]),
    ],
)
def test_all_early_iterations_are_looked_at_and_then_every_tenth(model: str, looks: list[int]) -> None:
    assert [iteration for iteration in range(1, 45) if looked_at(model, iteration)] == looks
