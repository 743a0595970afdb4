"""The grids of settings that are tried for each model, by budget.

A grid is a list of paths: settings that differ in strength alone, so that each fit can start from the solution of the
stronger one. Strengths are relative to the critical strength of the corpus, the least one at which no label has any
weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

from setwise._validation import Interval, check_parameters, checked_l1_ratio
from setwise.learners import LossName, strength_grid
from setwise.models.base import falling_strengths

__all__ = [
    "BUDGETS",
    "FEATURE_BUDGETS",
    "FOLD_BUDGETS",
    "LABEL_BUDGETS",
    "NGRAM_BUDGETS",
    "BudgetName",
    "Patience",
    "Setting",
    "StrengthPath",
    "br_grid",
    "cbm_grid",
    "cost_sensitive_grid",
    "crf_grid",
    "elastic_paths",
    "learner_grid",
    "mlp_grid",
    "ridge_grid",
    "spen_grid",
]

BudgetName = Literal["quick", "normal", "thorough"]
BUDGETS: tuple[BudgetName, ...] = ("quick", "normal", "thorough")
"""How much is tried for a model: a number of settings, whatever the machine."""

FEATURE_BUDGETS: frozenset[BudgetName] = frozenset({"normal", "thorough"})
"""Budgets with which features are chosen too, unless the caller says which to use."""

NGRAM_BUDGETS: frozenset[BudgetName] = frozenset({"thorough"})
"""Budgets with which runs of more than two words are among the features of texts to choose from."""

LABEL_BUDGETS: frozenset[BudgetName] = frozenset({"thorough"})
"""Budgets with which strengths and logits of single labels are scaled, where a model can do that."""

FOLD_BUDGETS: frozenset[BudgetName] = frozenset({"thorough"})
"""Budgets with which a medium number of documents is cross-validated too."""

LEAST_L1_RATIO = 0.1
"""The critical strength grows without bound as the L1 ratio falls to 0; below this ratio it is that of this ratio."""

LOWEST = 1e-4
"""The weakest strength of a path, as a share of the critical one, below which nothing was ever gained."""

LOWEST_WITHOUT_L1 = 1e-6
"""The same without an L1 term: a squared penalty is far weaker where weights are small."""


@dataclass(frozen=True)
class Setting:
    """One setting of a model's parameters."""

    strength: float
    parameters: tuple[tuple[str, Any], ...] = ()
    """The other parameters, by name."""

    @property
    def values(self) -> dict[str, Any]:
        """All parameters, ready for ``set_params``."""
        return {**dict(self.parameters), "strength": self.strength}


@dataclass(frozen=True)
class StrengthPath:
    """Settings that differ in strength alone, the strongest first."""

    strengths: tuple[float, ...]
    parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "strengths", tuple(falling_strengths(self.strengths)))

    @property
    def settings(self) -> Iterator[Setting]:
        """The settings, the strongest first."""
        fixed = tuple(sorted(self.parameters.items()))
        return (Setting(strength, fixed) for strength in self.strengths)


@dataclass(frozen=True)
class Patience:
    """When early stopping evaluates a model, and when it ends the training."""

    patience: int = 5
    """Evaluations without a new best after which training ends."""
    min_iterations: int = 1
    """Training does not end earlier."""
    check_every: int = 1
    """Iterations between two evaluations."""

    def __post_init__(self) -> None:
        at_least_1 = Interval("integer", 1)
        check_parameters(dict.fromkeys(("patience", "min_iterations", "check_every"), at_least_1), vars(self))


def elastic_paths(
    critical: float,
    l1_ratios: Sequence[float] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    n_strengths: int = 20,
    *,
    highest: float = 1.0,
    lowest: float | None = None,
) -> list[StrengthPath]:
    """Return one path per L1 ratio, with strengths evenly spaced on the log scale.

    Parameters
    ----------
    critical : float
        The critical strength with an L1 ratio of 1, see :func:`setwise.learners.critical_strength`.
    l1_ratios : sequence of float
    n_strengths : int
        Strengths per path.
    highest, lowest : float
        The strongest and the weakest strength, as shares of the critical one.
    """
    paths = []
    for ratio in map(checked_l1_ratio, l1_ratios):
        peak = critical / max(ratio, LEAST_L1_RATIO)
        least = lowest if lowest is not None else LOWEST if ratio > 0.0 else LOWEST_WITHOUT_L1
        strengths = strength_grid(highest * peak, min(least, highest) * peak, n_strengths)
        paths.append(StrengthPath(tuple(strengths.tolist()), {"l1_ratio": ratio}))
    return paths


