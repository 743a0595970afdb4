"""Damaged files: whatever is in them, documents come out or one sentence does, and soon."""

from __future__ import annotations

import io
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from setwise.data import FORMATS, ReadOptions, WriteOptions, open_documents, open_writer
from setwise.data.formats import streams
from setwise.exceptions import InvalidData
from tests.data.made import TEXTS, VECTOR_NAMES, VECTORS

N_MUTATED = 2000
N_MUTATED_NAMES = 500
SECONDS_FOR_ALL = 60  # hundreds of times what it takes: only a hang is caught
ODD_PIECES = [
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b"[" * 50),
    *(bytes([byte]) for byte in b"\"'\\\n\r\t {},;:?%"),
    *(b"NaN", b"1e999", b"-1", b"9" * 400, b"4294967296:1", b"@data", b"@attribute", b"-C 99999999", b"__label__"),
]


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Cut, repeat, overwrite or put something odd into some places."""
    for _ in range(chance.randint(1, 4)):
        at, to = sorted(chance.randrange(len(content) + 1) for _ in range(2))
        before, between, after = content[:at], content[at:to], content[to:]
        piece = chance.choice(ODD_PIECES)
        middles = [b"", between * 2, piece + between, piece + between[len(piece) :], between[:-1] + piece[:1]]
        content = before + chance.choice(middles) + (after if chance.random() < 0.9 else b"")
    return content


@contextmanager
def no_hang(seconds: int) -> Iterator[None]:
    def give_up(*_: Any) -> None:
        raise TimeoutError("hangs")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class InMemory:
    """Opens one file from memory and the others as usual: to write thousands of them takes longer than to read them."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.content = b""
        self._path = path
        monkeypatch.setattr(streams, "open", self._open, raising=False)

    def _open(self, path: Path, mode: str) -> Any:
        return io.BufferedReader(io.BytesIO(self.content)) if path == self._path else open(path, mode)


def outcome(path: Path, on_error: Any) -> str:
    try:
        with open_documents(path, ReadOptions(on_error=on_error)) as documents:
            for document in documents:
                assert document.labels is None or all(document.labels)
        return "read"
    except InvalidData as refused:
        message = str(refused)
    assert "\n" not in message
    assert str(path.parent) in message
    return "refused"


def made(folder: Path, name: str) -> Path:
    """A small file of a format, perhaps packed."""
    name, _, how = name.partition(", ")
    format = FORMATS[name]
    path = folder / f"docs{(format.endings or ('.arff',))[0]}{'.gz' if how == 'packed' else ''}"
    if how == "of others":  # no checksums that find most faults before the library does
        table = pa.table({"text": [d.text for d in TEXTS], "labels": [d.labels for d in TEXTS]})
        pq.write_table(table, path, compression="none", use_dictionary=False)
        return path
    texts = format.kind == "text"
    with open_writer(path, None if texts else VECTOR_NAMES, WriteOptions(name)) as write:
        for document in TEXTS if texts else VECTORS:
            write(document)
    return path


@pytest.mark.parametrize("name", [*FORMATS, "jsonl, packed", "libsvm, packed", "parquet, of others"])
def test_mutated_files(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path, name)
    content = path.read_bytes()
    file = InMemory(path, monkeypatch)
    chance = random.Random(f"mutated {name}")
    outcomes = set()
    with no_hang(SECONDS_FOR_ALL):
        for number in range(N_MUTATED):
            file.content = mutated(content, chance)
            outcomes.add(outcome(path, "skip" if number % 2 else "stop"))
    assert outcomes == {"read", "refused"}


@pytest.mark.parametrize(
    ("name", "beside"), [("libsvm", "labels.txt"), ("libsvm", "features.txt"), ("mulan", "docs.xml")]
)
def test_mutated_names(tmp_path: Path, name: str, beside: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path, name)
    side = path.with_name(beside)
    content = side.read_bytes()
    file = InMemory(side, monkeypatch)
    chance = random.Random(f"mutated {beside}")
    with no_hang(SECONDS_FOR_ALL):
        for _ in range(N_MUTATED_NAMES):
            file.content = mutated(content, chance)
            outcome(path, "stop")
