"""A model, an inference and a decision, put together: how sets are predicted, and how that is tuned."""

from setwise.prediction.from_probabilities import decide
from setwise.prediction.held_out import HeldOut, judged
from setwise.prediction.recipe import Recipe
from setwise.prediction.recipe_selection import Candidate, Chosen, able, choose, cross_fitted
from setwise.prediction.recipe_tuning import TuningTargets, tune_recipe

__all__ = [
    "Candidate",
    "Chosen",
    "HeldOut",
    "Recipe",
    "TuningTargets",
    "able",
    "choose",
    "cross_fitted",
    "decide",
    "judged",
    "tune_recipe",
]
