"""Tuning: the search for strength, L1 ratio and iterations on held-out documents, and early stopping."""

from setwise.tuning.autotune import Alternative, TuningResult, autotune
from setwise.tuning.checkpoint import Checkpoint, check_checkpoint, whole_lines
from setwise.tuning.early_stopping import CurveSchedule, EarlyStopping, learning_curve
from setwise.tuning.feature_selection import FeatureChoice, FeatureSet, FeatureTrial, select_features
from setwise.tuning.progress import progress_bar
from setwise.tuning.search import PAPER, Progress, ProgressCallback, Trial, best_of, search, trial_of_row
from setwise.tuning.validation import (
    FEW_DOCUMENTS,
    MAX_HELD_OUT,
    Part,
    Validation,
    default_validation,
    take_documents,
)

__all__ = [
    "FEW_DOCUMENTS",
    "MAX_HELD_OUT",
    "PAPER",
    "Alternative",
    "Checkpoint",
    "CurveSchedule",
    "EarlyStopping",
    "FeatureChoice",
    "FeatureSet",
    "FeatureTrial",
    "Part",
    "Progress",
    "ProgressCallback",
    "Trial",
    "TuningResult",
    "Validation",
    "autotune",
    "best_of",
    "check_checkpoint",
    "default_validation",
    "learning_curve",
    "progress_bar",
    "search",
    "select_features",
    "take_documents",
    "trial_of_row",
    "whole_lines",
]
