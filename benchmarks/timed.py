"""What all that is timed has in common."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Timed:
    """Seconds on the clock, and what is to be said about them.

    ``cores`` is processor time by time on the clock: how much of the machine a contestant was given.
    """

    seconds: float
    note: str = field(default="", kw_only=True)
    cores: float = field(default=np.nan, kw_only=True)
