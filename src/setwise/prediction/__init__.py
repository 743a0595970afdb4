"""A model, an inference and a decision, put together: how sets are predicted, and how that is tuned."""

from setwise.prediction.choice import Candidate, Chosen, able, choose, cross_fitted
from setwise.prediction.given import decide
from setwise.prediction.held_out import HeldOut, judged
from setwise.prediction.recipe import Recipe
from setwise.prediction.tuned import Wishes, tuned

__all__ = [
    "Candidate",
    "Chosen",
    "HeldOut",
    "Recipe",
    "Wishes",
    "able",
    "choose",
    "cross_fitted",
    "decide",
    "judged",
    "tuned",
]
