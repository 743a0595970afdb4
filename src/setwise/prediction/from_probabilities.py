"""Label sets from probabilities of single labels that any classifier computed."""

from __future__ import annotations

from typing import Any, Literal

from setwise._validation import OneOf, check_parameters, effective_n_jobs
from setwise.labels import IDENTITY, LabelMatrix, SetCalibration, Support
from setwise.models import posterior_of_probabilities
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
    """Choose the label set of the best expected F for each document, from probabilities of single labels.

    Parameters
    ----------
    probabilities : array or sparse matrix of shape (n_samples, n_labels)
        From any classifier.
    support : label sets or Support
        The label sets of the training documents: zeros and ones, sparse or dense, or one list of names per document.
        With lists, the columns of ``probabilities`` are the sorted names.
    inference : {"support", "exact"}
        With "exact" every set may be chosen, and the support only names the labels.
    beta : float
        Weight of recall in F_beta.
    calibration : SetCalibration
    n_jobs : int, optional
        Number of threads; None uses every core.

    Returns
    -------
    sets
        One label set per document, in the form of ``support``.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import decide
    >>> decide(np.array([[0.6, 0.7, 0.1]]), [["a"], ["a", "b"], ["c"]])
    [['a', 'b']]
    """
    check_parameters({"inference": OneOf(["support", "exact"])}, {"inference": inference})
    seen = support if isinstance(support, Support) else Support.of(LabelMatrix.of(support, called="support"))
    n_threads = effective_n_jobs(n_jobs)
    posterior = posterior_of_probabilities(seen.sets.names, probabilities, n_threads)
    recipe = Recipe(inference, "gfm", calibration=calibration, scaling=calibration, beta=beta, n_jobs=n_threads)
    return seen.sets.with_indicator(recipe.decide(posterior, seen, with_value=False).sets).as_given()
