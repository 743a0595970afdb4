"""What is known of the label sets of documents: their most probable sets, and how labels and sizes go together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["Modes", "SizeMarginals"]


@dataclass(frozen=True, eq=False)
class Modes:
    """The most probable set of each document, as far as a search can tell."""

    sets: sp.csr_array
    """Documents by labels, 0 and 1."""
    log_prob: NDArray[np.float64]
    exact: NDArray[np.bool_]
    """Where the search has proved that no set is more probable."""


@dataclass(frozen=True, eq=False)
class SizeMarginals:
    """How probable it is that a document has a label and is of a size: all that the best expected F1 asks for."""

    joint: NDArray[np.float64]
    """``joint[i, l, s - 1]`` is p(y_l = 1, |y| = s | x_i)."""
    empty: NDArray[np.float64]
    """``empty[i]`` is p(y = 0 | x_i)."""

    @property
    def marginals(self) -> NDArray[np.float64]:
        """p(y_l = 1 | x_i), documents by labels: the sum over sizes."""
        return np.asarray(self.joint.sum(axis=2))
