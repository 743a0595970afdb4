"""What all work of a run shares, and what is noted of the machine."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from setwise.experiments.grids import Effort

__all__ = ["Circumstances", "Tell", "peak_mb", "versions"]

Tell = Callable[[int, int], None]
"""Hears how many steps of how many are done."""


@dataclass(frozen=True)
class Circumstances:
    """What all work of a run shares."""

    effort: Effort
    seed: int
    cells: Path
    """A folder for settings that were tried, so that no run tries them twice."""
    data: Path | None = None
    n_jobs: int = 1


def versions() -> dict[str, str]:
    """Give the versions that a figure may depend on."""
    packages = {name: version(name) for name in ("setwise", "numpy", "scipy", "scikit-learn")}
    return {"python": ".".join(map(str, sys.version_info[:3])), **packages}


def peak_mb() -> float:
    """Give the most memory that this process has held; macOS counts bytes, Linux kilobytes."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
