"""The registry of models. Adding a model is one module and one line here.

The class of a model declares its parameters, its abilities, its state checks and its weights per label; the registry
adds its name, its tuning grid and its early stopping. Tuning, the command line, the model file and the contract tests
read the registry; no other code names a model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from setwise._validation import OneOf, check_parameters
from setwise.models.base import LabelModel
from setwise.models.br import BinaryRelevance
from setwise.models.cbm import BernoulliMixture
from setwise.models.cost_sensitive import CostSensitiveRelevance
from setwise.models.crf import PairwiseCRF
from setwise.models.ensemble import Ensemble
from setwise.models.fgfm import FactorizedLabelSizes
from setwise.models.grids import (
    BudgetName,
    Patience,
    StrengthPath,
    br_grid,
    cbm_grid,
    cost_sensitive_grid,
    crf_grid,
    learner_grid,
    mlp_grid,
    ridge_grid,
    spen_grid,
)
from setwise.models.label_size_regression import LabelSizeRegression
from setwise.models.lsf import LabelSizeFactors
from setwise.models.neural import EnergyNetwork, MultilayerPerceptron
from setwise.models.pcc import ClassifierChain
from setwise.models.powerset import PowerSet
from setwise.models.rakel import RandomLabelsets

__all__ = [
    "AUTO",
    "AUTO_STAGES",
    "LEAST_SEEN",
    "MODELS",
    "AutoStage",
    "ModelEntry",
    "entry_of",
    "model_class",
    "stored_models",
]


@dataclass(frozen=True)
class ModelEntry:
    """One model of the registry."""

    name: str
    """The name that users choose it by."""
    model: type[LabelModel]
    title: str
    """What the model is, in a few words."""
    grid: Callable[[Any, BudgetName, float], list[StrengthPath]] = learner_grid
    """Returns the settings to try, from the model, the budget and the critical strength of the corpus."""
    early_stopping: Patience | None = None
    """None trains to convergence."""
    scales_labels: bool = False
    """Whether the logits of each label can be rescaled by `rescale_logits`, as its posterior's can."""
    only_training_sets: bool = False
    """Whether the model itself gives probability to the label sets of the training documents alone."""
    is_baseline: bool = False
    """Whether it is there to be compared with; ``setwise compare`` leaves it out unless it is named."""


MODELS: dict[str, ModelEntry] = {
    entry.name: entry
    for entry in (
        ModelEntry("br", BinaryRelevance, "binary relevance: independent labels", br_grid, scales_labels=True),
        ModelEntry("pcc", ClassifierChain, "probabilistic classifier chain"),
        ModelEntry(
            "crf",
            PairwiseCRF,
            "conditional random field with label pairs",
            crf_grid,
            Patience(4, 40, 10),
            only_training_sets=True,
        ),
        # CBM is best after two or three iterations of EM, and the first says little.
        ModelEntry("cbm", BernoulliMixture, "conditional Bernoulli mixture", cbm_grid, Patience(3, 3)),
        ModelEntry("lsf", LabelSizeFactors, "label and size factors"),
        ModelEntry("fgfm", FactorizedLabelSizes, "label and size factors of independent subsets", is_baseline=True),
        ModelEntry("lsr", LabelSizeRegression, "least squares on labels and sizes", ridge_grid, is_baseline=True),
        ModelEntry(
            "powerset",
            PowerSet,
            "multinomial over the training sets",
            crf_grid,
            Patience(4, 40, 10),
            only_training_sets=True,
            is_baseline=True,
        ),
        ModelEntry("rakel", RandomLabelsets, "multinomials over random sets of three labels", is_baseline=True),
        ModelEntry(
            "cost_sensitive",
            CostSensitiveRelevance,
            "binary relevance with costs of misses",
            cost_sensitive_grid,
            is_baseline=True,
        ),
        # An iteration is an epoch; the first few are far from the best.
        ModelEntry(
            "mlp",
            MultilayerPerceptron,
            "multilayer perceptron: independent labels",
            mlp_grid,
            Patience(5, 8),
            is_baseline=True,
        ),
        ModelEntry(
            "spen", EnergyNetwork, "structured prediction energy network", spen_grid, Patience(3, 5), is_baseline=True
        ),
    )
}
"""Every model by name."""


