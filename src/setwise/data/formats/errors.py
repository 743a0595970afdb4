"""What becomes of a document that cannot be read: the reading stops, or goes on and counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["OnError", "Problems", "Refused", "shown"]

OnError = Literal["stop", "skip"]
N_REASONS_KEPT = 3
LONGEST_SHOWN = 40


class Refused(Exception):
    """One document cannot be read: why, and at which character of its line where that is known."""

    def __init__(self, reason: str, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.column = column


@dataclass
class Problems:
    """The documents of a file that were refused: how many, and the first few reasons."""

    file: str
    on_error: OnError = "stop"
    n_skipped: int = 0
    reasons: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.on_error not in get_args(OnError):
            raise InvalidParameter(f"on_error must be 'stop' or 'skip'; got {self.on_error!r}.")

    def refuse(self, place: str, refused: Refused) -> None:
        """Stop at a document that cannot be read, or count it."""
        column = "" if refused.column is None else f", column {refused.column}"
        reason = f"{self.file}, {place}{column}: {refused.reason}"
        if self.on_error == "stop":
            raise InvalidData(reason)
        self.n_skipped += 1
        if len(self.reasons) < N_REASONS_KEPT:
            self.reasons.append(reason)


def shown(value: object) -> str:
    """Show what came in a message, however long it is."""
    if isinstance(value, bytes):
        value = value[: 4 * LONGEST_SHOWN].decode(errors="replace")
    if isinstance(value, str):
        return repr(value[:LONGEST_SHOWN]) + ("..." if len(value) > LONGEST_SHOWN else "")
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return text[:LONGEST_SHOWN] + ("..." if len(text) > LONGEST_SHOWN else "")
