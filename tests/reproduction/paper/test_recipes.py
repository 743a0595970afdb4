"""The paper's recipes."""

from __future__ import annotations

from itertools import product

import pytest
from scipy.special import logit

from reproduction.paper import (
    CBM_NON_EMPTY,
    MODELS,
    Regularizers,
    base_model,
    is_random,
    not_applicable,
    prediction_recipe,
)
from setwise.exceptions import InvalidParameter
from setwise.labels import LabelMatrix, Support
from setwise.models.bernoulli_posterior import IndependentPosterior
from tests.reproduction.examples import PAPER_RECIPES


def test_every_combination_has_a_name_that_is_parsed_back() -> None:
    every = [Regularizers(*flags) for flags in product([False, True], repeat=4)]
    assert len({regularizers.name for regularizers in every}) == 16
    assert [Regularizers.of(regularizers.name) for regularizers in every] == every
    assert Regularizers().name == "No REG"
    assert Regularizers(True, True, True, True).name == "All4"


def test_the_paper_has_its_columns() -> None:
    assert {Regularizers.of(name).name for name in PAPER_RECIPES} == set(PAPER_RECIPES)
    assert Regularizers.of("G+S+L") == Regularizers(l1=True, support=True, gfm=True)


@pytest.mark.parametrize("name", ["", "X", "L+L", "l", "S+", "all4"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidParameter, match="A recipe must be"):
        Regularizers.of(name)


def test_recipes_that_do_not_apply_have_a_reason() -> None:
    missing = {(model, recipe) for model in MODELS for recipe in PAPER_RECIPES if not_applicable(model, recipe)}
    of_crf = {(model, recipe) for model in ("CRF", "CRF without pairs") for recipe in ("No REG", "L+E+G")}
    assert missing == of_crf | {("LSF", recipe) for recipe in ("No REG", "L+E", "L+E+S")}


def test_predictions_follow_the_letters() -> None:
    predictions = {
        (model, recipe): (prediction_recipe(model, recipe).inference, prediction_recipe(model, recipe).decision)
        for model in MODELS
        for recipe in PAPER_RECIPES
        if not_applicable(model, recipe) is None
    }
    for model in ("BR", "PCC", "CBM"):
        assert predictions[model, "No REG"] == predictions[model, "L+E"] == ("mode", "most_probable")
        assert predictions[model, "L+E+S"] == ("support", "most_probable")
        assert predictions[model, "L+E+G"] == ("sampled", "gfm")
        assert predictions[model, "S+G"] == predictions[model, "All4"] == ("support", "gfm")
    assert predictions["CRF", "L+E"] == predictions["CRF", "L+E+S"] == ("support", "most_probable")
    assert {pair for (model, _), pair in predictions.items() if model == "LSF"} == {("exact", "gfm")}
    assert prediction_recipe("BR", "L+E+G").n_samples == 1000  # as in the paper


def test_cbm_and_samples_are_random() -> None:
    applicable = [(model, recipe) for model in MODELS for recipe in PAPER_RECIPES if not not_applicable(model, recipe)]
    random = {(model, recipe) for model, recipe in applicable if is_random(model, recipe)}
    sampled = {("BR", "L+E+G"), ("PCC", "L+E+G")}
    assert random == sampled | {("CBM", recipe) for recipe in PAPER_RECIPES}


def test_cbm_without_the_empty_set_differs_where_the_most_probable_set_is_predicted() -> None:
    assert [base_model(name) for name in (*MODELS, CBM_NON_EMPTY)] == [*MODELS, "CBM"]
    for recipe in PAPER_RECIPES:
        applies = recipe in ("No REG", "L+E")
        assert (not_applicable(CBM_NON_EMPTY, recipe) is None) == applies
    assert is_random(CBM_NON_EMPTY, "No REG")


def test_cbm_without_the_empty_set_predicts_the_most_probable_set_that_is_not_empty() -> None:
    logits = logit([[0.3, 0.4, 0.1], [0.3, 0.6, 0.1]])
    posterior = IndependentPosterior.of_scores(("a", "b", "c"), logits, n_jobs=1)
    support = Support.of(LabelMatrix.of([["a"], ["b", "c"]]))
    for model, expected in (("CBM", [[0, 0, 0], [0, 1, 0]]), (CBM_NON_EMPTY, [[0, 1, 0], [0, 1, 0]])):
        recipe = prediction_recipe(model, "No REG")
        assert recipe.decide(posterior, support, with_value=False).sets.toarray().tolist() == expected
