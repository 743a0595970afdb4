"""Files are read and written in bounded memory, tested with inputs that have no end."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from setwise.data import ReadOptions, TextDocument, convert, open_documents, open_writer, statistics
from setwise.data.formats import parquet_table, streams
from setwise.exceptions import InvalidData
from tests.data.examples import put

HEADERS = {
    "jsonl": b"",
    "csv": b"text,labels\n",
    "tsv": b"text\tlabels\n",
    "txt": b"",
    "libsvm": b"",
    "meka": b"@relation 'x: -C 1'\n@attribute a {0,1}\n@attribute b numeric\n@data\n",
}
ROWS = {
    "jsonl": b'{"text": "some words", "labels": ["x"]}\n',
    "csv": b'"some\nwords",x\n',
    "tsv": b"some words\tx\n",
    "txt": b"__label__x some words\n",
    "libsvm": b"0 1:1 2:1\n",
    "meka": b"{0 1,1 0.5}\n",
}


class Endless(io.RawIOBase):
    """A header, then one row repeated for ever; counts the bytes read."""

    def __init__(self, header: bytes, row: bytes) -> None:
        self._pieces = cycle([row])
        self._left = header
        self.n_bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while len(self._left) < len(buffer):
            self._left += next(self._pieces)
        buffer[:] = self._left[: len(buffer)]
        self._left = self._left[len(buffer) :]
        self.n_bytes_read += len(buffer)
        return len(buffer)


@pytest.mark.parametrize("format", HEADERS)
def test_documents_come_before_the_file_ends(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = Endless(HEADERS[format], ROWS[format])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(raw, buffer_size=1024)))
    with open_documents("-", ReadOptions(format=format)) as documents:
        n_read = sum(1 for _ in islice(documents, 1000))
        ahead = raw.n_bytes_read - len(HEADERS[format]) - n_read * len(ROWS[format])
    assert n_read == 1000
    assert ahead <= 300 * len(ROWS[format]) + 2048  # one block of lines, and the buffer


def generate(n: int) -> Iterator[TextDocument]:
    return (TextDocument(f"document {i} " + "word " * 50, (f"label{i % 7}",)) for i in range(n))


def peak_memory(folder: Path, ending: str, n: int) -> int:
    tracemalloc.start()
    try:
        with open_writer(folder / f"a.{ending}") as write:
            for document in generate(n):
                write(document)
        convert(folder / f"a.{ending}", folder / f"b.{ending}")
        with open_documents(folder / f"b.{ending}") as documents:
            assert statistics(documents).instances == n
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("ending", ["jsonl.gz", "csv", "txt", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_table, "ROW_GROUP_ROWS", 100)
    peak_memory(tmp_path, ending, 50)  # memory that is allocated once
    small, large = (peak_memory(tmp_path, ending, n) for n in (1000, 4000))
    assert large < 1.3 * small + 50_000  # the documents of the large one alone take over 1,200,000


def test_a_file_without_line_ends_is_an_error_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_LINE_BYTES", 1000)
    path = put(tmp_path / "docs.txt", "short\n" + "a" * 1001)
    with (
        open_documents(path) as documents,
        pytest.raises(InvalidData, match=r"line 2: a line must have at most 1,000 bytes\."),
    ):
        list(documents)
