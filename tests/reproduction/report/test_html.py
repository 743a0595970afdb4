"""HTML, parsed by the standard library."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given

from reproduction.report import Figure, Section, Table, as_html, html_page, notes_of
from tests.reproduction.report.tables import SMALL, TEXTS, row_of, tables

VOID = {"meta", "br"}
IN_A_TABLE = {"p", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "strong", "sup"}


class Reader(HTMLParser):
    """Collects tags, attributes and the text of each element; fails where tags are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[int] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(len(self.elements))
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.elements[self.open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        for number in self.open:
            self.texts[number] += data

    def texts_of(self, *tags: str) -> list[str]:
        return [text for (tag, _), text in zip(self.elements, self.texts, strict=True) if tag in tags]


def test_a_small_table() -> None:
    assert as_html(SMALL) == (
        "<p>On documents not seen before.</p>\n"
        '<div class="scroll">\n'
        '<table id="table-2">\n'
        "<caption>F1 by method</caption>\n"
        "<thead>\n"
        "<tr>\n"
        '<th scope="col">corpus</th>\n'
        '<th scope="col" class="value">BR</th>\n'
        '<th scope="col" class="value">CRF</th>\n'
        "</tr>\n"
        "</thead>\n"
        "<tbody>\n"
        "<tr>\n"
        '<th scope="row">first_one</th>\n'
        '<td class="value"><strong>47.1</strong></td>\n'
        '<td class="value">-<sup>a</sup></td>\n'
        "</tr>\n"
        "<tr>\n"
        '<th scope="row">second</th>\n'
        '<td class="value">-<sup>b</sup></td>\n'
        '<td class="value">-<sup>a</sup></td>\n'
        "</tr>\n"
        "</tbody>\n"
        "</table>\n"
        "</div>\n"
        '<p class="note"><sup>a</sup> no sampler</p>\n'
        '<p class="note"><sup>b</sup> too slow</p>\n'
    )


@given(tables())
def test_every_text_is_in_its_cell(table: Table) -> None:
    marks = notes_of(table)
    reader = Reader(as_html(table))
    entries = [entry for row in table.rows for entry in row]
    shown = [entry.text + (marks[entry.note] if entry.note is not None else "") for entry in entries]
    assert reader.texts_of("th", "td") == [*table.columns, *shown]
    assert len(reader.texts_of("td")) == len(table.rows) * (len(table.columns) - table.n_headings)
    assert len(reader.texts_of("tr")) == len(table.rows) + 1
    assert reader.texts_of("caption") == [table.title]
    assert reader.texts_of("p") == [text for text in [table.text] if text] + [
        f"{m} {note}" for note, m in marks.items()
    ]
    assert {tag for tag, _ in reader.elements} <= IN_A_TABLE


@given(TEXTS, TEXTS, TEXTS)
def test_a_page_escapes_every_text(title: str, heading: str, text: str) -> None:
    reader = Reader(html_page(title, [Section(heading, text), Section(heading)]))
    assert reader.texts_of("h1", "title") == [title, title]
    assert reader.texts_of("h2", "a") == [heading] * 4
    assert reader.texts_of("p") == [text for text in [text] if text]


def test_a_page_contains_its_tables_and_figures_and_loads_nothing() -> None:
    figure = Figure("drawing", "A <drawing>", '<svg viewBox="0 0 1 1"><text>ink</text></svg>')
    page = html_page("A page", [Section("Results", "Few.", (SMALL, SMALL), (figure,))])
    reader = Reader(page)
    assert page.count(as_html(SMALL)) == 2
    assert figure.svg in page
    assert reader.texts_of("figcaption") == ["A <drawing>"]
    assert not {"script", "link", "img", "iframe", "nav"} & {tag for tag, _ in reader.elements}
    assert not re.search(r"https?:|@import|url\(", page)


def test_all_columns_or_none_may_be_headings() -> None:
    for n_headings, tag in ((0, "td"), (1, "th")):
        html = as_html(Table("t", "", ("a",), (row_of("x"), row_of("x")), n_headings=n_headings))
        assert Reader(html).texts_of(tag)[-2:] == ["x", "x"]
