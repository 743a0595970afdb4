"""From a model and documents to what is known of their label sets: over the training sets, exactly, or by samples."""

from setwise.inference.blend import BlendInference
from setwise.inference.calibration import SetCalibration, fit_calibration, fit_scaling
from setwise.inference.exact import ExactInference
from setwise.inference.mode import ModeInference
from setwise.inference.sampling import SampledInference
from setwise.inference.support import SupportInference

__all__ = [
    "BlendInference",
    "ExactInference",
    "ModeInference",
    "SampledInference",
    "SetCalibration",
    "SupportInference",
    "fit_calibration",
    "fit_scaling",
]
