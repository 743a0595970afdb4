"""What all tasks of a run share: effort, seeds and folders; and what a row records about the machine."""

from __future__ import annotations

import hashlib
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from reproduction.plan import Effort
from setwise.tuning import Progress, ProgressCallback

__all__ = ["RunConfig", "StepCallback", "derived_seed", "in_steps", "peak_mb", "versions"]

StepCallback = Callable[[int, int], None]
"""Called with the number of finished steps and the number of all steps."""


@dataclass(frozen=True)
class RunConfig:
    """What all tasks of a run share."""

    effort: Effort
    random_state: int
    trials: Path
    """The folder for the checkpoints of searches, so that no run tries a setting twice."""
    data: Path | None = None
    """The folder that contains the corpora; None is the one that ``SETWISE_DATA`` names."""
    n_jobs: int = 1
    rows: Path | None = None
    """The folder of stored rows, whose settings need not be searched for again; None searches for all."""

    def checkpoint(self, name: str) -> Path:
        """Return the file of the trials of a search."""
        return self.trials / f"{name.replace(' ', '-')}.jsonl"


def in_steps(report: StepCallback) -> ProgressCallback:
    """Return a callback of a search that reports its steps where they can be counted."""

    def progressed(progress: Progress) -> None:
        if progress.total is not None:
            report(progress.done, progress.total)

    return progressed


def derived_seed(*names: str | int) -> int:
    """Return a seed of 31 bits that depends on all the names, so that adding a run changes no other."""
    return int.from_bytes(hashlib.sha256(repr(names).encode()).digest()[:4], "little") >> 1


def versions() -> dict[str, str]:
    """Return the versions that a result may depend on."""
    packages = {name: version(name) for name in ("setwise", "numpy", "scipy", "scikit-learn")}
    return {"python": ".".join(map(str, sys.version_info[:3])), **packages}


def peak_mb() -> float:
    """Return the peak memory of this process; macOS counts bytes, Linux kilobytes."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
