"""Damaged files: reading them returns documents or raises one error of one line, in bounded time."""

from __future__ import annotations

import io
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from setwise.data import FORMATS, ReadOptions, open_documents
from setwise.data.formats import streams
from setwise.exceptions import InvalidData
from tests.data.damage import mutated, write_example

N_MUTATED = 2000
N_MUTATED_NAMES = 500
SECONDS_FOR_ALL = 60  # hundreds of times what is needed, so that only a hang fails


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
    """Opens one file from memory and the others as usual, since writing thousands of files is slow."""

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


@pytest.mark.parametrize("name", [*FORMATS, "jsonl, compressed", "libsvm, compressed", "parquet, plain"])
def test_mutated_files(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_example(tmp_path, name)
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
    path = write_example(tmp_path, name)
    side = path.with_name(beside)
    content = side.read_bytes()
    file = InMemory(side, monkeypatch)
    chance = random.Random(f"mutated {beside}")
    with no_hang(SECONDS_FOR_ALL):
        for _ in range(N_MUTATED_NAMES):
            file.content = mutated(content, chance)
            outcome(path, "stop")
