"""Plain values: numbers, strings, lists, dicts and arrays, as text and a list of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import InvalidData

__all__ = ["join_arrays", "take_arrays"]

_ARRAY, _SPARSE = "array:", "sparse:"
"""Keys of the objects that stand for arrays; no dict of plain values has one."""

_FORMATS = {"csr": sp.csr_array, "csc": sp.csc_array}


def take_arrays(value: Any, store: Callable[[NDArray[Any]], Any]) -> Any:
    """Return the value as JSON can write it; ``store(array)`` returns what stands for an array."""
    if sp.issparse(value):
        matrix = value if value.format in _FORMATS else sp.csr_array(value)
        arrays = [store(np.asarray(one)) for one in (matrix.data, matrix.indices, matrix.indptr)]
        return {_SPARSE: matrix.format, "shape": list(matrix.shape), "arrays": arrays}
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise InvalidData("An array of Python objects cannot be sent to a worker. Hint: use numbers or strings.")
        return {_ARRAY: store(value)}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        if not value.keys().isdisjoint((_ARRAY, _SPARSE)):
            raise InvalidData(f"A dict must not have the keys {_ARRAY!r} and {_SPARSE!r}.")
        return {str(name): take_arrays(one, store) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [take_arrays(one, store) for one in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InvalidData(f"A {type(value).__name__} is no plain value.")


def join_arrays(value: Any, load: Callable[[Any], NDArray[Any]]) -> Any:
    """Undo :func:`take_arrays`: ``load`` returns the array that something stands for. Tuples have become lists."""
    if isinstance(value, dict):
        if _ARRAY in value:
            return load(value[_ARRAY])
        if _SPARSE in value:
            arrays = tuple(map(load, value["arrays"]))
            return _FORMATS[value[_SPARSE]](arrays, shape=tuple(value["shape"]))
        return {name: join_arrays(one, load) for name, one in value.items()}
    if isinstance(value, list):
        return [join_arrays(one, load) for one in value]
    return value
