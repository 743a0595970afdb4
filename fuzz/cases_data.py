"""Damaged data files of every format: each is read, counted and converted."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from fuzz.workers import Case
from setwise.data import FORMATS, Document, ReadOptions, WriteOptions, convert, format_of, open_documents, statistics
from setwise.exceptions import SetwiseError
from tests.data.damage import ODD_PIECES, mutated, write_example

KINDS = [*FORMATS, "jsonl, compressed", "csv, compressed", "libsvm, compressed", "parquet, plain"]

MAX_MESSAGE = 2000  # characters


def swap_tokens(content: bytes, chance: random.Random) -> bytes:
    """Replace some words and numbers by others from the file, or by malformed bytes."""
    tokens = content.split(b" ")
    for _ in range(chance.randint(1, 4)):
        tokens[chance.randrange(len(tokens))] = chance.choice((*tokens, *ODD_PIECES))
    return b" ".join(tokens)


def rearrange_lines(content: bytes, chance: random.Random) -> bytes:
    """Drop, repeat or shuffle lines."""
    lines = content.splitlines(keepends=True)
    match chance.randrange(3):
        case 0:
            chance.shuffle(lines)
        case 1:
            lines = [line for line in lines if chance.random() < 0.7]
        case _:
            lines = [line for line in lines for _ in range(chance.choice((1, 1, 3)))]
    return b"".join(lines)


def repeat_part(content: bytes, chance: random.Random) -> bytes:
    """Repeat a part up to 200 kB: enough for quadratic cost to exceed the time limit."""
    at, to = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    times = min(chance.choice((10, 1000, 100_000)), 200_000 // (to - at + 1))
    return content[:at] + content[at:to] * times + content[to:]


# `mutated` is the most general change, so it is drawn most often.
CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    mutated,
    mutated,
    mutated,
    swap_tokens,
    rearrange_lines,
    repeat_part,
)


@dataclass
class DataCases:
    """Damaged data files by number, for one seed; ``folder`` contains the undamaged files, one subfolder per format."""

    seed: int
    folder: Path
    _originals: dict[str, tuple[Path, list[Path]]] = field(default_factory=dict)

    def prepare(self) -> None:
        """Write the undamaged files."""
        for kind in KINDS:
            folder = self.folder / kind
            folder.mkdir(parents=True, exist_ok=True)
            main = write_example(folder, kind)
            (self.folder / f"{kind}.main").write_text(main.name)

    def load(self) -> None:
        """Find the undamaged files, and the files beside each that belong to it."""
        for kind in KINDS:
            main = self.folder / kind / (self.folder / f"{kind}.main").read_text()
            beside = sorted(path for path in main.parent.iterdir() if path != main)
            self._originals[kind] = main, beside

    def make(self, number: int) -> Case:
        """Damage a file, or sometimes one of the files that belong to it."""
        chance = random.Random(f"data {self.seed} {number}")
        kind = chance.choice(KINDS)
        main, beside = self._originals[kind]
        contents = {path.name: path.read_bytes() for path in (main, *beside)}
        target = chance.choice(beside) if beside and chance.random() < 0.2 else main
        change = chance.choice(CHANGES)
        decompress = target.suffix == ".gz" and chance.random() < 0.7
        content = contents[target.name]
        content = gzip.compress(change(gzip.decompress(content), chance)) if decompress else change(content, chance)
        contents[target.name] = content
        return Case(f"{kind}, {change.__name__} of {target.name}", contents)

    @staticmethod
    def check(path: Path) -> str:
        """Read a file with both settings of ``on_error``, compute its statistics, and convert it."""
        outcomes = [_read(path, "stop"), _read(path, "skip"), _convert(path)]
        return "used" if "used" in outcomes else "refused"


def _read(path: Path, on_error: Literal["stop", "skip"]) -> str:
    """Read all documents and compute their statistics."""
    try:
        with open_documents(path, ReadOptions(on_error=on_error)) as documents:
            statistics((_checked(document) for document in documents), documents.names)
    except SetwiseError as error:
        _check_message(str(error))
        return "refused"
    return "used"


def _convert(path: Path) -> str:
    """Convert to a format of the same kind, chosen by a checksum of the file."""
    kind = format_of(path, None).kind
    targets = [name for name, format in FORMATS.items() if format.kind == kind]
    name = targets[zlib.crc32(path.read_bytes()) % len(targets)]
    folder = path.parent / "converted"
    folder.mkdir(exist_ok=True)
    target = folder / f"docs{(FORMATS[name].suffixes or ('.arff',))[0]}"
    try:
        convert(path, target, ReadOptions(on_error="skip"), WriteOptions(name))
    except SetwiseError as error:
        _check_message(str(error))
        return "refused"
    return "used"


def _checked(document: Document) -> Document:
    """Return the document; fail where it has an empty label or a value that is not finite."""
    assert document.labels is None or all(document.labels), "a label is empty"
    values = getattr(document, "values", None)
    assert values is None or bool(np.isfinite(values).all()), "a value is not finite"
    return document


def _check_message(message: str) -> None:
    """Fail unless an error message is one line of bounded length that can be encoded."""
    assert "\n" not in message, f"message of more than one line: {message!r:.200}"
    assert len(message) < MAX_MESSAGE, f"message too long: {message:.200}"
    message.encode()
