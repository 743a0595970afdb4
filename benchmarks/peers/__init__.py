"""One file a peer. Each holds a class that is made for a problem, refuses what it cannot do, and fits labels."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.judge import Fit
from benchmarks.problem import Penalty, Problem

CLASSES = {
    "setwise": "Setwise",
    "liblinear": "Liblinear",
    "saga": "Saga",
    "glmnet": "Glmnet",
    "skglm": "Skglm",
}


class Refused(Exception):
    """A peer cannot do what is asked. The message is the reason, and stands in the table beside a dash."""


class Peer(Protocol):
    """A way to fit labels. What is done once a problem belongs in ``__init__`` and is not timed."""

    def fit(self, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
        """Fit the labels, timing the fits alone; raise ``Refused`` where this penalty is out of reach."""


@dataclass(frozen=True)
class Entry:
    """A peer by the name of its file, with its options and how the table calls it."""

    module: str
    title: str
    options: dict[str, Any] = field(default_factory=dict)

    def enter(self, problem: Problem) -> Peer:
        """Import the peer and make it ready for the problem; raise ``Refused`` where it is not installed."""
        try:
            module = importlib.import_module(f"benchmarks.peers.{self.module}")
        except ImportError as error:
            raise Refused(f"not installed: {error}") from error
        peer: Peer = getattr(module, CLASSES[self.module])(problem, **self.options)
        return peer
