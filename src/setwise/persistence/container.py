"""The file itself: arrays by name and a manifest, in the safetensors format, with checksums of both."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from setwise.exceptions import InvalidData

__all__ = ["FORMAT", "Tensors", "read_container", "taken", "write_container"]

FORMAT = 1
"""The version of the format, which rises when older readers would misread a file."""

Tensors = dict[str, NDArray[Any]]

_TYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64, "I32": np.int32, "U8": np.uint8}
_TYPE_NAMES = {np.dtype(kind): name for name, kind in _TYPES.items()}

_METADATA = ("setwise_format", "manifest", "manifest_sha256")

_MOST_HEADER = 100_000_000
"""Bytes of a header that safetensors reads."""

_LONGEST_SIDE = 2**40
"""Of an array, even of one without a number in it: beyond, numpy does not make one."""


def write_container(file: BinaryIO, manifest: Mapping[str, Any], tensors: Tensors) -> None:
    """Write manifest and arrays, the widest types first, so that each begins where its type may be read."""
    names = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    arrays = {name: np.ascontiguousarray(tensors[name], tensors[name].dtype.newbyteorder("<")) for name in names}
    text = json.dumps({**manifest, "tensors_sha256": _digest(arrays)}, allow_nan=False)
    metadata = dict(zip(_METADATA, (str(FORMAT), text, hashlib.sha256(text.encode()).hexdigest()), strict=True))
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, array in arrays.items():
        start, end = end, end + array.nbytes
        header[name] = {
            "dtype": _TYPE_NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [start, end],
        }
    written = json.dumps(header).encode()
    written += b" " * (-len(written) % 8)
    if len(written) > _MOST_HEADER:
        raise InvalidData(f"The manifest must take at most {_MOST_HEADER:,} bytes; it takes {len(written):,}.")
    file.write(len(written).to_bytes(8, "little") + written)
    for array in arrays.values():
        file.write(array.reshape(-1).view(np.uint8).data)


def read_container(path: Path) -> tuple[dict[str, Any], Tensors]:
    """Read manifest and arrays through a memory map; the checksums must hold."""
    if not path.is_file():  # a pipe would be waited for without end
        raise InvalidData("it is a folder" if path.is_dir() else "there is no such file")
    try:
        with safe_open(path, framework="np") as file:
            text = _checked_text(file.metadata() or {})
            tensors = {name: _tensor(file, name) for name in file.keys()}  # noqa: SIM118, it is no dict
    except (SafetensorError, OSError) as error:
        raise InvalidData(f"it cannot be read ({error})") from None
    manifest = _parsed(text)
    if manifest.pop("tensors_sha256", None) != _digest(tensors):
        raise InvalidData("its arrays do not have the checksum that its manifest states")
    return manifest, tensors


def taken(tensors: Tensors, name: str) -> NDArray[Any]:
    """Take an array out of those that are left."""
    if name not in tensors:
        raise InvalidData(f"it must have the array {name!r}; it has not")
    return tensors.pop(name)


def _checked_text(metadata: Mapping[str, str]) -> str:
    """Give the text of the manifest, if this version of setwise can read it and nobody changed it."""
    if "setwise_format" not in metadata:
        raise InvalidData("it is a safetensors file of something else")
    version = metadata["setwise_format"]
    if not (version.isascii() and version.isdigit() and len(version) < 10 and int(version) >= 1):
        raise InvalidData(f"it states the format {version!r:.40}, which there is none of")
    if int(version) > FORMAT:
        raise InvalidData(f"it is of format {version}, and this version of setwise reads up to {FORMAT}")
    if sorted(metadata) != sorted(_METADATA):
        raise InvalidData(f"its metadata must be {', '.join(_METADATA)}, and are not")
    text = metadata["manifest"]
    if hashlib.sha256(text.encode()).hexdigest() != metadata["manifest_sha256"]:
        raise InvalidData("its manifest does not have the checksum that stands beside it")
    return text


def _parsed(text: str) -> dict[str, Any]:
    def refuse(word: str) -> NoReturn:
        raise ValueError(word)

    def finite(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refuse(digits)

    try:
        manifest = json.loads(text, parse_constant=refuse, parse_float=finite)
    except (ValueError, RecursionError):  # no JSON, NaN, a number of too many digits; brackets without end
        manifest = None
    if not isinstance(manifest, dict):
        raise InvalidData("its manifest is no JSON object")
    return manifest


def _tensor(file: Any, name: str) -> NDArray[Any]:
    kept = file.get_slice(name)
    if kept.get_dtype() not in _TYPES:
        raise InvalidData(f"the array {name!r:.80} is of type {kept.get_dtype()}, which no model has")
    shape = kept.get_shape()
    if not 1 <= len(shape) <= 2 or max(shape) > _LONGEST_SIDE:
        raise InvalidData(f"the array {name!r:.80} is of shape {shape!r:.80}, which no model has")
    return np.asarray(file.get_tensor(name))


def _digest(arrays: Tensors) -> str:
    """Give a checksum of the names, types, shapes and bytes of all arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(json.dumps([name, _TYPE_NAMES[array.dtype], array.shape]).encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
