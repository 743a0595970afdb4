"""Tables in LaTeX, without any package."""

from __future__ import annotations

from reproduction.report.table import Entry, Table, notes_of

__all__ = ["as_latex"]

_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "{}$&#_%"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # In braces: at the start of a row, LaTeX would read them as an option of the row before.
        **{character: f"{{{character}}}" for character in "[]*"},
    }
)


def as_latex(table: Table) -> str:
    """Return the table as a float: its title is the caption, its text comes before it and its notes are at its foot."""
    marks = notes_of(table)
    alignment = "l" * table.n_headings + "r" * (len(table.columns) - table.n_headings)
    lines = [
        *([_escaped(table.text), ""] if table.text.strip() else []),
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_escaped(table.title)}}}",
        rf"  \label{{tab:{table.name}}}",
        rf"  \begin{{tabular}}{{{alignment}}}",
        r"    \hline",
        _row([_escaped(column) for column in table.columns]),
        r"    \hline",
        *(_row([_entry(entry, marks) for entry in row]) for row in table.rows),
        r"    \hline",
        r"  \end{tabular}",
        *(rf"  \par{{\footnotesize {_raised(mark)} {_escaped(note)}\par}}" for note, mark in marks.items()),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return rf"    {' & '.join(cells)} \\"


def _entry(entry: Entry, marks: dict[str, str]) -> str:
    text = _escaped(entry.text)
    strong = rf"\textbf{{{text}}}" if entry.bold else text
    return strong if entry.note is None else strong + _raised(marks[entry.note])


def _raised(mark: str) -> str:
    return rf"\textsuperscript{{{mark}}}"


def _escaped(text: str) -> str:
    """Return the text in one line that TeX prints unchanged; dashes do not become ligatures."""
    return " ".join(text.split()).translate(_ESCAPES).replace("--", "-{}-").replace("--", "-{}-")
