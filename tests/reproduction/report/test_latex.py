"""LaTeX: one example in full, and the escaping of any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from reproduction.report import Entry, Table, as_latex, notes_of
from tests.reproduction.report.tables import SMALL, TEXTS, plain, row_of, tables

PRINTED = {
    **{f"\\{character}": character for character in "{}$&#_%"},
    r"\textbackslash{}": "\\",
    r"\textasciicircum{}": "^",
    r"\textasciitilde{}": "~",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    **{f"{{{character}}}": character for character in "[]*"},
    "{}": "",
}
"""What TeX prints for everything but plain characters in an escaped text."""

TOKEN = re.compile("|".join(map(re.escape, sorted(PRINTED, key=len, reverse=True))) + r"|[^\\{}$&#_%^~<>|\[\]*]")


def printed(latex: str) -> str:
    """Return what TeX prints; fail where a special character is not escaped."""
    assert TOKEN.sub("", latex) == ""
    return TOKEN.sub(lambda token: PRINTED.get(token[0], token[0]), latex)


def rows_of(latex: str) -> list[str]:
    return [line[4:-3] for line in latex.split("\n") if line.endswith(r" \\")]


def test_a_small_table() -> None:
    assert as_latex(SMALL) == (
        "On documents not seen before.\n"
        "\n"
        "\\begin{table}\n"
        "  \\centering\n"
        "  \\caption{F1 by method}\n"
        "  \\label{tab:table-2}\n"
        "  \\begin{tabular}{lrr}\n"
        "    \\hline\n"
        "    corpus & BR & CRF \\\\\n"
        "    \\hline\n"
        "    first\\_one & \\textbf{47.1} & -\\textsuperscript{a} \\\\\n"
        "    second & -\\textsuperscript{b} & -\\textsuperscript{a} \\\\\n"
        "    \\hline\n"
        "  \\end{tabular}\n"
        "  \\par{\\footnotesize \\textsuperscript{a} no sampler\\par}\n"
        "  \\par{\\footnotesize \\textsuperscript{b} too slow\\par}\n"
        "\\end{table}\n"
    )


@given(tables())
def test_every_row_has_as_many_cells_as_columns_and_every_text_is_escaped(table: Table) -> None:
    marks = notes_of(table)
    heading, *rows = rows_of(as_latex(table))
    assert [printed(cell) for cell in heading.split(" & ")] == [plain(column) for column in table.columns]
    assert len(rows) == len(table.rows)
    for line, entries in zip(rows, table.rows, strict=True):
        for cell, entry in zip(line.split(" & "), entries, strict=True):
            mark = "" if entry.note is None else rf"\textsuperscript{{{marks[entry.note]}}}"
            assert cell.endswith(mark)
            text = cell.removesuffix(mark)
            assert text.startswith(r"\textbf{") or not entry.bold
            assert printed(text[len(r"\textbf{") : -1] if entry.bold else text) == plain(entry.text)


@given(TEXTS, TEXTS, TEXTS)
def test_title_text_and_notes_are_escaped(title: str, text: str, note: str) -> None:
    latex = as_latex(Table("t", title, ("a",), ((Entry("-", note=note),),), text=text))
    before, _, rest = latex.partition("\\begin{table}\n")
    (caption,) = re.findall(r"^  \\caption\{(.*)\}$", rest, re.MULTILINE)
    (foot,) = re.findall(r"^  \\par\{\\footnotesize \\textsuperscript\{a\} (.*)\\par\}$", rest, re.MULTILINE)
    assert [printed(part) for part in (before.strip("\n"), caption, foot)] == [plain(text), plain(title), plain(note)]


@pytest.mark.parametrize(("text", "latex"), [("--", "-{}-"), ("---", "-{}-{}-"), ("----", "-{}-{}-{}-"), ("-", "-")])
def test_dashes_are_not_ligatures(text: str, latex: str) -> None:
    assert f"    {latex} \\\\\n" in as_latex(Table("t", "t", ("a",), (row_of(text),)))


def test_a_row_is_not_an_option_of_the_row_before() -> None:
    rows = rows_of(as_latex(Table("t", "t", ("a",), (row_of("[1ex]"), row_of("*")))))
    assert rows == ["a", "{[}1ex{]}", "{*}"]
