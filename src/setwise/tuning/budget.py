"""How much is tried for a model, in words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from setwise.exceptions import InvalidParameter
from setwise.labels import LabelMatrix
from setwise.learners import strength_grid
from setwise.models import BernoulliMixture, PairwiseCRF
from setwise.tuning.grid import Line, critical_of_all, elastic_lines
from setwise.tuning.stopping import Patience

__all__ = ["BUDGETS", "NEGLIGIBLE_IF_SOFT", "Budget", "BudgetName", "Plan", "checked_budget", "plan_for"]

BudgetName = Literal["quick", "normal", "thorough"]


@dataclass(frozen=True)
class Budget:
    """The size of a grid: so many cells are trained, whatever the machine."""

    n_strengths: int
    l1_ratios: tuple[float, ...]
    """Of BR, PCC and LSF, which train a line of strengths as one path."""
    n_watched: int
    """Strengths of a line of CRF and CBM, where each is a training of its own."""
    crf_ratios: tuple[float, ...]
    gates: tuple[float, ...]
    """Strengths of CBM's gate, as shares of the critical one."""
    sharpness: tuple[tuple[float, float], ...]
    """Of CBM's responsibilities, at the start of EM and then; (1, 1) is plain EM."""
    n_components: tuple[int, ...] = ()
    """Of CBM; none leaves the model's own."""


BUDGETS: dict[str, Budget] = {
    "quick": Budget(5, (1.0,), 3, (0.5,), (1e-3,), ((0.25, 0.4),)),
    "normal": Budget(8, (1.0, 0.5, 0.0), 4, (0.5, 0.0), (3e-4, 1.5e-3), ((0.25, 0.4), (1.0, 1.0))),
    "thorough": Budget(
        20,
        (1.0, 0.8, 0.6, 0.4, 0.2, 0.0),
        6,
        (1.0, 0.5, 0.0),
        (3e-4, 1e-3, 3e-3),
        ((0.25, 0.4), (1.0, 1.0)),
        (30,),
    ),
}


@dataclass(frozen=True)
class Reach:
    """The strongest and the weakest strength of a line, as shares of the critical one: where the best were seen."""

    with_l1: tuple[float, float]
    of_squares: tuple[float, float]
    """Without an L1 term."""


@dataclass(frozen=True)
class Plan:
    """What to train, and whether to watch it while it trains."""

    lines: list[Line]
    stopping: Patience | None = None


def checked_budget(budget: Any) -> Budget:
    """Give the budget of that name."""
    if budget not in BUDGETS:
        raise InvalidParameter(f"budget must be one of {', '.join(map(repr, BUDGETS))}; got {budget!r}.")
    return BUDGETS[budget]


_OF_LEARNERS = Reach((1e-1, 1e-4), (3e-3, 1e-6))
_OF_CRF = Reach((2e-2, 1e-3), (3e-3, 1e-4))
_OF_EXPERTS = (4e-3, 2e-4)
"""Of CBM's, whose experts have an L1 term alone."""

_LOOKS_AT_CRF = Patience(patience=4, min_iterations=40, check_every=10)
_LOOKS_AT_CBM = Patience(patience=3, min_iterations=3)
"""It is best after two or three iterations of EM; the first says little."""

NEGLIGIBLE_IF_SOFT = 1e-2
"""Where responsibilities are softened, many are small; those below are left out to save time."""


def plan_for(model: Any, X: Any, y: LabelMatrix, budget: Budget) -> Plan:
    """Give the grid of a model: BR, PCC and LSF train to their end; CRF and CBM are stopped early."""
    if isinstance(model, PairwiseCRF):
        return Plan(_lines(model, X, y, budget.crf_ratios, budget.n_watched, _OF_CRF), _LOOKS_AT_CRF)
    if isinstance(model, BernoulliMixture):
        return Plan(_mixtures(model, X, y, budget), _LOOKS_AT_CBM)
    return Plan(_lines(model, X, y, budget.l1_ratios, budget.n_strengths, _OF_LEARNERS))


def _lines(model: Any, X: Any, y: LabelMatrix, ratios: tuple[float, ...], n_strengths: int, reach: Reach) -> list[Line]:
    """Give a line a ratio."""
    lines = []
    for ratio in ratios:
        highest, lowest = reach.with_l1 if ratio > 0.0 else reach.of_squares
        lines += elastic_lines(X, y, (ratio,), n_strengths, highest=highest, lowest=lowest, n_jobs=model.n_jobs)
    return lines


def _mixtures(model: Any, X: Any, y: LabelMatrix, budget: Budget) -> list[Line]:
    """Give the lines of CBM: L1 for the experts, squares for the gate, which has a scale of its own."""
    critical = critical_of_all(X, y, model.n_jobs)
    highest, lowest = _OF_EXPERTS
    strengths = tuple(strength_grid(highest * critical, lowest * critical, budget.n_watched).tolist())
    lines = []
    for n_components, gate, (start, sharpness) in product(
        budget.n_components or (model.n_components,), budget.gates, budget.sharpness
    ):
        soft = {} if sharpness == 1.0 else {"negligible": NEGLIGIBLE_IF_SOFT}
        lines.append(
            Line(
                strengths,
                {
                    "l1_ratio": 1.0,
                    "gate_l1_ratio": 0.0,
                    "gate_strength": gate * critical,
                    "start_sharpness": start,
                    "sharpness": sharpness,
                    "n_components": n_components,
                    **soft,
                },
            )
        )
    return lines
