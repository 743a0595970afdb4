"""Files written next to the data, with names that the data's own format cannot store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from setwise.data.atomic import atomic_writer
from setwise.data.paths import FilePath, same_file
from setwise.exceptions import InvalidData

__all__ = ["SideFile", "check_side_files", "write_side_files"]


@dataclass(frozen=True)
class SideFile:
    """A file next to the data."""

    path: Path
    # None if the file must not exist, since readers would apply its names to the data.
    content: str | None
    # Whether other data in the folder may use it too, so that it must not change.
    shared: bool = True


def check_side_files(files: Iterable[SideFile], data: Path, inputs: Iterable[FilePath] = ()) -> None:
    """Raise ``InvalidData`` if writing would rename the labels of other data in the folder, or change an input."""
    inputs = list(inputs)
    for file in files:
        if not file.path.exists() or not (file.shared or any(same_file(one, file.path) for one in inputs)):
            continue
        if file.content is None or file.path.read_bytes() != file.content.encode():
            raise InvalidData(
                f"{file.path} contains other names than those of {data.name}. Write {data.name} to a folder of its own."
            )


def write_side_files(files: Iterable[SideFile]) -> None:
    """Write the files that have content."""
    for file in files:
        if file.content is not None:
            with atomic_writer(file.path) as out:
                out.write(file.content.encode())
