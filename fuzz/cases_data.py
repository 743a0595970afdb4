"""Damaged data files of every format, read, counted and converted."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fuzz.workers import Case
from setwise.data import FORMATS, Document, ReadOptions, WriteOptions, convert, open_documents, statistics
from setwise.data.formats import format_of
from setwise.exceptions import SetwiseError
from tests.data.damage import ODD_PIECES, made, mutated

KINDS = [*FORMATS, "jsonl, packed", "csv, packed", "libsvm, packed", "parquet, of others"]

LONGEST_MESSAGE = 2000


def swap_tokens(content: bytes, chance: random.Random) -> bytes:
    """Replace some of the words and numbers by others of the file, or by something odd."""
    tokens = content.split(b" ")
    for _ in range(chance.randint(1, 4)):
        tokens[chance.randrange(len(tokens))] = chance.choice((*tokens, *ODD_PIECES))
    return b" ".join(tokens)


def rearrange_lines(content: bytes, chance: random.Random) -> bytes:
    """Leave lines out, repeat them, or put them in another order."""
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
    """Repeat a part up to 200 kB: enough for a cost that grows as a square to show."""
    at, to = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    times = min(chance.choice((10, 1000, 100_000)), 200_000 // (to - at + 1))
    return content[:at] + content[at:to] * times + content[to:]


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
    """Cases by number, for one seed; ``folder`` has the undamaged files, in a folder per format."""

    seed: int
    folder: Path
    _originals: dict[str, tuple[Path, list[Path]]] = field(default_factory=dict)

    def prepare(self) -> None:
        """Write the undamaged files."""
        for kind in KINDS:
            folder = self.folder / kind
            folder.mkdir(parents=True, exist_ok=True)
            main = made(folder, kind)
            (self.folder / f"{kind}.main").write_text(main.name)

    def load(self) -> None:
        """Find the undamaged files and those that stand beside them."""
        for kind in KINDS:
            main = self.folder / kind / (self.folder / f"{kind}.main").read_text()
            beside = sorted(path for path in main.parent.iterdir() if path != main)
            self._originals[kind] = main, beside

    def make(self, number: int) -> Case:
        """Damage a file, or once in a while one that stands beside it."""
        chance = random.Random(f"data {self.seed} {number}")
        kind = chance.choice(KINDS)
        main, beside = self._originals[kind]
        contents = {path.name: path.read_bytes() for path in (main, *beside)}
        target = chance.choice(beside) if beside and chance.random() < 0.2 else main
        change = chance.choice(CHANGES)
        within = target.suffix == ".gz" and chance.random() < 0.7
        content = contents[target.name]
        content = gzip.compress(change(gzip.decompress(content), chance)) if within else change(content, chance)
        contents[target.name] = content
        return Case(f"{kind}, {change.__name__} of {target.name}", contents)

    @staticmethod
    def check(path: Path) -> str:
        """Read a file in both ways of dealing with errors, count what it holds, and convert it."""
        outcomes = [_read(path, "stop"), _read(path, "skip"), _convert(path)]
        return "used" if "used" in outcomes else "refused"


def _read(path: Path, on_error: str) -> str:
    try:
        with open_documents(path, ReadOptions(on_error=on_error)) as documents:  # type: ignore[arg-type]
            statistics((_checked(document) for document in documents), documents.names)
    except SetwiseError as refusal:
        _check_message(str(refusal))
        return "refused"
    return "used"


def _convert(path: Path) -> str:
    """Convert to another format of the same kind, which the bytes of the file choose."""
    kind = format_of(path, None).kind
    targets = [name for name, format in FORMATS.items() if format.kind == kind]
    name = targets[zlib.crc32(path.read_bytes()) % len(targets)]
    folder = path.parent / "converted"
    folder.mkdir(exist_ok=True)
    target = folder / f"docs{(FORMATS[name].endings or ('.arff',))[0]}"
    try:
        convert(path, target, ReadOptions(on_error="skip"), WriteOptions(name))
    except SetwiseError as refusal:
        _check_message(str(refusal))
        return "refused"
    return "used"


def _checked(document: Document) -> Document:
    assert document.labels is None or all(document.labels), "a label must not be empty"
    values = getattr(document, "values", None)
    assert values is None or bool(np.isfinite(values).all()), "values must be finite"
    return document


def _check_message(message: str) -> None:
    assert "\n" not in message, f"more than one line: {message!r:.200}"
    assert len(message) < LONGEST_MESSAGE, f"too long: {message:.200}"
    message.encode()
