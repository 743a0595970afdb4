"""From beliefs about label sets to the set to predict. A decision never sees documents or a model."""

from setwise.decision.expected_jaccard import expected_jaccard
from setwise.decision.gfm import expected_f, gfm
from setwise.decision.most_probable import most_probable
from setwise.decision.registry import DECISIONS, DecisionEntry
from setwise.decision.threshold import best_threshold, best_thresholds, threshold

__all__ = [
    "DECISIONS",
    "DecisionEntry",
    "best_threshold",
    "best_thresholds",
    "expected_f",
    "expected_jaccard",
    "gfm",
    "most_probable",
    "threshold",
]
