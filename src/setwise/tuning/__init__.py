"""Tuning: the search for strength, L1 ratio and iterations on held-out documents, and early stopping."""

from setwise.tuning.auto import Preference, Stage, tune_models
from setwise.tuning.autotune import Alternative, ModelTrial, TuningResult, autotune
from setwise.tuning.checkpoint import Checkpoint, CheckpointSection, check_checkpoint, whole_lines
from setwise.tuning.early_stopping import CurveSchedule, EarlyStopping, learning_curve
from setwise.tuning.feature_selection import FeatureChoice, FeatureSet, FeatureTrial, select_features
from setwise.tuning.fingerprint import data_fingerprint, parameter_text
from setwise.tuning.held_out_confidence import cross_fitted_confidence, held_out_confidence
from setwise.tuning.plan import FitPlan, PlannedTasks, plan_of
from setwise.tuning.pooling import PoolAdjustment, joint_held_out, simplex_weights
from setwise.tuning.progress import progress_bar
from setwise.tuning.search import PAPER, Progress, ProgressCallback, search
from setwise.tuning.trials import Trial, best_of, trial_of_row
from setwise.tuning.validation import (
    FEW_DOCUMENTS,
    FEW_IF_THOROUGH,
    MAX_HELD_OUT,
    MAX_TUNING_WORK,
    N_FOLDS,
    Part,
    Validation,
    confidence_validation,
    default_validation,
    feature_validation,
    seen_share,
    take_documents,
)

__all__ = [
    "FEW_DOCUMENTS",
    "FEW_IF_THOROUGH",
    "MAX_HELD_OUT",
    "MAX_TUNING_WORK",
    "N_FOLDS",
    "PAPER",
    "Alternative",
    "Checkpoint",
    "CheckpointSection",
    "CurveSchedule",
    "EarlyStopping",
    "FeatureChoice",
    "FeatureSet",
    "FeatureTrial",
    "FitPlan",
    "ModelTrial",
    "Part",
    "PlannedTasks",
    "PoolAdjustment",
    "Preference",
    "Progress",
    "ProgressCallback",
    "Stage",
    "Trial",
    "TuningResult",
    "Validation",
    "autotune",
    "best_of",
    "check_checkpoint",
    "confidence_validation",
    "cross_fitted_confidence",
    "data_fingerprint",
    "default_validation",
    "feature_validation",
    "held_out_confidence",
    "joint_held_out",
    "learning_curve",
    "parameter_text",
    "plan_of",
    "progress_bar",
    "search",
    "seen_share",
    "select_features",
    "simplex_weights",
    "take_documents",
    "trial_of_row",
    "tune_models",
    "whole_lines",
]
