"""From a model's posterior to beliefs about label sets: over the training sets, exactly, or by samples."""

from setwise.inference.base import Inference, documents_per_block
from setwise.inference.blend import BlendInference, size_marginals_of
from setwise.inference.calibration import fit_calibration, fit_scaling, improve_calibration
from setwise.inference.exact import ExactInference
from setwise.inference.independent import IndependentInference
from setwise.inference.label_scaling import LabelScaling, fit_label_scaling
from setwise.inference.mode import ModeInference
from setwise.inference.registry import INFERENCES, InferenceEntry
from setwise.inference.sampled import MAX_DRAWN, SampledInference
from setwise.inference.support import SupportInference

__all__ = [
    "INFERENCES",
    "MAX_DRAWN",
    "BlendInference",
    "ExactInference",
    "IndependentInference",
    "Inference",
    "InferenceEntry",
    "LabelScaling",
    "ModeInference",
    "SampledInference",
    "SupportInference",
    "documents_per_block",
    "fit_calibration",
    "fit_label_scaling",
    "fit_scaling",
    "improve_calibration",
    "size_marginals_of",
]
