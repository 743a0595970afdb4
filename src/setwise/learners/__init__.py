"""Elastic-net logistic learners: every fit carries the certificate of its optimality."""

from setwise.learners.binary import BinaryLogistic, critical_strengths, fit_labels
from setwise.learners.features import FeatureColumns
from setwise.learners.fits import LabelFits
from setwise.learners.multinomial import ClassFit, MultinomialLogistic, fit_classes
from setwise.learners.path import fit_path, strength_grid
from setwise.learners.penalty import ElasticNet

__all__ = [
    "BinaryLogistic",
    "ClassFit",
    "ElasticNet",
    "FeatureColumns",
    "LabelFits",
    "MultinomialLogistic",
    "critical_strengths",
    "fit_classes",
    "fit_labels",
    "fit_path",
    "strength_grid",
]
