"""Elastic-net logistic learners: every fit carries the certificate of its optimality."""

from setwise.learners.binary import BinaryLogistic, LabelFits, critical_strengths, fit_labels
from setwise.learners.features import FeatureColumns
from setwise.learners.path import fit_path, strength_grid
from setwise.learners.penalty import ElasticNet

__all__ = [
    "BinaryLogistic",
    "ElasticNet",
    "FeatureColumns",
    "LabelFits",
    "critical_strengths",
    "fit_labels",
    "fit_path",
    "strength_grid",
]
