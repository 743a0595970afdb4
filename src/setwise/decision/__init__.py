"""From what is known of label sets to the set to predict. A decision never sees documents or a model."""

from setwise.decision.expected import expected_f
from setwise.decision.gfm import gfm
from setwise.decision.most_probable import most_probable
from setwise.decision.threshold import best_threshold, best_thresholds, threshold

__all__ = ["best_threshold", "best_thresholds", "expected_f", "gfm", "most_probable", "threshold"]
