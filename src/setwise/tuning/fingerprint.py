"""The fingerprint of a run: two runs of the same data and settings have the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from setwise.learners import FeatureColumns
from setwise.models import Patience, StrengthPath
from setwise.prediction import Candidate
from setwise.tuning.early_stopping import CurveSchedule
from setwise.tuning.validation import Part

__all__ = ["data_fingerprint", "fingerprint", "parameter_text"]


def fingerprint(
    model: Any,
    paths: Sequence[StrengthPath],
    parts: Sequence[Part],
    recipes: Sequence[Candidate],
    scoring: str,
    evaluations: Patience | CurveSchedule | None,
) -> str:
    """Return a digest of everything that decides the result of a search; the number of threads is not part of it."""
    parameters = {name: value for name, value in model.get_params(deep=False).items() if name != "n_jobs"}
    candidates = [(one.name, *_recipe_fields(one)) for one in recipes]
    settings = (type(model).__name__, parameters, [asdict(path) for path in paths], candidates, scoring, evaluations)
    data: list[Any] = []
    for part in parts:
        data += [FeatureColumns.matrix_of(part.X), part.X_held, part.y.indicator, part.y_held.indicator]
        if part.sample_weight is not None:
            data.append(part.sample_weight)
    return data_fingerprint(repr(settings), *data)


def parameter_text(value: Any) -> str:
    """Return a text that differs wherever a parameter does: the ``repr`` of an estimator or of an array is cut short.

    The number of threads of an estimator is left out.
    """
    if hasattr(value, "get_params"):
        parameters = {name: one for name, one in value.get_params(deep=False).items() if name != "n_jobs"}
        return f"{type(value).__name__}{parameter_text(parameters)}"
    if isinstance(value, dict):
        return repr({name: parameter_text(one) for name, one in sorted(value.items())})
    if isinstance(value, list | tuple):
        return repr([parameter_text(one) for one in value])
    if is_dataclass(value) and not isinstance(value, type):
        return f"{type(value).__name__}{parameter_text(vars(value))}"
    if sp.issparse(value) or hasattr(value, "__array__"):
        return data_fingerprint(value)
    return repr(value)


def data_fingerprint(*parts: Any) -> str:
    """Return a digest of strings, lists of strings and matrices; parts that are None are left out."""
    digest = hashlib.sha256()
    for part in parts:
        if part is None:
            continue
        if isinstance(part, str | list | tuple):
            # The lengths are digested too, so that no other strings join to the same bytes.
            encoded = [one.encode("utf-8", "surrogatepass") for one in ([part] if isinstance(part, str) else part)]
            digest.update(repr([len(one) for one in encoded]).encode())
            digest.update(b"".join(encoded))
            continue
        for array in _arrays(part):
            digest.update(repr((array.shape, array.dtype.str)).encode())
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _recipe_fields(candidate: Candidate) -> tuple[str, ...]:
    recipe = {name: value for name, value in vars(candidate.recipe).items() if name != "n_jobs"}
    return repr(recipe), repr(candidate.targets)


def _arrays(matrix: Any) -> Iterable[Any]:
    if sp.issparse(matrix):
        compressed = matrix if hasattr(matrix, "indptr") else sp.csr_array(matrix)
        return compressed.data, compressed.indices, compressed.indptr
    array = np.asarray(matrix)
    # The bytes of an array of objects are addresses; strings are compared by their characters.
    return (array.astype(str) if array.dtype == object else array,)
