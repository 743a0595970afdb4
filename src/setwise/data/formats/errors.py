"""Errors in single documents: raised by readers, then reported or counted, as the user asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["DocumentError", "OnError", "Problems", "preview"]

OnError = Literal["stop", "skip"]
MAX_REASONS = 3
PREVIEW_LENGTH = 40


class DocumentError(Exception):
    """A document that cannot be read or written: the reason, and the column of its line where there is one."""

    def __init__(self, reason: str, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.column = column


@dataclass
class Problems:
    """The documents of a file that could not be read: how many were skipped, and the first few reasons.

    Attributes
    ----------
    file : str
        Name of the file, as messages show it.
    on_error : {"stop", "skip"}
        Whether the first bad document raises an error or is skipped.
    n_skipped : int
        Number of documents skipped so far.
    reasons : list of str
        Messages of the first skipped documents.
    """

    file: str
    on_error: OnError = "stop"
    n_skipped: int = 0
    reasons: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.on_error not in get_args(OnError):
            raise InvalidParameter(f"on_error must be 'stop' or 'skip'; got {self.on_error!r}.")

    def report(self, place: str, error: DocumentError) -> None:
        """Raise ``InvalidData`` for a document that cannot be read, or count it if such documents are skipped."""
        column = "" if error.column is None else f", column {error.column}"
        reason = f"{self.file}, {place}{column}: {error.reason}"
        if self.on_error == "stop":
            raise InvalidData(reason)
        self.n_skipped += 1
        if len(self.reasons) < MAX_REASONS:
            self.reasons.append(reason)


def preview(value: object) -> str:
    """Return a value as messages show it, cut off if it is long."""
    if isinstance(value, bytes):
        value = value[: 4 * PREVIEW_LENGTH].decode(errors="replace")
    if isinstance(value, str):
        return repr(value[:PREVIEW_LENGTH]) + ("..." if len(value) > PREVIEW_LENGTH else "")
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return text[:PREVIEW_LENGTH] + ("..." if len(text) > PREVIEW_LENGTH else "")
