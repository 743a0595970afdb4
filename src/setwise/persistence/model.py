"""The trained model, as a part of the file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.classifier_spec import MODELS
from setwise.exceptions import Incompatible, InvalidData
from setwise.models import ClassifierChain
from setwise.models.base import LabelModel, ModelState
from setwise.models.pcc import MOST_IN_BEAM
from setwise.persistence.container import Tensors
from setwise.persistence.fields import Fields, plain

__all__ = ["KNOWN_MODELS", "model_from", "model_part"]

KNOWN_MODELS: dict[str, type[LabelModel]] = {one.__name__: one for one in MODELS.values()}
"""A file names one of these; it cannot bring a class of its own."""

_WHOLE_NUMBERS = {"indices": np.int32, "indptr": np.int64}


def model_part(model: Any) -> tuple[dict[str, Any], Tensors]:
    """Give class, parameters and fitted numbers; label names and the number of features are stored once, elsewhere."""
    if type(model) not in KNOWN_MODELS.values():
        raise Incompatible(f"A model file holds one of {', '.join(KNOWN_MODELS)}; got {type(model).__name__}.")
    state = model.state()
    values = {
        name: plain(one, name) for name, one in state.values.items() if name not in ("classes_", "n_features_in_")
    }
    manifest = {"class": state.model, "parameters": plain(state.parameters, state.model), "values": values}
    return manifest, {f"model.{name}": _narrowed(name, array) for name, array in state.arrays.items()}


def model_from(fields: Fields, tensors: Tensors, names: tuple[str, ...], n_features: int) -> LabelModel:
    """Make the model again; its class checks every array."""
    kind = KNOWN_MODELS[fields.text("class", tuple(KNOWN_MODELS))]
    parameters = fields.scalars("parameters")
    values = {**fields.scalars("values"), "classes_": list(names), "n_features_in_": n_features}
    fields.end()
    arrays = {name.removeprefix("model."): _widened(name, tensors.pop(name)) for name in _of_the_model(tensors)}
    model = kind.from_state(ModelState(kind.__name__, parameters, values, arrays))
    if isinstance(model, ClassifierChain) and model.largest_beam > MOST_IN_BEAM:
        widest = MOST_IN_BEAM // len(names)
        raise InvalidData(f"beam_width must be at most {widest} for {len(names)} labels; got {model.beam_width}")
    return model


def _of_the_model(tensors: Tensors) -> list[str]:
    return [name for name in tensors if name.startswith("model.")]


def _narrowed(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Store weights of features in single precision, where that changes none, and indices as wide as their kind is."""
    _, _, last = name.rpartition(".")
    if last in _WHOLE_NUMBERS:
        return array.astype(_WHOLE_NUMBERS[last], copy=False)
    if name.endswith("coef_.data"):
        with np.errstate(over="ignore", under="ignore"):
            narrow = array.astype(np.float32)
        return narrow if np.array_equal(narrow, array) else array
    return array


def _widened(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Undo the narrowing of weights: scores are added up in double precision."""
    return array.astype(np.float64) if name.endswith("coef_.data") and array.dtype == np.float32 else array
