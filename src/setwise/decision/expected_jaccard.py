"""The label set of highest expected Jaccard index, for independent labels (Quevedo et al. 2012)."""

from __future__ import annotations

import numpy as np

from setwise import _core
from setwise.exceptions import Incompatible
from setwise.labels import Decision, IndependentLabels, csr_of_ones

__all__ = ["expected_jaccard"]


def expected_jaccard(beliefs: IndependentLabels, *, n_jobs: int = 1) -> Decision:
    """Choose for each document the set of highest expected Jaccard index, |both| / |either|.

    For independent labels it consists of the k most probable ones, for some k: a threshold for each document. With
    labels sorted by probability, the first k have the expected value::

        E_k = (p_1 + ... + p_k) sum_m p(m of the other labels are on) / (k + m)

    The index of two empty sets is 1, so the value of the empty set is p(y = 0). Ties go to the smaller set, and between
    labels to the first.

    Parameters
    ----------
    beliefs : IndependentLabels
    n_jobs : int
        Number of threads.

    Returns
    -------
    decision : Decision
        The sets, and the expected Jaccard index of each.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.decision import expected_jaccard
    >>> from setwise.labels import IndependentLabels
    >>> decision = expected_jaccard(IndependentLabels(np.log([[0.6 / 0.4, 0.2 / 0.8]])))
    >>> decision.sets.toarray().tolist(), decision.value.round(3).tolist()
    ([[1, 0]], [0.54])
    """
    if not isinstance(beliefs, IndependentLabels):
        raise Incompatible(
            "The expected Jaccard index needs independent labels; got other beliefs. "
            "Hint: use exact inference with BR, or another decision."
        )
    indptr, indices, value = _core.maximize_expected_jaccard_independent(
        np.ascontiguousarray(beliefs.logits), beliefs.excludes_empty, n_jobs
    )
    return Decision(csr_of_ones(indices, np.diff(indptr), beliefs.logits.shape[1]), value)
