"""What run it is, in a few letters: two runs of the same data and settings have the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import scipy.sparse as sp

from setwise.prediction import Candidate
from setwise.tuning.grid import Line
from setwise.tuning.stopping import Patience
from setwise.tuning.validation import Part

__all__ = ["fingerprint"]


def fingerprint(
    model: Any,
    lines: Sequence[Line],
    parts: Sequence[Part],
    judges: Sequence[Candidate],
    metric: str,
    stopping: Patience | None,
) -> str:
    """Give a digest of all that decides what a search finds; the number of threads is not part of it."""
    digest = hashlib.sha256()
    parameters = {name: value for name, value in model.get_params(deep=False).items() if name != "n_jobs"}
    judged = [(one.name, *_recipe_words(one)) for one in judges]
    settings = (type(model).__name__, parameters, [asdict(line) for line in lines], judged, metric, stopping)
    digest.update(repr(settings).encode())
    for part in parts:
        for matrix in (part.X, part.X_held, part.y.indicator, part.y_held.indicator):
            for array in _arrays(matrix):
                digest.update(repr((array.shape, array.dtype.str)).encode())
                digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _recipe_words(candidate: Candidate) -> tuple[str, ...]:
    recipe = {name: value for name, value in vars(candidate.recipe).items() if name != "n_jobs"}
    return repr(recipe), repr(candidate.wishes)


def _arrays(matrix: Any) -> Iterable[Any]:
    return (matrix.data, matrix.indices, matrix.indptr) if sp.issparse(matrix) else (np.asarray(matrix),)
