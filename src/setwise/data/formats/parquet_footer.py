"""The footer of a parquet file: the size of each column of its row groups, before any of them is decompressed.

pyarrow reads it too, but some damaged footers make it abort the process. The footer is in Thrift's compact protocol, of
which this module implements the part that footers use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

__all__ = ["Column", "RowGroup", "read_footer"]

_TAIL = 8  # bytes: the length of the footer, then the magic number of parquet
_MAX_DEPTH = 32
_BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 3, 7, 8, 9, 10, 12
_BOOLEANS, _INTEGERS = (1, 2), (4, 5, 6)
_WIDTHS = {_BYTE: 1, _DOUBLE: 8}

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a row group, with its uncompressed and compressed sizes."""

    path: tuple[str, ...]
    n_values: int
    n_bytes: int
    n_compressed_bytes: int


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A group of rows, stored column by column."""

    columns: list[Column]
    n_rows: int


def read_footer(file: BinaryIO) -> list[RowGroup]:
    """Read the row groups of a parquet file; raise ``ValueError`` if the footer is damaged."""
    end = file.seek(0, 2)
    file.seek(max(end - _TAIL, 0))
    length = int.from_bytes(file.read(_TAIL)[:4], "little")
    file.seek(max(end - _TAIL - length, 0))
    thrift = _Thrift(file.read(length))
    file.seek(0)
    groups: list[RowGroup] = []
    try:
        for field, kind in thrift.fields():
            if (field, kind) == (4, _LIST):
                groups = thrift.items(lambda: _row_group(thrift))
            else:
                thrift.skip(kind)
    except IndexError:
        raise ValueError("its footer is truncated or damaged") from None
    return groups


def _row_group(thrift: _Thrift) -> RowGroup:
    columns: list[Column] = []
    n_rows = 0
    for field, kind in thrift.fields():
        if (field, kind) == (1, _LIST):
            columns = thrift.items(lambda: _column(thrift))
        elif field == 3 and kind in _INTEGERS:
            n_rows = thrift.integer()
        else:
            thrift.skip(kind)
    return RowGroup(columns, n_rows)


def _column(thrift: _Thrift) -> Column:
    path: list[bytes] = []
    sizes = {5: 0, 6: 0, 7: 0}
    for field, kind in thrift.fields():
        if (field, kind) != (3, _STRUCT):
            thrift.skip(kind)
            continue
        for inner, inner_kind in thrift.fields():
            if (inner, inner_kind) == (3, _LIST):
                path = thrift.items(thrift.binary)
            elif inner in sizes and inner_kind in _INTEGERS:
                sizes[inner] = thrift.integer()
            else:
                thrift.skip(inner_kind)
    return Column(tuple(part.decode(errors="replace") for part in path), sizes[5], sizes[6], sizes[7])


class _Thrift:
    """A reader of Thrift values; callers of ``fields`` must read or skip each field before the next."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield the number and the type of each field of a structure."""
        number = 0
        while head := self._take(1)[0]:
            number = number + (head >> 4) if head >> 4 else self.integer()
            yield number, head & 15

    def integer(self) -> int:
        """Read an integer in zigzag encoding."""
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def binary(self) -> bytes:
        """Read a byte string."""
        return self._take(self._unsigned())

    def items(self, read: Callable[[], Item]) -> list[Item]:
        """Read a list."""
        return [read() for _ in range(self._list_head()[0])]

    def skip(self, kind: int, depth: int = 0) -> None:
        """Skip a value of a type."""
        if depth > _MAX_DEPTH:
            raise IndexError
        if kind in _INTEGERS:
            self._unsigned()
        elif kind in _WIDTHS:
            self._take(_WIDTHS[kind])
        elif kind == _BINARY:
            self.binary()
        elif kind in (_LIST, _SET):
            size, inner = self._list_head()
            for _ in range(size):
                self._take(1) if inner in _BOOLEANS else self.skip(inner, depth + 1)
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        elif kind not in _BOOLEANS:  # a map, which footers do not contain, or an unknown type
            raise IndexError

    def _list_head(self) -> tuple[int, int]:
        head = self._take(1)[0]
        size = head >> 4 if head >> 4 < 15 else self._unsigned()
        if size > len(self._data) - self._at:
            raise IndexError
        return size, head & 15

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._take(1)[0]) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise IndexError
        return value | byte << shift

    def _take(self, n_bytes: int) -> bytes:
        taken = self._data[self._at : self._at + n_bytes]
        if len(taken) < n_bytes:
            raise IndexError
        self._at += n_bytes
        return taken
