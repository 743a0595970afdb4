"""What writes documents: one after another into an open file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from setwise.data.formats.errors import Refused
from setwise.data.formats.side_files import SideFile
from setwise.exceptions import InvalidData

__all__ = ["NOT_UNICODE", "Encoder", "LineWriter", "Writer"]

NOT_UNICODE = "its text must be Unicode, and has half a surrogate pair."

D = TypeVar("D", contravariant=True)


class Writer(ABC):
    """Writes documents of one kind into a file that others open and close."""

    @abstractmethod
    def write(self, document: Any) -> None:
        """Write one document."""

    def finish(self) -> None:  # noqa: B027 - most have nothing left to do
        """Write what is still to be written; the documents are all there."""

    def abandon(self) -> None:  # noqa: B027 - most hold nothing
        """Let go of what is held; the file comes to nothing."""

    def side_files(self, path: Path) -> list[SideFile]:
        """Give what has to be written beside ``path``: names that the format itself has no place for."""
        return []


class Encoder(Protocol[D]):
    """A format that is a head, then one piece of bytes a document."""

    def head(self, first: D) -> bytes:
        """Give what stands before the first document."""

    def encode(self, document: D) -> bytes:
        """Give a document's bytes, the end of its line among them."""


class LineWriter(Writer):
    """Writes what an encoder makes of each document."""

    def __init__(
        self, file: BinaryIO, encoder: Encoder[Any], beside: Callable[[Path], list[SideFile]] | None = None
    ) -> None:
        self._file = file
        self._encoder = encoder
        self._beside = beside
        self._n_written = 0

    def write(self, document: Any) -> None:
        """Write one document, the first one after the head."""
        self._n_written += 1
        try:
            head = self._encoder.head(document) if self._n_written == 1 else b""
            self._file.write(head + self._encoder.encode(document))
        except Refused as refused:
            raise InvalidData(f"Document {self._n_written} cannot be written: {refused.reason}") from None
        except UnicodeEncodeError:
            raise InvalidData(f"Document {self._n_written} cannot be written: {NOT_UNICODE}") from None

    def side_files(self, path: Path) -> list[SideFile]:
        """Give what the format says has to be written beside ``path``."""
        return [] if self._beside is None else self._beside(path)
