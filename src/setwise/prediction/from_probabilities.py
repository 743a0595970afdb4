"""Probabilities of single labels, whoever computed them, made into sets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from setwise.exceptions import InvalidParameter
from setwise.inference import SetCalibration
from setwise.inference.calibration import IDENTITY
from setwise.labels import LabelMatrix, Support
from setwise.learners.checks import checked_n_jobs
from setwise.models.precomputed import PrecomputedMarginals
from setwise.prediction.recipe import Recipe

__all__ = ["decide"]


def decide(
    probabilities: Any,
    support: Any,
    *,
    inference: Literal["support", "exact"] = "support",
    beta: float = 1.0,
    calibration: SetCalibration = IDENTITY,
    n_jobs: int | None = None,
) -> Any:
    """Choose the set of the best expected F from probabilities of single labels, whoever computed them.

    ``probabilities`` are documents by labels, from any classifier. ``support`` are the label sets of its training
    documents (0 and 1, sparse or dense, or lists of names; the columns of ``probabilities`` are then the sorted names),
    or a :class:`Support`. The sets come back in the same form. With ``inference="exact"`` every set may win, and the
    support only names the labels.
    """
    seen = support if isinstance(support, Support) else Support.of(LabelMatrix.of(support, called="support"))
    threads = checked_n_jobs(n_jobs)
    model = PrecomputedMarginals(seen.sets.names, threads)
    if inference not in ("support", "exact"):
        raise InvalidParameter(f"inference must be 'support' or 'exact'; got {inference!r}.")
    model.scores(probabilities)  # checks all of it before any of it is used
    recipe = Recipe(inference, "gfm", calibration=calibration, scaling=calibration, beta=beta, n_jobs=threads)
    X = np.asarray(probabilities.toarray() if sp.issparse(probabilities) else probabilities)
    return seen.sets.with_indicator(recipe.decided(model, X, seen).sets).as_given()
