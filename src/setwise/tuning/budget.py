"""How much is tried for a model, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from setwise.exceptions import InvalidParameter
from setwise.labels import LabelMatrix
from setwise.models import BernoulliMixture, PairwiseCRF
from setwise.tuning.lines import Line, elastic_lines
from setwise.tuning.stopping import Patience

__all__ = ["BUDGETS", "Budget", "BudgetName", "Plan", "checked_budget", "plan_for"]

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
class Plan:
    """What to train, and whether to watch it while it trains."""

    lines: list[Line]
    stopping: Patience | None = None


def checked_budget(budget: Any) -> Budget:
    """Give the budget of that name."""
    if budget not in BUDGETS:
        raise InvalidParameter(f"budget must be one of {', '.join(map(repr, BUDGETS))}; got {budget!r}.")
    return BUDGETS[budget]


def plan_for(model: Any, X: Any, Y: LabelMatrix, budget: Budget) -> Plan:
    """Give the grid of a model: BR, PCC and LSF train to their end; CRF and CBM are stopped early."""
    reach = partial(_lines, X, Y, n_threads=model.n_threads)
    if isinstance(model, PairwiseCRF):
        lines = reach(budget.crf_ratios, budget.n_watched, (2e-2, 1e-3), (3e-3, 1e-4))
        return Plan(lines, Patience(patience=4, min_iterations=40, check_every=10))
    if isinstance(model, BernoulliMixture):
        (experts,) = reach((1.0,), budget.n_watched, (4e-3, 2e-4), (0.0, 0.0))
        critical = experts.strengths[0] / 4e-3
        return Plan(_mixtures(experts, critical, budget), Patience(patience=3, min_iterations=3))
    return Plan(reach(budget.l1_ratios, budget.n_strengths, (1e-1, 1e-4), (3e-3, 1e-6)))


def _lines(
    X: Any,
    Y: LabelMatrix,
    ratios: tuple[float, ...],
    n_strengths: int,
    reach: tuple[float, float],
    reach_of_squares: tuple[float, float],
    n_threads: int | None,
) -> list[Line]:
    """Give a line a ratio, over shares of the critical strength; those without an L1 term reach elsewhere."""
    lines = []
    for ratio in ratios:
        highest, lowest = reach if ratio > 0.0 else reach_of_squares
        lines += elastic_lines(X, Y, (ratio,), n_strengths, highest=highest, lowest=lowest, n_threads=n_threads)
    return lines


def _mixtures(experts: Line, critical: float, budget: Budget) -> list[Line]:
    """Give the lines of CBM: L1 for the experts, squares for the gate, which has a scale of its own.

    Where responsibilities are softened, many are small, and those below a hundredth are left out to save time.
    """
    lines = []
    for n_components in budget.n_components or (None,):
        size = {} if n_components is None else {"n_components": n_components}
        for gate in budget.gates:
            for start, sharpness in budget.sharpness:
                soft = {"start_sharpness": start, "sharpness": sharpness}
                if sharpness < 1.0:
                    soft["negligible"] = 1e-2
                gated = {"gate_l1_ratio": 0.0, "gate_strength": gate * critical}
                lines.append(replace(experts, parameters={**experts.parameters, **gated, **soft, **size}))
    return lines
