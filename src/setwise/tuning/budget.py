"""How much is tried for a model, in words."""

from __future__ import annotations

from dataclasses import dataclass
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


BUDGETS: dict[str, Budget] = {
    "quick": Budget(5, (1.0,)),
    "normal": Budget(8, (1.0, 0.5, 0.0)),
    "thorough": Budget(20, (1.0, 0.8, 0.6, 0.4, 0.2, 0.0)),
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
    n_threads = model.n_threads
    if isinstance(model, PairwiseCRF):
        n = max(3, budget.n_strengths // 2)
        lines = elastic_lines(X, Y, (0.0,), n, highest=3e-3, lowest=3e-5, n_threads=n_threads)
        return Plan(lines, Patience(patience=3, min_iterations=30, check_every=10))
    if isinstance(model, BernoulliMixture):
        n, ratios = max(3, budget.n_strengths // 2), budget.l1_ratios[: max(1, len(budget.l1_ratios) // 2)]
        lines = elastic_lines(X, Y, ratios, n, highest=2e-2, lowest=1e-3, n_threads=n_threads)
        tilted = [
            Line((strength,), {**line.parameters, "gate_strength": GATE_SHARE * strength})
            for line in lines
            for strength in line.strengths
        ]
        return Plan(tilted, Patience(patience=4, min_iterations=4))
    lines = elastic_lines(
        X, Y, [ratio for ratio in budget.l1_ratios if ratio > 0.0], budget.n_strengths, highest=0.1, n_threads=n_threads
    )
    if 0.0 in budget.l1_ratios:
        lines += elastic_lines(X, Y, (0.0,), budget.n_strengths, highest=3e-3, n_threads=n_threads)
    return Plan(lines)


GATE_SHARE = 3.0
"""The gate sees every document, an expert few: the gate's strength, in those of the experts."""
