"""Digests: two things with the same digest are the same data, parameters or code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import is_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["code_version", "data_fingerprint", "parameter_text"]

_PACKAGES = ("numpy", "scipy", "scikit-learn")
"""Packages whose version may change a result in its last bits."""

_CODE_SUFFIXES = frozenset([".py", ".so", ".pyd"])


@cache
def code_version() -> str:
    """Return a digest of the code of setwise, and of the versions of the packages that compute with it."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in _CODE_SUFFIXES:
            digest.update(path.relative_to(package).as_posix().encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    for name in _PACKAGES:
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            digest.update(name.encode())
    return digest.hexdigest()


def parameter_text(value: Any) -> str:
    """Return a text that differs wherever a parameter does: the ``repr`` of an estimator or of an array is cut short.

    Numbers of threads are left out.
    """
    if hasattr(value, "get_params"):
        parameters = {name: one for name, one in value.get_params(deep=False).items() if name != "n_jobs"}
        return f"{type(value).__name__}{parameter_text(parameters)}"
    if isinstance(value, dict):
        return repr({name: parameter_text(one) for name, one in sorted(value.items())})
    if isinstance(value, list | tuple):
        return repr([parameter_text(one) for one in value])
    if is_dataclass(value) and not isinstance(value, type):
        fields = {name: one for name, one in vars(value).items() if name != "n_jobs"}
        return f"{type(value).__name__}{parameter_text(fields)}"
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


def _arrays(matrix: Any) -> Iterable[Any]:
    if sp.issparse(matrix):
        compressed = matrix if hasattr(matrix, "indptr") else sp.csr_array(matrix)
        return compressed.data, compressed.indices, compressed.indptr
    array = np.asarray(matrix)
    # The bytes of an array of objects are addresses; strings are compared by their characters.
    return (array.astype(str) if array.dtype == object else array,)
