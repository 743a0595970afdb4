"""Files written beside a file of data: they hold names that the data's own format has no place for."""

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
    """A file beside the data; ``content`` is None where there must be none, since it would be taken for the data's."""

    path: Path
    content: str | None
    shared: bool = True
    """Whether other data in the folder may use it too, so that it must not change."""


def check_side_files(files: Iterable[SideFile], data: Path, inputs: Iterable[FilePath] = ()) -> None:
    """Raise if writing would give other data in the same folder new names, or would change an input."""
    inputs = list(inputs)
    for file in files:
        if not file.path.exists() or not (file.shared or any(same_file(one, file.path) for one in inputs)):
            continue
        if file.content is None or file.path.read_bytes() != file.content.encode():
            raise InvalidData(
                f"{file.path} must hold the names of {data.name} or not be there; it holds others. "
                f"Hint: write {data.name} into a folder of its own."
            )


def write_side_files(files: Iterable[SideFile]) -> None:
    """Write those that have a content."""
    for file in files:
        if file.content is not None:
            with atomic_writer(file.path) as out:
                out.write(file.content.encode())
