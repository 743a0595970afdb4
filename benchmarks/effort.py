"""How much is measured: the whole, or a quick look."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    cs: tuple[float, ...] = (0.1, 1.0, 10.0)
    elastic_cs: tuple[float, ...] = (1.0, 10.0)
    n_rounds: int = 3
    n_labels: int = 10  # for peers that need long for all labels
    n_labels_of_slowest: int = 3  # for saga with ten times its default iterations; 0 leaves that row out


FULL = Effort()
QUICK = Effort(cs=(1.0,), elastic_cs=(1.0,), n_rounds=1, n_labels=3, n_labels_of_slowest=0)