@dataclass(frozen=True)
class AutoStage:
    """One model that is tuned where the model is chosen automatically."""

    name: str
    model: str
    """A key of MODELS."""
    budget: BudgetName
    """Of its grid."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Beside those of the grid."""
    ratio_of: str = ""
    """The name of an earlier stage, if only the L1 ratio that was the best one there is tried."""
    min_documents: int = 0
    """Where there are fewer training documents, the model is left out."""
    max_documents: float = float("inf")
    """Where there are more training documents, the model is left out."""
    max_weights: float = float("inf")
    """Where there are more pairs of a feature and a label, the model is left out."""
    max_dense_weights: float = float("inf")
    """Where there are more such pairs, paths without an L1 term are left out: every pair has a weight there."""
    max_set_scores: float = float("inf")
    """Where there are more pairs of a document and a training set, the model is left out."""


LEAST_FOR_NETWORKS = 2000
"""Training documents from which networks are tried; of fewer they learn far less than linear models do."""

MOST_FOR_NETWORKS = 50_000
"""Training documents up to which networks are tried within the normal budget: one thread trains them, document after
document, for tens of epochs."""

MOST_FOR_MIXTURES = 5_000_000
"""Pairs of a feature and a label up to which CBM is tried: each of its components has a weight for all of them, and its
grid then takes hours."""

MOST_DENSE = 50_000_000
"""Pairs of a feature and a label up to which linear models without an L1 term are tried: the fits of one path take
several gigabytes above it, and most of the time, and where features are so many, those with an L1 term are better."""

MOST_SET_SCORES = 1e8
"""Pairs of a training document and a training set up to which CRF is tried: each of its hundreds of iterations computes
a probability for all of them."""

LEAST_SEEN = 0.2
"""Models that know training sets only are not tried where a smaller share of the held-out documents has such a set."""

AUTO = "auto"
"""The name under which the model itself is chosen."""

AUTO_STAGES: dict[BudgetName, tuple[AutoStage, ...]] = {
    "quick": (AutoStage("br", "br", "quick"),),
    "normal": (
        AutoStage("br, squared hinge", "br", "normal", {"loss": "squared_hinge"}, max_dense_weights=MOST_DENSE),
        AutoStage("br", "br", "normal", ratio_of="br, squared hinge"),
        AutoStage("crf", "crf", "quick", max_set_scores=MOST_SET_SCORES),
        AutoStage("mlp", "mlp", "quick", min_documents=LEAST_FOR_NETWORKS, max_documents=MOST_FOR_NETWORKS),
    ),
    "thorough": (
        AutoStage("br, squared hinge", "br", "thorough", {"loss": "squared_hinge"}),
        AutoStage("br", "br", "thorough", ratio_of="br, squared hinge"),
        AutoStage("pcc", "pcc", "normal"),
        AutoStage("crf", "crf", "normal"),
        AutoStage("mlp", "mlp", "normal", min_documents=LEAST_FOR_NETWORKS),
        AutoStage("cbm", "cbm", "normal", max_weights=MOST_FOR_MIXTURES),  # last, since it takes longest
    ),
}
"""What is tuned within each budget, the simplest first."""


def stored_models() -> dict[str, type[LabelModel]]:
    """Return every class that a model file can contain, by its name: those of the registry, and ensembles of them."""
    return {model.__name__: model for model in (*(entry.model for entry in MODELS.values()), Ensemble)}


def model_class(name: Any) -> type[LabelModel]:
    """Return the class of the model with this name; raise ``InvalidParameter`` where there is none."""
    check_parameters({"model": OneOf(MODELS)}, {"model": name})
    return MODELS[name].model


def entry_of(model: LabelModel) -> ModelEntry | None:
    """Return the registry's entry of a model's class, or None where it is not registered."""
    return next((entry for entry in MODELS.values() if entry.model is type(model)), None)
