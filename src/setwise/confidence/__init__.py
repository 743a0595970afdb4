"""How sure a predicted set is: probabilities and expected F1 that held-out outcomes agree with."""

from setwise.confidence.automation import (
    Automation,
    AutomationMetric,
    AutomationTarget,
    automation_threshold,
    clopper_pearson,
    empirical_threshold,
)
from setwise.confidence.calibrators import CALIBRATORS, Calibrator, IsotonicCurve, MonotoneTrees, Stated
from setwise.confidence.evidence import COLUMNS, MONOTONE, Evidence
from setwise.confidence.set_confidence import MIN_DOCUMENTS, Confidence, SetConfidence

__all__ = [
    "CALIBRATORS",
    "COLUMNS",
    "MIN_DOCUMENTS",
    "MONOTONE",
    "Automation",
    "AutomationMetric",
    "AutomationTarget",
    "Calibrator",
    "Confidence",
    "Evidence",
    "IsotonicCurve",
    "MonotoneTrees",
    "SetConfidence",
    "Stated",
    "automation_threshold",
    "clopper_pearson",
    "empirical_threshold",
]
