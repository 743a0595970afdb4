"""The folder that workers share: data by the hash of their bytes, and one part file per finished task."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.data import FilePath, atomic_writer
from setwise.exceptions import InvalidData
from setwise.executors.digests import code_version
from setwise.executors.plain import join_arrays, take_arrays
from setwise.executors.task import Cost, Data, Outcome

__all__ = ["WorkFolder"]

_MARK = b"setwise part 1\n"


class WorkFolder:
    """Data and finished parts, each written completely or not at all.

    Names are digests of content, so that no file ever changes: whoever writes one that exists writes the same bytes.
    Parts of another version of the code are in a folder of their own, and are not read.

    Parameters
    ----------
    path : str or path
        Created where it does not exist. All workers must see it under this path.
    """

    def __init__(self, path: FilePath) -> None:
        self.path = Path(path).absolute()
        self._parts = self.path / "parts" / code_version()[:16]
        self._costs = self.path / "costs" / code_version()[:16]

    def create(self) -> WorkFolder:
        """Create what is missing of the folder."""
        try:
            for folder in (self.path / "data", self._parts, self._costs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidData(
                f"{self.path} cannot be used as a work folder: {error.strerror or error}. Hint: name another folder."
            ) from error
        return self

    def check(self) -> WorkFolder:
        """Raise where the folder cannot be seen from this machine."""
        if not self._parts.is_dir():
            raise InvalidData(
                f"A worker does not see the work folder {self.path}. Hint: name a folder on a file system that all "
                f"machines share."
            )
        return self

    def put(self, value: Any) -> Data:
        """Write plain values and arrays, unless they are there; arrays are mapped into the memory of who reads them."""
        text = json.dumps(take_arrays(value, self._put_array), sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()
        path = self.path / "data" / f"{key}.json"
        if not path.exists():
            with atomic_writer(path) as file:
                file.write(text.encode())
        return Data(key, lambda: self._read_data(key))

    def _put_array(self, array: NDArray[Any]) -> str:
        array = np.ascontiguousarray(array)
        digest = hashlib.sha256(repr((array.shape, array.dtype.str)).encode())
        digest.update(array.reshape(-1).view(np.uint8).data if array.size else b"")
        path = self.path / "data" / f"{digest.hexdigest()}.npy"
        if not path.exists():
            with atomic_writer(path) as file:
                np.save(file, array, allow_pickle=False)
        return digest.hexdigest()

    def _read_data(self, key: str) -> Any:
        try:
            return join_arrays(json.loads((self.path / "data" / f"{key}.json").read_bytes()), self._map_array)
        except (OSError, ValueError) as error:
            raise InvalidData(
                f"The data {key[:8]} of the work folder {self.path} cannot be read ({error}). Hint: run again in a new "
                f"folder."
            ) from error

    def _map_array(self, name: str) -> NDArray[Any]:
        path = self.path / "data" / f"{name}.npy"
        # An empty file cannot be mapped; the class of mapped arrays would be passed on to what is computed from them.
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        return np.asarray(mapped).view(np.ndarray) if mapped.size else np.load(path, allow_pickle=False)

    def put_file(self, path: FilePath) -> Data:
        """Copy a file, such as a model; tasks read its path here."""
        content = Path(path).read_bytes()
        key = hashlib.sha256(content).hexdigest()
        target = self.path / "data" / f"{key}.file"
        if not target.exists():
            with atomic_writer(target) as file:
                file.write(content)
        return Data(key, lambda: self._file(key), "file")

    def put_shard(self, value: Any) -> Data:
        """Write values that one task reads, in one file that :meth:`remove` takes away."""
        content = _content(value, ())
        key = hashlib.sha256(content).hexdigest()
        path = self._shard(key)
        if not path.exists():
            with atomic_writer(path) as file:
                file.write(_checksum_line(content) + content)
        return Data(key, lambda: _read(path), "shard")

    def input(self, kind: str, key: str) -> Data | Outcome:
        """Return what a task reads, by the names that it was sent."""
        if kind == "part":
            return self.part(key)
        read = {"data": self._read_data, "shard": lambda key: _read(self._shard(key)), "file": self._file}[kind]
        return Data(key, lambda: read(key), kind)

    def remove(self, given: Data | Outcome) -> None:
        """Remove a shard, or the result of a task, that nobody reads any more."""
        path = self._shard(given.key) if given.kind == "shard" else self._part(given.key)
        path.unlink(missing_ok=True)
        if given.kind == "part":
            (self._costs / f"{given.key}.json").unlink(missing_ok=True)

    def _shard(self, key: str) -> Path:
        return self.path / "data" / f"{key}.shard"

    def _file(self, key: str) -> str:
        return str(self.path / "data" / f"{key}.file")

    def write_part(self, key: str, value: Any, warnings: tuple[tuple[str, str], ...], cost: Cost) -> None:
        """Write the result of a task, and beside it what it took, which differs from run to run."""
        content = _content(value, warnings)
        with atomic_writer(self._costs / f"{key}.json") as file:
            file.write(json.dumps(asdict(cost)).encode())
        with atomic_writer(self._part(key)) as file:
            file.write(_checksum_line(content) + content)

    def has_part(self, key: str) -> bool:
        """Return whether a task is finished; a damaged file is removed, so that the task is done again."""
        path = self._part(key)
        if not path.exists():
            return False
        try:
            _checked(path)
        except InvalidData:
            path.unlink(missing_ok=True)
            return False
        return True

    def part(self, key: str) -> Outcome:
        """Return the outcome of a finished task; its value is read when it is asked for."""
        header = json.loads(_checked(self._part(key)).readline())
        try:
            cost = Cost(**json.loads((self._costs / f"{key}.json").read_bytes()))
        except (OSError, ValueError, TypeError):
            cost = Cost()
        noted = tuple((one, text) for one, text in header["warnings"])
        return Outcome(key, lambda: _read(self._part(key)), cost, noted)

    def _part(self, key: str) -> Path:
        return self._parts / f"{key}.part"


def _content(value: Any, warnings: tuple[tuple[str, str], ...]) -> bytes:
    """Return plain values and arrays as bytes: a line of JSON, and the arrays after it."""
    arrays: list[NDArray[Any]] = []

    def store(array: NDArray[Any]) -> int:
        arrays.append(array)
        return len(arrays) - 1

    plain = take_arrays(value, store)
    content = io.BytesIO()
    content.write(json.dumps({"value": plain, "warnings": warnings, "n_arrays": len(arrays)}).encode() + b"\n")
    for array in arrays:
        np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
    return content.getvalue()


def _checksum_line(content: bytes) -> bytes:
    return _MARK + hashlib.sha256(content).hexdigest().encode() + b"\n"


def _checked(path: Path) -> io.BytesIO:
    """Return the content of a file after its checksum."""
    try:
        stored = path.read_bytes()
    except OSError as error:
        raise InvalidData(f"{path} cannot be read: {error.strerror or error}.") from error
    start = len(_MARK) + 65
    content = stored[start:]
    if stored[:start] != _checksum_line(content):
        raise InvalidData(f"{path} is damaged. Hint: remove it, and run again.")
    return io.BytesIO(content)


def _read(path: Path) -> Any:
    content = _checked(path)
    header = json.loads(content.readline())
    arrays = [np.lib.format.read_array(content, allow_pickle=False) for _ in range(header["n_arrays"])]
    return join_arrays(header["value"], lambda number: arrays[number])
