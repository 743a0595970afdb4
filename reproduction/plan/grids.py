"""The settings that are tried for each model, with and without L1, in a full and in a quick effort."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from reproduction.plan.networks import FULL_NETWORKS, QUICK_NETWORKS, NetworkEffort
from reproduction.plan.predictors import FULL_PREDICTORS, QUICK_PREDICTORS, PredictorEffort
from setwise.exceptions import InvalidParameter
from setwise.models import (
    BernoulliMixture,
    BinaryRelevance,
    ClassifierChain,
    LabelModel,
    LabelSizeFactors,
    PairwiseCRF,
    StrengthPath,
    elastic_paths,
)
from setwise.tuning import CurveSchedule

__all__ = [
    "EVERY",
    "FIRST",
    "FULL",
    "MAX_EM_ITERATIONS",
    "N_COMPONENTS",
    "PARTS",
    "QUICK",
    "SLOW_MODELS",
    "Effort",
    "Grid",
    "build_model",
    "curve_schedule",
    "tuning_grid",
]


@dataclass(frozen=True)
class Grid:
    """Strengths per L1 ratio; a squared penalty without L1 has a path of its own."""

    n_strengths: int
    l1_ratios: tuple[float, ...]
    """The ratios with an L1 term, and for heat maps also 0."""
    with_l1: tuple[float, float]
    """The strongest and the weakest strength, as shares of the critical one, at which no label has any weight."""
    without_l1: tuple[float, float]
    """The same for an L1 ratio of 0."""

    def paths(self, critical: float, l1_ratios: Iterable[float]) -> list[StrengthPath]:
        """Return one path of strengths per L1 ratio, the strongest first."""
        paths: list[StrengthPath] = []
        for ratio in l1_ratios:
            highest, lowest = self.with_l1 if ratio > 0.0 else self.without_l1
            paths += elastic_paths(critical, (ratio,), self.n_strengths, highest=highest, lowest=lowest)
        return paths


PARTS = ("networks", "predictors")
"""The parts of a run with an effort of their own, and the names of their fields."""


@dataclass(frozen=True)
class Effort:
    """How much is tried."""

    name: str
    learners: Grid
    """The grid of BR and PCC."""
    lsf: Grid
    """The grid of LSF, which has one learner per label and size."""
    crf: Grid
    cbm: Grid
    """The grid of CBM's experts."""
    cbm_gates: tuple[float, ...]
    """Strengths of CBM's gate, as shares of the critical one; the gate has a squared penalty only."""
    cbm_sharpness: tuple[tuple[float, float], ...]
    """Sharpness of CBM's responsibilities at the start of EM and afterwards; (1, 1) is plain EM."""
    heat_map: Grid
    n_repeats: int
    """Repeats, with other seeds, of what depends on a seed."""
    max_tuning_documents: int
    """Most training documents that settings are tuned on; the chosen setting is then trained on all of them."""
    max_training_documents_if_slow: int
    """Most training documents of CRF and CBM."""
    max_held_out: int
    """Most held-out documents that settings are compared on."""
    n_tuning_samples: int
    """Samples per document while tuning; test documents get 1,000."""
    networks: NetworkEffort
    """How much is tried of the networks of Table 6."""
    predictors: PredictorEffort
    """How much is tried of the predictors for F1."""

    def identity(self, part: str = "") -> dict[str, Any]:
        """Return what the rows of a part of the run depend on: the "networks", the "predictors", or all others.

        The parts have identities of their own, so that a change of one leaves the rows of the others valid.
        """
        fields = asdict(self)
        parts = {name: {"name": self.name, **fields.pop(name)} for name in PARTS}
        return parts[part] if part else fields


