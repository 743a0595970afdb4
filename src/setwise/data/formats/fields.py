"""Documents as records of named fields: which fields to read, and checks of their values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from setwise.data.documents import TextDocument
from setwise.data.formats.errors import DocumentError, preview
from setwise.data.formats.names import strip_name
from setwise.data.formats.options import ReadOptions

__all__ = ["FieldNames", "clean_labels", "document_from_record"]

MAX_FIELDS_IN_MESSAGE = 6


@dataclass(frozen=True)
class FieldNames:
    """The names of the fields to read from each record."""

    text: str
    labels: str
    id: str
    # Fields to copy to TextDocument.extra.
    extra: tuple[str, ...] | Literal["all"]
    # Fields that every record must have: those that the user named.
    required: tuple[str, ...]

    @classmethod
    def from_options(cls, options: ReadOptions) -> FieldNames:
        """Return the names in the options, with ``labels`` and ``id`` as defaults."""
        named = tuple(name for name in (options.text, options.labels, options.id) if name is not None)
        extra = () if options.extra_columns == "all" else options.extra_columns
        return cls(
            options.text, options.labels or "labels", options.id or "id", options.extra_columns, (*named, *extra)
        )

    def to_read(self, columns: Collection[str]) -> list[str]:
        """Return those of the columns that have to be read."""
        needed = {self.text, self.labels, self.id, *self.extra_columns(columns)}
        return [name for name in columns if name in needed]

    def extra_columns(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return the extra columns; "all" excludes the id, which every document carries anyway."""
        if self.extra == "all":
            return tuple(name for name in columns if name and name != self.id)
        return self.extra

    def extra_values(self, record: Mapping[str, object]) -> Mapping[str, object] | None:
        """Return the extra fields of one record; None if there are no extra columns."""
        return {name: record[name] for name in self.extra_columns(record)} if self.extra else None

    def check_present(self, columns: Collection[str]) -> None:
        """Raise ``DocumentError`` if a required field is missing."""
        for name in self.required:
            if name not in columns:
                present = list(columns)
                some = ", ".join(preview(other) for other in present[:MAX_FIELDS_IN_MESSAGE]) or "none"
                more = ", ..." if len(present) > MAX_FIELDS_IN_MESSAGE else ""
                raise DocumentError(f"field {name!r} is missing; the fields are {some}{more}.")


def document_from_record(record: Mapping[str, object], fields: FieldNames) -> TextDocument:
    """Return the document in a record; raise ``DocumentError`` if a field is missing or of the wrong type."""
    text = record.get(fields.text)
    if len(fields.required) > 1 or not isinstance(text, str):  # else nothing can be missing
        fields.check_present(record)
    if not isinstance(text, str):
        raise DocumentError(f"field {fields.text!r} must be a string; got {preview(text)}.")
    labels, id = record.get(fields.labels), record.get(fields.id)
    values = (
        text,
        None if labels is None else _labels(labels, fields.labels),
        None if id is None else _id(id, fields.id),
        fields.extra_values(record) if fields.extra else None,
    )
    return tuple.__new__(TextDocument, values)  # its own constructor takes three times as long


def clean_labels(labels: Iterable[str], field: str) -> tuple[str, ...]:
    """Return the labels stripped and without repeats; raise ``DocumentError`` if one is empty."""
    cleaned = tuple(dict.fromkeys(map(strip_name, labels)))
    if "" in cleaned:
        raise DocumentError(f"field {field!r} must not contain an empty label.")
    return cleaned


def _labels(value: object, field: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise DocumentError(f"field {field!r} must be a list of label names; got {preview(value)}.")
    requirement = f"field {field!r} must contain label names"
    return clean_labels((_to_string(label, requirement) for label in value), field)


def _id(value: object, field: str) -> str | None:
    if isinstance(value, str):  # almost always, so no message is prepared
        return value or None
    return _to_string(value, f"field {field!r} must be a string")


def _to_string(value: object, requirement: str) -> str:
    """Return a string as it is and an integer as a string, since labels and ids are often numbers."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise DocumentError(f"{requirement}; got {preview(value)}.")
