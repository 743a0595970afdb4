"""The fitted model in the model file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.exceptions import Incompatible, InvalidData
from setwise.models import LabelModel, ModelState, stored_models
from setwise.persistence.container import Tensors
from setwise.persistence.fields import Fields, plain

__all__ = ["model_from", "model_part"]

MAX_MEMBERS = 1000
"""More members of an ensemble are damage."""

_INDEX_TYPES = {"indices": np.int32, "indptr": np.int64}


def model_part(model: Any, prefix: str = "model.") -> tuple[dict[str, Any], Tensors]:
    """Return class, parameters and fitted numbers; label names and the number of features have their own parts."""
    if type(model).__name__ not in stored_models():
        raise Incompatible(f"{type(model).__name__} is not a registered model. Hint: add it to setwise.models.MODELS.")
    state = model.state()
    values = {
        name: plain(one, name) for name, one in state.values.items() if name not in ("classes_", "n_features_in_")
    }
    manifest = {"class": state.model, "parameters": plain(state.parameters, state.model), "values": values}
    tensors = {prefix + name: _narrowed(name, array) for name, array in state.arrays.items()}
    members = [model_part(member, _prefix_of(prefix, number)) for number, member in enumerate(state.members)]
    for _, member_tensors in members:
        tensors |= member_tensors
    return {**manifest, "members": [member for member, _ in members]}, tensors


def model_from(
    fields: Fields, tensors: Tensors, names: tuple[str, ...], n_features: int, prefix: str = "model."
) -> LabelModel:
    """Rebuild the model; its class, which must be registered, checks every array."""
    classes = stored_models()
    model_class = classes[fields.text("class", tuple(classes))]
    parameters = fields.scalars("parameters")
    values = {**fields.scalars("values"), "classes_": list(names), "n_features_in_": n_features}
    parts = fields.items("members")
    if parts and len(prefix) > len("model."):
        raise InvalidData("A member of an ensemble must not have members of its own; one has.")
    if len(parts) > MAX_MEMBERS:
        raise InvalidData(f"An ensemble must have at most {MAX_MEMBERS} members; got {len(parts)}.")
    fields.end()
    members = tuple(
        model_from(Fields(part, f"members.{number}"), tensors, names, n_features, _prefix_of(prefix, number))
        for number, part in enumerate(parts)
    )
    own = [name for name in tensors if name.startswith(prefix)]
    arrays = {name.removeprefix(prefix): _widened(name, tensors.pop(name)) for name in own}
    return model_class.from_state(ModelState(model_class.__name__, parameters, values, arrays, members))


def _prefix_of(prefix: str, number: int) -> str:
    """Return what the names of a member's arrays start with."""
    return f"{prefix}members.{number}."


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
