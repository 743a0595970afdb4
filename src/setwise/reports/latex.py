"""Tables in LaTeX that need no package."""

from __future__ import annotations

from setwise.reports.table import Entry, Table, notes_of

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
        # In braces, as a row that begins with them would else be taken for an option of the row before it.
        **{character: f"{{{character}}}" for character in "[]*"},
    }
)


def as_latex(table: Table) -> str:
    """Give the table as a float with its title as caption, its text before it and its notes at its foot."""
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
    """Write the text in one line that TeX prints as it stands; dashes are kept from growing together."""
    return " ".join(text.split()).translate(_ESCAPES).replace("--", "-{}-").replace("--", "-{}-")
