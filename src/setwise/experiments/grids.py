"""Which settings of a model are tried, with L1 and without; how much of everything, in two efforts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from setwise.exceptions import InvalidParameter
from setwise.labels import LabelMatrix
from setwise.learners import strength_grid
from setwise.models import BernoulliMixture, BinaryRelevance, ClassifierChain, LabelSizeFactors, PairwiseCRF
from setwise.tuning.budget import NEGLIGIBLE_IF_SOFT
from setwise.tuning.grid import LEAST_PULL, critical_of_all

__all__ = ["FULL", "QUICK", "SLOW", "Effort", "Grid", "looked_at", "make_model", "settings"]


@dataclass(frozen=True)
class Grid:
    """Strengths and L1 ratios; ratios hold where L1 is on, squares alone have a line of their own."""

    n_strengths: int
    l1_ratios: tuple[float, ...]
    with_l1: tuple[float, float]
    """The strongest and the weakest strength, as shares of the critical one, at which no label has any weight."""
    of_squares: tuple[float, float]

    def strengths(self, critical: float, l1_ratio: float) -> list[float]:
        """Give them, strongest first."""
        highest, lowest = self.with_l1 if l1_ratio > 0.0 else self.of_squares
        scale = critical / max(l1_ratio, LEAST_PULL)
        return [float(s) for s in strength_grid(highest * scale, lowest * scale, self.n_strengths)]


@dataclass(frozen=True)
class Effort:
    """How much is tried."""

    name: str
    learners: Grid
    """Of BR and PCC."""
    sizes: Grid
    """Of LSF, which has a learner a label and size."""
    crf: Grid
    experts: Grid
    """Of CBM's experts."""
    gates: tuple[float, ...]
    """Strengths of CBM's gate, as shares of the critical one; it has squares alone."""
    sharpness: tuple[tuple[float, float], ...]
    """Of CBM's responsibilities, at the start of EM and then; (1, 1) is plain EM."""
    heat: Grid
    n_repeats: int
    """Of what is left to chance."""
    chosen_on: int
    """Training documents at most that settings are chosen on; what is chosen is then trained on all."""
    trained_on_if_slow: int
    """Training documents at most that CRF and CBM see at all."""
    judged_on: int
    """Of these, documents held out at most that settings are judged by."""
    n_samples_judged: int
    """Samples a document where a recipe that samples is judged; the test documents get 1,000."""


FULL = Effort(
    "full",
    learners=Grid(8, (0.25, 0.5, 0.75, 1.0), (3e-2, 1e-4), (2e-3, 1e-6)),
    sizes=Grid(5, (1.0,), (2e-2, 3e-4), (3e-4, 1e-6)),
    crf=Grid(4, (0.5,), (1e-2, 1e-3), (3e-3, 1e-4)),
    experts=Grid(4, (0.7,), (1e-3, 5e-5), (1e-4, 1e-6)),
    gates=(1e-3,),
    sharpness=((0.25, 0.4), (1.0, 1.0)),
    heat=Grid(9, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (1e-1, 1e-5), (1e-1, 1e-5)),
    n_repeats=3,
    chosen_on=24_000,
    trained_on_if_slow=24_000,
    judged_on=3_000,
    n_samples_judged=100,
)
QUICK = Effort(
    "quick",
    learners=Grid(2, (0.6,), (5e-3, 1e-3), (3e-4, 3e-5)),
    sizes=Grid(1, (1.0,), (3e-3, 3e-3), (3e-5, 3e-5)),
    crf=Grid(2, (0.5,), (1e-2, 4e-3), (1e-3, 3e-4)),
    experts=Grid(1, (0.7,), (3e-4, 3e-4), (3e-5, 3e-5)),
    gates=(1e-3,),
    sharpness=((1.0, 1.0),),
    heat=Grid(4, (0.0, 0.5, 1.0), (1e-1, 1e-4), (1e-1, 1e-4)),
    n_repeats=1,
    chosen_on=24_000,
    trained_on_if_slow=24_000,
    judged_on=1_000,
    n_samples_judged=50,
)

SLOW = ("CRF", "CRF without pairs", "CBM")
"""Whose training is bounded by ``trained_on_if_slow``."""
N_COMPONENTS = 30
"""Of CBM; the paper has 20, which with softened responsibilities are a little too few on the documents held out."""
MOST_EM = 20
"""Iterations of EM that stand for its end; plain EM comes to its own sooner."""
EARLY = 20
"""Iterations that are all looked at; a few labels may need hundreds, in which predictions change no more."""
EVERY = 10
"""Of later iterations, and of a CRF's, which are many and small, one in so many is looked at."""


def make_model(name: str, seed: int = 0, n_jobs: int = 1) -> Any:
    """Make the model of that name, every other setting its own."""
    match name:
        case "BR":
            return BinaryRelevance(n_jobs=n_jobs)
        case "PCC":
            return ClassifierChain(random_state=seed, n_jobs=n_jobs)
        case "CRF" | "CRF without pairs":
            return PairwiseCRF(pairs=name == "CRF", n_jobs=n_jobs)
        case "LSF":
            return LabelSizeFactors(n_jobs=n_jobs)
        case "CBM":
            return BernoulliMixture(N_COMPONENTS, max_iter=MOST_EM, random_state=seed, n_jobs=n_jobs)
    raise InvalidParameter(f"model must be one of the experiments' models; got {name!r}.")


def looked_at(model: str, iteration: int) -> bool:
    """Tell whether a training is judged at this iteration."""
    return iteration % EVERY == 0 or (iteration <= EARLY and not model.startswith("CRF"))


def settings(model: str, X: Any, y: LabelMatrix, effort: Effort, *, l1: bool) -> list[dict[str, Any]]:
    """Give what is tried for a model on these documents, with an L1 term or with squares alone."""
    critical = critical_of_all(X, y, 1)
    if model == "CBM":
        return list(_mixtures(critical, effort, l1))
    grid = {"LSF": effort.sizes}.get(model, effort.crf if model.startswith("CRF") else effort.learners)
    return list(_lines(grid, critical, l1))


def _lines(grid: Grid, critical: float, l1: bool) -> Iterator[dict[str, Any]]:
    for ratio in grid.l1_ratios if l1 else (0.0,):
        for strength in grid.strengths(critical, ratio):
            yield {"l1_ratio": ratio, "strength": strength}


def _mixtures(critical: float, effort: Effort, l1: bool) -> Iterator[dict[str, Any]]:
    for gate, (start, sharpness) in product(effort.gates, effort.sharpness):
        soft = {} if sharpness == 1.0 else {"negligible": NEGLIGIBLE_IF_SOFT}
        for line in _lines(effort.experts, critical, l1):
            yield {
                **line,
                "gate_l1_ratio": 0.0,
                "gate_strength": gate * critical,
                "start_sharpness": start,
                "sharpness": sharpness,
                **soft,
            }
