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

__all__ = ["RunConfig", "StepCallback", "derived_seed", "peak_mb", "versions"]

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
