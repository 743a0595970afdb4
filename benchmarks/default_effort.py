"""How carefully the default and its rival are compared: in earnest, or in a quick look."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DefaultEffort:
    kept: Path | None = None
    """The folder with what the rival came to, so that it need not be tuned again; None keeps nothing."""
    steps: tuple[int, ...] | None = None
    """Of the rival's C, four to a decade; None takes its own."""
    n_documents: int | None = None
    """Only so many documents to train on and to test, the first; None takes all."""
    n_resamples: int = 10_000


FULL = DefaultEffort(kept=Path("docs/benchmarks/rival"))
QUICK = DefaultEffort(steps=(0, 4), n_documents=500, n_resamples=1_000)