@dataclass(frozen=True)
class _Range:
    """The strongest and the weakest strength, as shares of the critical one: where the best ones were found."""

    with_l1: tuple[float, float]
    without_l1: tuple[float, float]


_LEARNER_RANGES: dict[LossName, _Range] = {
    "logistic": _Range((1e-1, 1e-4), (3e-3, 1e-6)),
    # Its curvature is several times as large, so a squared penalty of the same strength does less.
    "squared_hinge": _Range((1e-1, 1e-4), (1e-2, 3e-6)),
}
_CRF_RANGE = _Range((2e-2, 1e-4), (3e-3, 1e-4))

_SCREENING = 1e-3
"""Strength of the classifier that chooses the features of a CRF or a network, as a share of the critical one: weak, to
miss few."""

_LEARNER_GRIDS: dict[BudgetName, tuple[int, tuple[float, ...]]] = {
    "quick": (5, (1.0,)),
    "normal": (8, (1.0, 0.5, 0.0)),
    "thorough": (12, (1.0, 0.8, 0.5, 0.2, 0.0)),
}
"""Number of strengths, and L1 ratios, of BR, PCC and LSF."""

_CRF_GRIDS: dict[BudgetName, tuple[int, tuple[float, ...]]] = {
    "quick": (4, (0.5,)),
    "normal": (5, (0.5, 0.0)),
    "thorough": (6, (1.0, 0.5, 0.0)),
}


def learner_grid(model: Any, budget: BudgetName, critical: float) -> list[StrengthPath]:
    """Return the grid of a model whose path of strengths is warm-started: BR, PCC and LSF."""
    return _elastic_grid(*_LEARNER_GRIDS[budget], _LEARNER_RANGES[model.loss], critical)


def br_grid(model: Any, budget: BudgetName, critical: float) -> list[StrengthPath]:
    """Return the grid of BR; the thorough one also scales the strength of an L1 penalty label by label."""
    paths = learner_grid(model, budget, critical)
    if budget not in LABEL_BUDGETS:
        return paths
    scalings = [(path, scaling) for scaling in ("global", "label") for path in paths]
    return [
        StrengthPath(path.strengths, {**path.parameters, "strength_scaling": scaling})
        for path, scaling in scalings
        if scaling == "global" or path.parameters["l1_ratio"] == 1.0
    ]


_COSTS: dict[BudgetName, tuple[float, ...]] = {
    "quick": (0.3, 0.6),
    "normal": (0.2, 0.4, 0.6, 0.8),
    "thorough": tuple(round(0.1 * step, 1) for step in range(1, 11)),
}
"""The t of cost-sensitive BR."""


def cost_sensitive_grid(model: Any, budget: BudgetName, critical: float) -> list[StrengthPath]:
    """Return the grid of cost-sensitive BR: strengths with an L1 penalty alone, for each t."""
    n_strengths, _ = _LEARNER_GRIDS[budget]
    paths = _elastic_grid(n_strengths, (1.0,), _LEARNER_RANGES[model.loss], critical)
    return [StrengthPath(path.strengths, {**path.parameters, "t": t}) for t in _COSTS[budget] for path in paths]


def crf_grid(model: Any, budget: BudgetName, critical: float) -> list[StrengthPath]:
    """Return the grid of CRF, where each strength is trained on its own."""
    screening = {"screening_strength": _SCREENING * critical}
    paths = _elastic_grid(*_CRF_GRIDS[budget], _CRF_RANGE, critical)
    return [StrengthPath(path.strengths, {**path.parameters, **screening}) for path in paths]


def _elastic_grid(n_strengths: int, l1_ratios: tuple[float, ...], reach: _Range, critical: float) -> list[StrengthPath]:
    paths = []
    for ratio in l1_ratios:
        highest, lowest = reach.with_l1 if ratio > 0.0 else reach.without_l1
        paths += elastic_paths(critical, (ratio,), n_strengths, highest=highest, lowest=lowest)
    return paths


_RIDGE_STRENGTHS: dict[BudgetName, int] = {"quick": 4, "normal": 8, "thorough": 16}
_RIDGE_RANGE = (1.0, 1e-5)
"""The strongest and the weakest strength of least squares, as shares of the critical one of an L1 ratio of 0.1."""


