"""How large the grids of the tuning benchmark are: the whole, or a quick look."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TuningEffort:
    n_strengths: int = 20
    l1_ratios: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    budget: str = "thorough"
    n_documents: int | None = None
    """Only so many documents, the first; None takes all."""


FULL = TuningEffort()
QUICK = TuningEffort(3, (0.0, 1.0), "quick", 500)
