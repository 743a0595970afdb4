"""How sets are predicted: a posterior, an inference and a decision put together, and how that is tuned."""

from setwise.prediction.from_probabilities import decide
from setwise.prediction.held_out import HeldOut, StoredPosterior, evaluate_recipe, evaluate_sets, standard_error
from setwise.prediction.recipe import (
    DecisionName,
    DocumentBlock,
    InferenceName,
    Recipe,
    are_compatible,
    expected_f1,
)
from setwise.prediction.recipe_selection import (
    UNCHANGED,
    Adjustment,
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
    "UNCHANGED",
    "Adjustment",
    "CalibrationMethod",
    "Candidate",
    "DecisionName",
    "DocumentBlock",
    "HeldOut",
    "InferenceName",
    "Recipe",
    "SelectedRecipe",
    "StoredPosterior",
    "TuningTargets",
    "are_compatible",
    "candidates",
    "cross_fitted",
    "decide",
    "evaluate_recipe",
    "evaluate_sets",
    "expected_f1",
    "feasible",
    "screening",
    "select_recipe",
    "standard_error",
    "tune_recipe",
]
