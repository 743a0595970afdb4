"""How sets are predicted: a posterior, an inference and a decision put together, and how that is tuned."""

from setwise.prediction.from_probabilities import decide
from setwise.prediction.held_out import HeldOut, evaluate_recipe
from setwise.prediction.recipe import DecisionName, InferenceName, Recipe, are_compatible
from setwise.prediction.recipe_selection import (
    Candidate,
    SelectedRecipe,
    candidates,
    cross_fitted,
    feasible,
    screening,
    select_recipe,
)
from setwise.prediction.recipe_tuning import CalibrationMethod, TuningTargets, tune_recipe

__all__ = [
    "CalibrationMethod",
    "Candidate",
    "DecisionName",
    "HeldOut",
    "InferenceName",
    "Recipe",
    "SelectedRecipe",
    "TuningTargets",
    "are_compatible",
    "candidates",
    "cross_fitted",
    "decide",
    "evaluate_recipe",
    "feasible",
    "screening",
    "select_recipe",
    "tune_recipe",
]
