"""A report: sentences, tables and documents, as data, as data frames and as one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from setwise.exceptions import InvalidParameter
from setwise.reports.shown_documents import Judged
from setwise.reports.tables import Table

__all__ = ["Card", "CardGroup", "Figure", "Report", "Section"]


@dataclass(frozen=True)
class Figure:
    """A number that the page shows large."""

    title: str
    value: str
    note: str = ""


@dataclass(frozen=True, eq=False)
class Card:
    """A document, as one model or as each of several has judged it."""

    judged: Sequence[Judged]
    decisions: Sequence[str]
    """How each model decides, a key of :data:`setwise.decision.DECISIONS`."""
    models: Sequence[str] = ("",)
    """The names of the models; empty where there is only one."""

    def as_dict(self) -> dict[str, Any]:
        """Return what each model says as plain data."""
        if len(self.judged) == 1:
            return self.judged[0].as_dict()
        return {name: one.as_dict() for name, one in zip(self.models, self.judged, strict=True)}


@dataclass(frozen=True, eq=False)
class CardGroup:
    """Documents that are shown for the same reason."""

    title: str
    note: str
    cards: Sequence[Card]
    why_empty: str = "There is none."


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a report under one heading."""

    id: str
    title: str
    lead: str
    tables: Sequence[Table] = ()
    groups: Sequence[CardGroup] = ()


@dataclass(frozen=True, eq=False)
class Report:
    """What a model is worth on labeled documents.

    Attributes
    ----------
    title : str
    facts : dict
        What was evaluated: names, and numbers of documents and labels.
    summary : list of str
        A few sentences that say what the model is good at.
    figures : list of Figure
        The most important numbers.
    sections : list of Section

    Examples
    --------
    >>> from setwise import SetClassifier
    >>> from setwise.reports import make_report
    >>> texts = ["red fox runs", "red hen sits", "blue fox sits", "blue hen runs"] * 20
    >>> labels = [["fox"], ["hen", "still"], ["fox", "still"], ["hen"]] * 20
    >>> report = make_report(SetClassifier("br", budget="quick").fit(texts, labels), texts, labels)
    >>> report.table("labels").column("f1")
    [1.0, 1.0, 1.0]
    """

    title: str
    facts: dict[str, Any]
    summary: Sequence[str]
    figures: Sequence[Figure]
    sections: Sequence[Section] = field(repr=False)

    @property
    def tables(self) -> list[Table]:
        """Return all tables, in the order of the page."""
        return [table for section in self.sections for table in section.tables]

    def table(self, name: str) -> Table:
        """Return the table of that name."""
        tables = {table.name: table for table in self.tables}
        if name not in tables:
            raise InvalidParameter(f"The report has no table {name!r:.60}. It has {', '.join(tables)}.")
        return tables[name]

    def frame(self, name: str) -> Any:
        """Return the table of that name as a data frame; needs pandas.

        Parameters
        ----------
        name : str
            One of the names of ``tables``, such as "labels".
        """
        return self.table(name).frame()

    def as_dict(self) -> dict[str, Any]:
        """Return everything on the page as dictionaries, lists and numbers."""
        return {
            "title": self.title,
            "facts": self.facts,
            "summary": list(self.summary),
            "tables": {
                table.name: {
                    "title": table.title,
                    "rows": table.records(),
                    "why_empty": None if table.rows else table.why_empty,
                }
                for table in self.tables
            },
            "documents": {
                group.title: [card.as_dict() for card in group.cards]
                for section in self.sections
                for group in section.groups
            },
        }

    def html(self) -> str:
        """Return one page of HTML that needs nothing else: no network, no other file."""
        from setwise.reports.page import page_of  # late: the page knows the report

        return page_of(self)
