"""The models of label sets, and their registry.

BR, PCC, CRF, CBM and MLP are joint models: they know the probability of a set. LSF and F-GFM know only labels and sizes
together, and SPEN only relaxed labels.
Code that uses a model asks for its abilities, never for its class: see :mod:`setwise.posterior`.
"""

from setwise.models.base import Callback, LabelModel, ModelSize, ModelState, fit_for
from setwise.models.br import BinaryRelevance
from setwise.models.cbm import BernoulliMixture
from setwise.models.cost_sensitive import CostSensitiveRelevance
from setwise.models.crf import PairwiseCRF
from setwise.models.ensemble import Ensemble, Member
from setwise.models.ensemble_posterior import pool_posteriors
from setwise.models.fgfm import FactorizedLabelSizes
from setwise.models.grids import (
    BUDGETS,
    FEATURE_BUDGETS,
    FOLD_BUDGETS,
    LABEL_BUDGETS,
    NGRAM_BUDGETS,
    BudgetName,
    Patience,
    Setting,
    StrengthPath,
    elastic_paths,
    learner_grid,
)
from setwise.models.label_blocks import LabelBlock, balanced_blocks, join_blocks
from setwise.models.label_size_regression import LabelSizeRegression
from setwise.models.label_terms import LabelTerms
from setwise.models.lsf import LabelSizeFactors
from setwise.models.neural import EnergyNetwork, MultilayerPerceptron
from setwise.models.pcc import ClassifierChain
from setwise.models.powerset import PowerSet
from setwise.models.precomputed import posterior_of_probabilities
from setwise.models.rakel import RandomLabelsets
from setwise.models.registry import (
    AUTO,
    AUTO_STAGES,
    LEAST_SEEN,
    MODELS,
    AutoStage,
    ModelEntry,
    entry_of,
    model_class,
    stored_models,
)
from setwise.models.state_checks import check_array, check_sparse, csr_of_parts

__all__ = [
    "AUTO",
    "AUTO_STAGES",
    "BUDGETS",
    "FEATURE_BUDGETS",
    "FOLD_BUDGETS",
    "LABEL_BUDGETS",
    "LEAST_SEEN",
    "MODELS",
    "NGRAM_BUDGETS",
    "AutoStage",
    "BernoulliMixture",
    "BinaryRelevance",
    "BudgetName",
    "Callback",
    "ClassifierChain",
    "CostSensitiveRelevance",
    "EnergyNetwork",
    "Ensemble",
    "FactorizedLabelSizes",
    "LabelBlock",
    "LabelModel",
    "LabelSizeFactors",
    "LabelSizeRegression",
    "LabelTerms",
    "Member",
    "ModelEntry",
    "ModelSize",
    "ModelState",
    "MultilayerPerceptron",
    "PairwiseCRF",
    "Patience",
    "PowerSet",
    "RandomLabelsets",
    "Setting",
    "StrengthPath",
    "balanced_blocks",
    "check_array",
    "check_sparse",
    "csr_of_parts",
    "elastic_paths",
    "entry_of",
    "fit_for",
    "join_blocks",
    "learner_grid",
    "model_class",
    "pool_posteriors",
    "posterior_of_probabilities",
    "stored_models",
]