FULL = Effort(
    "full",
    learners=Grid(8, (0.25, 0.5, 0.75, 1.0), (3e-2, 1e-4), (2e-3, 1e-6)),
    lsf=Grid(5, (1.0,), (2e-2, 3e-4), (3e-4, 1e-6)),
    crf=Grid(4, (0.5,), (1e-2, 1e-3), (3e-3, 1e-4)),
    cbm=Grid(4, (0.7,), (1e-3, 5e-5), (1e-4, 1e-6)),
    cbm_gates=(1e-3,),
    cbm_sharpness=((0.25, 0.4), (1.0, 1.0)),
    heat_map=Grid(9, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (1e-1, 1e-5), (1e-1, 1e-5)),
    n_repeats=3,
    max_tuning_documents=24_000,
    max_training_documents_if_slow=24_000,
    max_held_out=3_000,
    n_tuning_samples=100,
    networks=FULL_NETWORKS,
    predictors=FULL_PREDICTORS,
)
QUICK = Effort(
    "quick",
    learners=Grid(2, (0.6,), (5e-3, 1e-3), (3e-4, 3e-5)),
    lsf=Grid(1, (1.0,), (3e-3, 3e-3), (3e-5, 3e-5)),
    crf=Grid(2, (0.5,), (1e-2, 4e-3), (1e-3, 3e-4)),
    cbm=Grid(1, (0.7,), (3e-4, 3e-4), (3e-5, 3e-5)),
    cbm_gates=(1e-3,),
    cbm_sharpness=((1.0, 1.0),),
    heat_map=Grid(4, (0.0, 0.5, 1.0), (1e-1, 1e-4), (1e-1, 1e-4)),
    n_repeats=1,
    max_tuning_documents=24_000,
    max_training_documents_if_slow=24_000,
    max_held_out=1_000,
    n_tuning_samples=50,
    networks=QUICK_NETWORKS,
    predictors=QUICK_PREDICTORS,
)

SLOW_MODELS = ("CRF", "CRF without pairs", "CBM")
"""Models whose training documents are limited by ``max_training_documents_if_slow``."""
N_COMPONENTS = 30
"""Components of CBM. The paper has 20, slightly too few on held-out documents with softened responsibilities."""
MAX_EM_ITERATIONS = 20
"""Iterations of EM that count as convergence; plain EM converges sooner."""
FIRST = 20
"""Iterations that are all evaluated; a few labels may need hundreds, during which predictions no longer change."""
EVERY = 10
"""Later iterations are evaluated where they are a multiple of this, and so are all of a CRF's, which are small."""
NEGLIGIBLE_IF_SOFT = 1e-2
"""Where responsibilities are softened, many are small; components ignore those below this to save time."""


def build_model(name: str, random_state: int = 0, n_jobs: int = 1) -> LabelModel:
    """Return the model with this name in the paper, with default parameters."""
    match name:
        case "BR":
            return BinaryRelevance(n_jobs=n_jobs)
        case "PCC":
            return ClassifierChain(random_state=random_state, n_jobs=n_jobs)
        case "CRF" | "CRF without pairs":
            return PairwiseCRF(pairs=name == "CRF", n_jobs=n_jobs)
        case "LSF":
            return LabelSizeFactors(n_jobs=n_jobs)
        case "CBM":
            return BernoulliMixture(N_COMPONENTS, max_iter=MAX_EM_ITERATIONS, random_state=random_state, n_jobs=n_jobs)
    raise InvalidParameter(f"{name!r} is not a model of the experiments.")


def curve_schedule(model: str) -> CurveSchedule:
    """Return the iterations at which the training of a model is evaluated."""
    return CurveSchedule(0 if model.startswith("CRF") else FIRST, EVERY)


def tuning_grid(model: str, critical: float, effort: Effort, *, l1: bool) -> list[StrengthPath]:
    """Return the settings that are tried for a model, with an L1 term or with a squared penalty only.

    Parameters
    ----------
    model : str
        The model's name in the paper.
    critical : float
        The critical strength of the documents with an L1 ratio of 1.
    effort : Effort
    l1 : bool
        Whether the penalty has an L1 term.
    """
    if model == "CBM":
        return _cbm_grid(critical, effort, l1)
    grid = effort.lsf if model == "LSF" else effort.crf if model.startswith("CRF") else effort.learners
    return grid.paths(critical, grid.l1_ratios if l1 else (0.0,))


def _cbm_grid(critical: float, effort: Effort, l1: bool) -> list[StrengthPath]:
    paths = []
    for gate, (start, sharpness) in product(effort.cbm_gates, effort.cbm_sharpness):
        parameters = {
            "gate_l1_ratio": 0.0,
            "gate_strength": gate * critical,
            "start_sharpness": start,
            "sharpness": sharpness,
        }
        if sharpness != 1.0:
            parameters["negligible"] = NEGLIGIBLE_IF_SOFT
        for path in effort.cbm.paths(critical, effort.cbm.l1_ratios if l1 else (0.0,)):
            paths.append(StrengthPath(path.strengths, {**path.parameters, **parameters}))
    return paths
