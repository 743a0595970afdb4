"""Markdown: one example in full, and any table as a parser reads it."""

from __future__ import annotations

import re

from hypothesis import given
from markdown_it import MarkdownIt  # a dependency of rich
from markdown_it.token import Token

from reproduction.report import Entry, Table, as_markdown, notes_of
from tests.reproduction.report.tables import SMALL, TEXTS, plain, row_of, tables

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PIPE = re.compile(r"(?<!\\)(?:\\\\)*\|")


def lines_of_table(markdown: str) -> list[str]:
    return [line for line in markdown.split("\n") if line.startswith("| ")]


def read(inline: Token) -> str:
    """Return what a reader sees, with line breaks as spaces and marks in brackets."""
    html = {"<br>": " ", "<sup>": "[", "</sup>": "]"}
    children = inline.children or []
    assert {token.type for token in children} <= {"text", "html_inline", "strong_open", "strong_close"}
    texts = (html[token.content] if token.type == "html_inline" else token.content for token in children)
    return plain("".join(texts))


def test_a_small_table() -> None:
    assert as_markdown(SMALL) == (
        "### F1 by method\n"
        "\n"
        "On documents not seen before.\n"
        "\n"
        "| corpus | BR | CRF |\n"
        "| :--- | ---: | ---: |\n"
        "| first_one | **47.1** | -<sup>a</sup> |\n"
        "| second | -<sup>b</sup> | -<sup>a</sup> |\n"
        "\n"
        "<sup>a</sup> no sampler\n"
        "\n"
        "<sup>b</sup> too slow\n"
    )


@given(tables())
def test_every_line_has_the_same_number_of_unescaped_pipes(table: Table) -> None:
    lines = lines_of_table(as_markdown(table))
    assert len(lines) == len(table.rows) + 2
    assert {len(PIPE.findall(line)) for line in lines} == {len(table.columns) + 1}


@given(tables())
def test_a_parser_reads_the_same_words_in_the_same_cells(table: Table) -> None:
    marks = notes_of(table)
    tokens = PARSER.parse(as_markdown(table))
    inside = [token.type in ("th_open", "td_open") for token in tokens]
    cells = [read(tokens[number + 1]) for number, opens in enumerate(inside) if opens]
    expected = [plain(column) for column in table.columns]
    for entry in (entry for row in table.rows for entry in row):
        expected.append(plain(entry.text) + (f"[{marks[entry.note]}]" if entry.note is not None else ""))
    assert cells == expected


@given(TEXTS, TEXTS, TEXTS)
def test_a_parser_reads_title_text_and_notes_as_they_are(title: str, text: str, note: str) -> None:
    table = Table("t", title, ("a",), ((Entry("-", note=note),),), text=text)
    tokens = PARSER.parse(as_markdown(table))
    kinds = [token.type for token in tokens if token.level == 0]
    paragraph = ["paragraph_open", "paragraph_close"]
    before = ["heading_open", "heading_close", *(paragraph if text.split() else [])]
    assert kinds == [*before, "table_open", "table_close", *paragraph]
    read_all = [read(token) for token in tokens if token.type == "inline"]
    assert read_all == [plain(title), *([plain(text)] if text.split() else []), "a", "-[a]", plain(f"[a] {note}")]


def test_lines_within_an_entry_are_kept() -> None:
    assert "| one<br>two |\n" in as_markdown(Table("t", "t", ("a",), (row_of("one\ntwo"),)))


def test_bold_entries_are_read_as_bold() -> None:
    bold = as_markdown(Table("t", "t", ("a",), ((Entry("a*b ", bold=True),),)))
    assert "<strong>a*b</strong>" in PARSER.render(bold)