def ridge_grid(model: Any, budget: BudgetName, critical: float) -> list[StrengthPath]:
    """Return the grid of least squares under a squared penalty."""
    highest, lowest = _RIDGE_RANGE
    return elastic_paths(critical, (0.0,), _RIDGE_STRENGTHS[budget], highest=highest, lowest=lowest)


@dataclass(frozen=True)
class _CBMGrid:
    n_strengths: int
    gates: tuple[float, ...]
    """Strengths of the gate, as shares of the critical one."""
    sharpness: tuple[tuple[float, float], ...]
    """Pairs of start_sharpness and sharpness; (1, 1) is plain EM."""
    n_components: tuple[int, ...] = ()
    """Empty keeps the model's own number."""


_SOFT_AND_PLAIN = ((0.25, 0.4), (1.0, 1.0))
_CBM_GRIDS: dict[BudgetName, _CBMGrid] = {
    "quick": _CBMGrid(3, (1e-3,), ((0.25, 0.4),)),
    "normal": _CBMGrid(4, (3e-4, 1.5e-3), _SOFT_AND_PLAIN),
    "thorough": _CBMGrid(6, (3e-4, 1e-3, 3e-3), _SOFT_AND_PLAIN, (30,)),
}

_CBM_RANGE = (4e-3, 2e-4)
"""The strongest and the weakest strength of the experts, which have an L1 term alone."""

NEGLIGIBLE_IF_SOFT = 1e-2
"""Where responsibilities are softened, many are small; components ignore those below this to save time."""


def cbm_grid(model: Any, budget: BudgetName, critical: float) -> list[StrengthPath]:
    """Return the grid of CBM: an L1 penalty for the experts, and a squared one for the gate, on its own scale."""
    grid = _CBM_GRIDS[budget]
    highest, lowest = _CBM_RANGE
    strengths = tuple(strength_grid(highest * critical, lowest * critical, grid.n_strengths).tolist())
    paths = []
    for n_components, gate, (start, sharpness) in product(
        grid.n_components or (model.n_components,), grid.gates, grid.sharpness
    ):
        parameters = {
            "l1_ratio": 1.0,
            "gate_l1_ratio": 0.0,
            "gate_strength": gate * critical,
            "start_sharpness": start,
            "sharpness": sharpness,
            "n_components": n_components,
        }
        if sharpness != 1.0:
            parameters["negligible"] = NEGLIGIBLE_IF_SOFT
        paths.append(StrengthPath(strengths, parameters))
    return paths


_NETWORK_STRENGTHS: dict[BudgetName, tuple[float, ...]] = {
    "quick": (1e-3,),
    "normal": (1e-2, 1e-3, 1e-4),
    "thorough": (3e-2, 1e-2, 3e-3, 1e-3, 1e-4),
}
"""Strengths of the squared penalty of networks; features are standardized, so no corpus has a scale of its own."""


_DROPOUT_NETWORK = {
    "n_layers": 1,
    "n_hidden": 128,
    "dropout": 0.5,
    "standardize": False,
    "learning_rate": 2e-3,
    "batch_size": 64,
    "max_iter": 40,
}
"""A network that is regularized by dropout, and so hardly by its penalty."""

_DROPOUT_STRENGTHS: dict[BudgetName, tuple[float, ...]] = {
    "quick": (1e-4,),
    "normal": (1e-4, 1e-6),
    "thorough": (1e-3, 1e-4, 1e-6),
}


def mlp_grid(model: Any, budget: BudgetName, critical: float) -> list[StrengthPath]:
    """Return the grid of MLP: a network with dropout, and with larger budgets the model's own with several penalties.

    Early stopping finds the number of epochs.
    """
    screening = {"screening_strength": _SCREENING * critical}
    paths = [StrengthPath(_DROPOUT_STRENGTHS[budget], {**_DROPOUT_NETWORK, **screening})]
    if budget != "quick":
        paths.append(StrengthPath(_NETWORK_STRENGTHS[budget], screening))
    return paths


def spen_grid(model: Any, budget: BudgetName, critical: float) -> list[StrengthPath]:
    """Return the grid of SPEN: the penalty of its perceptron; that of the energy hardly matters in so few epochs."""
    return [
        StrengthPath((model.strength,), {"mlp_strength": mlp_strength}) for mlp_strength in _NETWORK_STRENGTHS[budget]
    ]
