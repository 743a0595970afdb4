"""A model, an inference and a decision, put together: how sets are predicted, and how that is tuned."""

from setwise.prediction.given import decide
from setwise.prediction.recipe import Recipe
from setwise.prediction.tuned import Wishes, tuned

__all__ = ["Recipe", "Wishes", "decide", "tuned"]
