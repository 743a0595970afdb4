"""Label sets as data: the labels of documents, the sets that occur, and distributions over sets."""

from setwise.labels.calibration import IDENTITY, SetCalibration, calibrate, set_features
from setwise.labels.distribution import (
    Beliefs,
    Decision,
    IndependentLabels,
    IndependentSets,
    MostProbable,
    ScoredSets,
    SetDistribution,
    SizeMarginals,
    require_room,
)
from setwise.labels.forms import LabelLists, is_frame, lists_of_names, read_lists
from setwise.labels.matrix import Kind, LabelMatrix, checked_names, csr_of_ones, row_starts
from setwise.labels.support import Support

__all__ = [
    "IDENTITY",
    "Beliefs",
    "Decision",
    "IndependentLabels",
    "IndependentSets",
    "Kind",
    "LabelLists",
    "LabelMatrix",
    "MostProbable",
    "ScoredSets",
    "SetCalibration",
    "SetDistribution",
    "SizeMarginals",
    "Support",
    "calibrate",
    "checked_names",
    "csr_of_ones",
    "is_frame",
    "lists_of_names",
    "read_lists",
    "require_room",
    "row_starts",
    "set_features",
]
