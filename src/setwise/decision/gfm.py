"""GFM: the label set of highest expected F (paper, Algorithm 1)."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from setwise import _core
from setwise.exceptions import Incompatible, InvalidParameter
from setwise.labels import Decision, MostProbable, SetDistribution, SizeMarginals
from setwise.labels.matrix import csr_of_ones

__all__ = ["checked_beta", "gfm"]

LARGEST_BETA = 1e100
"""Its square has to be a number too: where it is infinite, no set is worth anything that can be compared."""


def gfm(known: SetDistribution | SizeMarginals, *, beta: float = 1.0, n_jobs: int = 1) -> Decision:
    """Choose for each document the set of highest expected F_beta, and give that expectation.

    The F of two empty sets is 1, so that the empty set is worth p(y = 0). The set may be one that no document has; its
    size has no limit; ties go to the smaller set, and between labels to the first.
    """
    beta = checked_beta(beta)
    if isinstance(known, MostProbable):
        raise Incompatible(
            "GFM needs probabilities of sets or of labels and sizes; got the most probable sets alone. "
            "Hint: use support, exact or sampled inference."
        )
    if isinstance(known, SetDistribution):
        n_labels = known.sets.shape[1]
        indptr, indices, value = _core.maximise_expected_f_over_sets(
            known.probability,
            n_labels,
            known.sets.indptr.astype(np.int64),
            known.sets.indices.astype(np.int32),
            beta,
            n_jobs,
        )
    else:
        n_labels = known.joint.shape[1]
        joint = np.ascontiguousarray(known.joint)
        indptr, indices, value = _core.maximise_expected_f(joint, known.empty, beta, n_jobs)
    return Decision(csr_of_ones(indices, np.diff(indptr), n_labels), value)


def checked_beta(beta: Any) -> float:
    """Return ``beta`` as a float where it can weigh recall against precision."""
    if not isinstance(beta, numbers.Real) or isinstance(beta, bool) or not 0.0 < float(beta) < np.inf:
        raise InvalidParameter(f"beta must be a finite number above 0; got {beta!r}.")
    if float(beta) > LARGEST_BETA:
        raise InvalidParameter(f"beta must be at most {LARGEST_BETA:g}; got {beta!r}. Hint: that is recall already.")
    return float(beta)
