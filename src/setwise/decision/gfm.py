"""GFM: the label set of highest expected F (paper, Algorithm 1), and the expected F of any set."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import checked_beta
from setwise.exceptions import Incompatible
from setwise.labels import (
    Decision,
    IndependentLabels,
    IndependentSets,
    MostProbable,
    ScoredSets,
    SetDistribution,
    SizeMarginals,
    csr_of_ones,
)

__all__ = ["expected_f", "gfm"]


def gfm(
    beliefs: SetDistribution | SizeMarginals | IndependentLabels, *, beta: float = 1.0, n_jobs: int = 1
) -> Decision:
    """Choose for each document the set of highest expected F_beta.

    The F of two empty sets is 1, so the value of the empty set is p(y = 0). The chosen set may be one that no training
    document has, of any size. Ties go to the smaller set, and between labels to the first.

    Of independent labels the best set has the most probable ones, so that only their number is searched for (Nan et al.
    2012); it is the set that their size marginals lead to.

    Parameters
    ----------
    beliefs : SetDistribution, SizeMarginals or IndependentLabels
    beta : float
        Weight of recall relative to precision.
    n_jobs : int
        Number of threads.

    Returns
    -------
    decision : Decision
        The sets, and the expected F_beta of each.

    Examples
    --------
    The paper's example in section 3.2: p({1}) = .5, p({2}) = .4, p({3}) = .1.

    >>> import numpy as np
    >>> from setwise.labels import LabelMatrix, SetDistribution
    >>> singletons = LabelMatrix.of([["1"], ["2"], ["3"]])
    >>> decision = gfm(SetDistribution(singletons, np.array([[0.5, 0.4, 0.1]])))
    >>> decision.sets.toarray(), decision.value.round(3)
    (array([[1, 1, 0]]), array([0.6]))
    """
    beta = checked_beta(beta)
    if isinstance(beliefs, MostProbable):
        raise Incompatible(
            "GFM needs probabilities of sets or of labels and sizes, and mode inference has neither. "
            "Hint: use support, exact or sampled inference."
        )
    if isinstance(beliefs, IndependentLabels):
        n_labels = beliefs.logits.shape[1]
        logits = np.ascontiguousarray(beliefs.logits)
        indptr, indices, value = _core.maximize_expected_f_independent(logits, beliefs.excludes_empty, beta, n_jobs)
    elif isinstance(beliefs, IndependentSets):
        n_labels = beliefs.sets.n_labels
        indptr, indices, value = _core.maximize_expected_f_over_logits(
            beliefs.logits, beliefs.scale, beliefs.bias, beliefs.sets.native, beta, n_jobs
        )
    elif isinstance(beliefs, ScoredSets):
        n_labels = beliefs.sets.n_labels
        indptr, indices, value = _core.maximize_expected_f_over_scores(
            beliefs.scores, beliefs.scale, beliefs.bias, beliefs.sets.native, beta, n_jobs
        )
    elif isinstance(beliefs, SetDistribution):
        n_labels = beliefs.sets.n_labels
        indptr, indices, value = _core.maximize_expected_f_over_sets(
            beliefs.probability, beliefs.sets.native, beta, n_jobs
        )
    else:
        n_labels = beliefs.joint.shape[1]
        joint = np.ascontiguousarray(beliefs.joint)
        indptr, indices, value = _core.maximize_expected_f(joint, beliefs.empty, beta, n_jobs)
    return Decision(csr_of_ones(indices, np.diff(indptr), n_labels), value)


def expected_f(
    beliefs: SizeMarginals | IndependentLabels, sets: sp.csr_array, *, beta: float = 1.0, n_jobs: int = 1
) -> NDArray[np.float64]:
    """Return the expected F_beta of one set per document; two empty sets have F 1."""
    if isinstance(beliefs, IndependentLabels):
        rows = _core.LabelSets(sets.shape[1], sets.indptr.astype(np.int64), sets.indices.astype(np.int32))
        logits = np.ascontiguousarray(beliefs.logits)
        return _core.expected_f_independent(logits, beliefs.excludes_empty, rows, beta, n_jobs)
    square, sizes = beta * beta, np.diff(sets.indptr)
    document = np.repeat(np.arange(sets.shape[0]), sizes)
    s = np.arange(1, beliefs.joint.shape[2] + 1)
    weight = (1.0 + square) / (square * s + np.maximum(sizes, 1)[:, None])
    each = (beliefs.joint[document, sets.indices] * weight[document]).sum(axis=1)
    total = np.bincount(document, each, minlength=sets.shape[0])
    return np.asarray(np.where(sizes == 0, beliefs.empty, total))
