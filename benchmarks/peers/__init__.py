"""The solvers that fit labels, one module each: a class that prepares a problem and fits labels with a penalty."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.objective import Fit
from benchmarks.harness.problem import Penalty, Problem
from benchmarks.harness.timing import Skipped

CLASSES = {
    "setwise": "Setwise",
    "liblinear": "Liblinear",
    "saga": "Saga",
    "glmnet": "Glmnet",
    "skglm": "Skglm",
}


class Peer(Protocol):
    """A solver prepared for one problem. What is done once per problem belongs in ``__init__`` and is not timed."""

    def fit(self, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
        """Fit the labels and time the fits alone; raise ``Skipped`` where the solver does not support the penalty."""


@dataclass(frozen=True)
class PeerEntry:
    """A peer as an entry of a table: its module, its title and its options."""

    module: str
    title: str
    options: dict[str, Any] = field(default_factory=dict)

    def prepare(self, problem: Problem) -> Peer:
        """Import the peer and prepare it for a problem; raise ``Skipped`` where it is not installed."""
        try:
            module = importlib.import_module(f"benchmarks.peers.{self.module}")
        except ImportError as error:
            raise Skipped(f"not installed: {error}") from error
        peer: Peer = getattr(module, CLASSES[self.module])(problem, **self.options)
        return peer


LIBLINEAR_L1 = PeerEntry("liblinear", "LIBLINEAR -s 6 -e 0.001")


def prepare_or_skip(entry: PeerEntry, problem: Problem) -> Peer | Skipped:
    """Return the prepared peer, or the reason why it is skipped."""
    try:
        return entry.prepare(problem)
    except Skipped as skipped:
        return skipped


def fit_or_raise(peer: Peer | Skipped, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
    """Fit the labels; raise the reason where the peer could not be prepared."""
    if isinstance(peer, Skipped):
        raise peer
    return peer.fit(labels, penalty)
