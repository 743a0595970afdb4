"""Docstrings as reStructuredText: the bars of ``|y|`` mean the size of a set, not a substitution."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["escape_bars"]

LITERAL = re.compile(r"(``.*?``)")


def escape_bars(lines: Sequence[str]) -> list[str]:
    """Return the lines of a docstring with bars escaped, except in literal text and in examples."""
    escaped = []
    literal_from: int | None = None  # the indentation of the paragraph that a literal block follows
    for line in lines:
        indentation = len(line) - len(line.lstrip())
        if literal_from is not None and line.strip() and indentation <= literal_from:
            literal_from = None
        if literal_from is None and not line.lstrip().startswith((">>> ", "... ")):
            pieces = LITERAL.split(line)
            pieces[::2] = [piece.replace("|", "\\|") for piece in pieces[::2]]
            line = "".join(pieces)
        escaped.append(line)
        if literal_from is None and line.rstrip().endswith("::"):
            literal_from = indentation
    return escaped
