"""The file format: named arrays and a manifest in one safetensors file, with checksums of both."""

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

__all__ = ["FORMAT_VERSION", "Tensors", "read_container", "take_array", "write_container"]

FORMAT_VERSION = 4
"""Version of the file format, which rises whenever stored names or their meaning change."""

Tensors = dict[str, NDArray[Any]]

_DTYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64, "I32": np.int32, "U8": np.uint8}
_DTYPE_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}

_METADATA = ("setwise_format", "manifest", "manifest_sha256")

_MAX_HEADER_BYTES = 100_000_000
"""Size of the largest header that safetensors reads."""

_MAX_SIDE = 2**40
"""Longest side of an array, even of one without elements: numpy rejects larger shapes."""

_DAMAGED = "The file is damaged: copy it again or retrain the model."


def write_container(file: BinaryIO, manifest: Mapping[str, Any], tensors: Tensors) -> None:
    """Write manifest and arrays; arrays with wide types come first, so that all of them are aligned."""
    names = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    arrays = {name: np.ascontiguousarray(tensors[name], tensors[name].dtype.newbyteorder("<")) for name in names}
    text = json.dumps({**manifest, "tensors_sha256": _checksum(arrays)}, allow_nan=False)
    metadata = dict(zip(_METADATA, (str(FORMAT_VERSION), text, hashlib.sha256(text.encode()).hexdigest()), strict=True))
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, array in arrays.items():
        start, end = end, end + array.nbytes
        header[name] = {
            "dtype": _DTYPE_NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [start, end],
        }
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    if len(encoded) > _MAX_HEADER_BYTES:
        raise InvalidData(f"The manifest has {len(encoded):,} bytes; at most {_MAX_HEADER_BYTES:,} can be saved.")
    file.write(len(encoded).to_bytes(8, "little") + encoded)
    for array in arrays.values():
        file.write(array.reshape(-1).view(np.uint8).data)


def read_container(path: Path) -> tuple[dict[str, Any], Tensors]:
    """Read manifest and arrays, and check their checksums."""
    if not path.is_file():  # opening a pipe would wait forever
        raise InvalidData("It is a directory." if path.is_dir() else "No such file.")
    try:
        with safe_open(path, framework="np") as file:
            text = _checked_manifest_text(file.metadata() or {})
            tensors = {name: _read_array(file, name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except (SafetensorError, OSError) as error:
        raise InvalidData(f"It is not a complete safetensors file ({error}).") from None
    manifest = _parse_manifest(text)
    if manifest.pop("tensors_sha256", None) != _checksum(tensors):
        raise InvalidData(f"The arrays do not match their checksum. {_DAMAGED}")
    return manifest, tensors


def take_array(tensors: Tensors, name: str) -> NDArray[Any]:
    """Remove an array from ``tensors`` and return it."""
    if name not in tensors:
        raise InvalidData(f"Array {name!r} is missing from the file.")
    return tensors.pop(name)


def _checked_manifest_text(metadata: Mapping[str, str]) -> str:
    """Return the text of the manifest after checking the format version and the checksum."""
    if "setwise_format" not in metadata:
        raise InvalidData("It is a safetensors file, but not a setwise model.")
    version = metadata["setwise_format"]
    if version != str(FORMAT_VERSION):
        raise InvalidData(f"Unknown format version {version!r:.40}; this setwise reads version {FORMAT_VERSION}.")
    if sorted(metadata) != sorted(_METADATA):
        raise InvalidData(f"The metadata must have the keys {', '.join(_METADATA)} and no others.")
    text = metadata["manifest"]
    if hashlib.sha256(text.encode()).hexdigest() != metadata["manifest_sha256"]:
        raise InvalidData(f"The manifest does not match its checksum. {_DAMAGED}")
    return text


def _parse_manifest(text: str) -> dict[str, Any]:
    """Return the manifest; reject NaN and numbers beyond the range of floats."""

    def refuse(word: str) -> NoReturn:
        raise ValueError(word)

    def finite(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refuse(digits)

    try:
        manifest = json.loads(text, parse_constant=refuse, parse_float=finite)
    except (ValueError, RecursionError):  # invalid JSON, NaN, integers with too many digits; brackets nested too deeply
        manifest = None
    if not isinstance(manifest, dict):
        raise InvalidData("The manifest is not a JSON object.")
    return manifest


def _read_array(file: Any, name: str) -> NDArray[Any]:
    """Read one array after checking its type and shape."""
    stored = file.get_slice(name)
    if stored.get_dtype() not in _DTYPES:
        raise InvalidData(f"Array {name!r:.80} has the unknown type {stored.get_dtype()}.")
    shape = stored.get_shape()
    if not 1 <= len(shape) <= 2 or max(shape) > _MAX_SIDE:
        raise InvalidData(f"Array {name!r:.80} has the invalid shape {shape!r:.80}.")
    return np.asarray(file.get_tensor(name))


def _checksum(arrays: Tensors) -> str:
    """Return the SHA-256 of the names, types, shapes and bytes of all arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(json.dumps([name, _DTYPE_NAMES[array.dtype], array.shape]).encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
