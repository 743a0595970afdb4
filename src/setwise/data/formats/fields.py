"""Documents of named fields, in whatever form the fields came: what they must hold is checked here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from setwise.data.documents import TextDocument
from setwise.data.formats.errors import Refused, shown
from setwise.data.formats.names import bare_name
from setwise.data.formats.options import ReadOptions

__all__ = ["Fields", "clean_labels", "document_of"]

N_FIELDS_SHOWN = 6


@dataclass(frozen=True)
class Fields:
    """The names of the three fields and of those to keep; those that were asked for by name must be there."""

    text: str
    labels: str
    id: str
    keep: tuple[str, ...] | Literal["all"]
    must_have: tuple[str, ...]

    @classmethod
    def of(cls, options: ReadOptions) -> Fields:
        """Take the names asked for, and the usual ones where none was."""
        asked = tuple(name for name in (options.text, options.labels, options.id) if name is not None)
        kept = () if options.keep == "all" else options.keep
        return cls(options.text, options.labels or "labels", options.id or "id", options.keep, (*asked, *kept))

    def among(self, names: Collection[str]) -> list[str]:
        """Return those of the columns ``names`` that have to be read."""
        read = {self.text, self.labels, self.id, *self.keeps(names)}
        return [name for name in names if name in read]

    def keeps(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of the columns ``names`` to keep; "all" leaves out the id, which every document carries."""
        if self.keep == "all":
            return tuple(name for name in names if name and name != self.id)
        return self.keep

    def kept(self, record: Mapping[str, object]) -> Mapping[str, object] | None:
        """Return the fields to keep of one document; None where none are asked for."""
        return {name: record[name] for name in self.keeps(record)} if self.keep else None

    def check_present(self, names: Iterable[str]) -> None:
        """Refuse where a field that must be there is not among ``names``."""
        present = list(names)
        for name in self.must_have:
            if name not in present:
                few = ", ".join(shown(other) for other in present[:N_FIELDS_SHOWN]) or "none"
                more = ", ..." if len(present) > N_FIELDS_SHOWN else ""
                raise Refused(f"there must be a field {name!r}; got {few}{more}.")


def document_of(record: Mapping[str, object], fields: Fields) -> TextDocument:
    """Make a document of the values of its fields."""
    fields.check_present(record)
    text = record[fields.text]
    if not isinstance(text, str):
        raise Refused(f"field {fields.text!r} must be a string; got {shown(text)}.")
    return TextDocument(
        text,
        _labels(record.get(fields.labels), fields.labels),
        _id(record.get(fields.id), fields.id),
        fields.kept(record),
    )


def clean_labels(labels: Iterable[str], field: str) -> tuple[str, ...]:
    """Take each label once and without the blanks around it; none may be empty."""
    cleaned = tuple(dict.fromkeys(map(bare_name, labels)))
    if "" in cleaned:
        raise Refused(f"field {field!r} must have no empty label.")
    return cleaned


def _labels(value: object, field: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise Refused(f"field {field!r} must be a list of label names; got {shown(value)}.")
    return clean_labels((_word(label, f"field {field!r} must hold label names") for label in value), field)


def _id(value: object, field: str) -> str | None:
    return (None if value is None else _word(value, f"field {field!r} must be a string")) or None


def _word(value: object, asked: str) -> str:
    """A string, or a whole number as a string: labels and ids are often numbers."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise Refused(f"{asked}; got {shown(value)}.")
