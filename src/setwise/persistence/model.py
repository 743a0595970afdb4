"""The fitted model in the model file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.exceptions import Incompatible
from setwise.models import MODELS, LabelModel, ModelState, entry_of
from setwise.persistence.container import Tensors
from setwise.persistence.fields import Fields, plain

__all__ = ["model_from", "model_part"]

_INDEX_TYPES = {"indices": np.int32, "indptr": np.int64}


def model_part(model: Any) -> tuple[dict[str, Any], Tensors]:
    """Return class, parameters and fitted numbers; label names and the number of features have their own parts."""
    if entry_of(model) is None:
        raise Incompatible(f"{type(model).__name__} is not a registered model. Hint: add it to setwise.models.MODELS.")
    state = model.state()
    values = {
        name: plain(one, name) for name, one in state.values.items() if name not in ("classes_", "n_features_in_")
    }
    manifest = {"class": state.model, "parameters": plain(state.parameters, state.model), "values": values}
    return manifest, {f"model.{name}": _narrowed(name, array) for name, array in state.arrays.items()}


def model_from(fields: Fields, tensors: Tensors, names: tuple[str, ...], n_features: int) -> LabelModel:
    """Rebuild the model; its class, which must be registered, checks every array."""
    classes = {entry.model.__name__: entry.model for entry in MODELS.values()}
    model_class = classes[fields.text("class", tuple(classes))]
    parameters = fields.scalars("parameters")
    values = {**fields.scalars("values"), "classes_": list(names), "n_features_in_": n_features}
    fields.end()
    own = [name for name in tensors if name.startswith("model.")]
    arrays = {name.removeprefix("model."): _widened(name, tensors.pop(name)) for name in own}
    return model_class.from_state(ModelState(model_class.__name__, parameters, values, arrays))


def _narrowed(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return weights in single precision, where that changes none, and indices in the width of their kind."""
    _, _, last = name.rpartition(".")
    if last in _INDEX_TYPES:
        return array.astype(_INDEX_TYPES[last], copy=False)
    if name.endswith("coef_.data"):
        with np.errstate(over="ignore", under="ignore"):
            narrow = array.astype(np.float32)
        return narrow if np.array_equal(narrow, array) else array
    return array


def _widened(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return weights in double precision, in which scores are summed."""
    return array.astype(np.float64) if name.endswith("coef_.data") and array.dtype == np.float32 else array
