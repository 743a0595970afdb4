"""Linear classifiers with an elastic net, binary and multinomial; every fit carries its optimality certificate."""

from setwise._validation import checked_strengths
from setwise.learners.binary import BinaryLogistic, advanced, critical_strength, critical_strengths, fit_labels
from setwise.learners.blas_threads import one_blas_thread, use_one_blas_thread
from setwise.learners.features import FeatureColumns, padded
from setwise.learners.fits import (
    CONSTANT_LOGIT,
    LEAST_TOL,
    RELATIVE_TOL,
    LabelFits,
    Start,
    warn_unless_converged,
)
from setwise.learners.losses import LOSS_CONSTRAINTS, LOSSES, Loss, LossName
from setwise.learners.multinomial import ClassFit, ClassProblem, MultinomialLogistic, fit_classes
from setwise.learners.path import fit_path, strength_grid
from setwise.learners.penalty import ElasticNet
from setwise.learners.problem import STRENGTH_SCALING, BinaryProblem, StrengthScaling
from setwise.learners.quasi_newton import Iterate, QuasiNewtonOptions, quasi_newton
from setwise.learners.ridge import LeastSquares, LeastSquaresFit
from setwise.learners.scoring import LinearScorer, linear_scores

__all__ = [
    "CONSTANT_LOGIT",
    "LEAST_TOL",
    "LOSSES",
    "LOSS_CONSTRAINTS",
    "RELATIVE_TOL",
    "STRENGTH_SCALING",
    "BinaryLogistic",
    "BinaryProblem",
    "ClassFit",
    "ClassProblem",
    "ElasticNet",
    "FeatureColumns",
    "Iterate",
    "LabelFits",
    "LeastSquares",
    "LeastSquaresFit",
    "LinearScorer",
    "Loss",
    "LossName",
    "MultinomialLogistic",
    "QuasiNewtonOptions",
    "Start",
    "StrengthScaling",
    "advanced",
    "checked_strengths",
    "critical_strength",
    "critical_strengths",
    "fit_classes",
    "fit_labels",
    "fit_path",
    "linear_scores",
    "one_blas_thread",
    "padded",
    "quasi_newton",
    "strength_grid",
    "use_one_blas_thread",
    "warn_unless_converged",
]
