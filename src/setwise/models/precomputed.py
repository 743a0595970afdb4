"""Label probabilities that another classifier computed, as a posterior over label sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp

from setwise._validation import as_matrix, require_finite
from setwise.exceptions import InvalidData
from setwise.learners import CONSTANT_LOGIT
from setwise.models.bernoulli_posterior import IndependentPosterior

__all__ = ["posterior_of_probabilities"]


def posterior_of_probabilities(classes: tuple[str, ...], probabilities: Any, n_jobs: int) -> IndependentPosterior:
    """Return the posterior of independent labels with these probabilities, documents by labels.

    A probability of 0 or 1 is taken as within rounding of it, so that no single label rules out every set.
    """
    matrix = as_matrix(probabilities, "probabilities")
    chances = np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix, dtype=np.float64)
    require_finite(chances, "probabilities")
    if chances.shape[1] != len(classes):
        raise InvalidData(f"probabilities has {chances.shape[1]} columns but there are {len(classes)} labels.")
    if chances.min() < 0.0 or chances.max() > 1.0:
        wrong = chances[(chances < 0.0) | (chances > 1.0)][0]
        raise InvalidData(f"probabilities must lie in [0, 1]; got {wrong:g}. Hint: pass probabilities, not scores.")
    scores = np.clip(scipy.special.logit(chances), -CONSTANT_LOGIT, CONSTANT_LOGIT)
    return IndependentPosterior.of_scores(classes, scores, n_jobs)
