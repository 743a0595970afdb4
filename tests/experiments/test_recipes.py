"""The paper's letters."""

from __future__ import annotations

from itertools import product

import pytest

from setwise.exceptions import InvalidParameter
from setwise.experiments.recipes import (
    MODELS,
    Letters,
    is_random,
    not_applicable,
    prediction,
)
from tests.experiments.examples import PAPER_RECIPES


def test_every_combination_has_a_name_that_is_read_back() -> None:
    every = [Letters(*flags) for flags in product([False, True], repeat=4)]
    assert len({letters.name for letters in every}) == 16
    assert [Letters.of(letters.name) for letters in every] == every
    assert Letters().name == "No REG"
    assert Letters(True, True, True, True).name == "All4"


def test_the_paper_has_its_columns() -> None:
    assert {Letters.of(name).name for name in PAPER_RECIPES} == set(PAPER_RECIPES)
    assert Letters.of("G+S+L") == Letters(l1=True, support=True, gfm=True)


@pytest.mark.parametrize("name", ["", "X", "L+L", "l", "S+", "all4"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidParameter, match="A recipe must be"):
        Letters.of(name)


def test_what_does_not_apply_has_a_reason() -> None:
    missing = {(model, recipe) for model in MODELS for recipe in PAPER_RECIPES if not_applicable(model, recipe)}
    of_crf = {(model, recipe) for model in ("CRF", "CRF without pairs") for recipe in ("No REG", "L+E+G")}
    assert missing == of_crf | {("LSF", recipe) for recipe in ("No REG", "L+E", "L+E+S")}


def test_predictions_are_those_of_the_letters() -> None:
    ways = {
        (model, recipe): (prediction(model, recipe).inference, prediction(model, recipe).decision)
        for model in MODELS
        for recipe in PAPER_RECIPES
        if not_applicable(model, recipe) is None
    }
    for model in ("BR", "PCC", "CBM"):
        assert ways[model, "No REG"] == ways[model, "L+E"] == ("mode", "most_probable")
        assert ways[model, "L+E+S"] == ("support", "most_probable")
        assert ways[model, "L+E+G"] == ("sampled", "gfm")
        assert ways[model, "S+G"] == ways[model, "All4"] == ("support", "gfm")
    assert ways["CRF", "L+E"] == ways["CRF", "L+E+S"] == ("support", "most_probable")
    assert {way for (model, _), way in ways.items() if model == "LSF"} == {("exact", "gfm")}
    assert prediction("BR", "L+E+G").n_samples == 1000  # as in the paper


def test_only_what_is_left_to_chance_is_repeated() -> None:
    applicable = [(model, recipe) for model in MODELS for recipe in PAPER_RECIPES if not not_applicable(model, recipe)]
    found = {(model, recipe) for model, recipe in applicable if is_random(model, recipe)}
    sampled = {("BR", "L+E+G"), ("PCC", "L+E+G")}
    assert found == sampled | {("CBM", recipe) for recipe in PAPER_RECIPES}
