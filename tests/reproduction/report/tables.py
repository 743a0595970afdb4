"""Random tables of any shape and text."""

from __future__ import annotations

from hypothesis import strategies as st

from reproduction.report import Entry, Table

SPECIAL = "\\`*_{}[]()<>#+-.!|~$&%^\"'/=: \n\r\tab1"
TRAPS = [*r"\|#-+=", "---", "1.", "**", "*a*", "_a_", "`a`", "[a](b)", "<b>", "</td>", "&amp;", "^2", "~~a~~", "%", "}"]
"""Words that are markup in one of the formats."""

PHRASES = st.lists(st.sampled_from([*TRAPS, "a", "\n", "\r"]), max_size=3).map(" ".join)
TEXTS = PHRASES | st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from(SPECIAL), max_size=12)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = draw(st.lists(TEXTS, min_size=1, max_size=5))
    entries = st.builds(Entry, TEXTS, st.booleans(), st.none() | TEXTS)
    rows = st.lists(st.tuples(*[entries] * len(columns)), max_size=4)
    n_headings = draw(st.integers(0, len(columns)))
    return Table("a-table", draw(TEXTS), tuple(columns), tuple(draw(rows)), draw(TEXTS), n_headings)


def row_of(*texts: str) -> tuple[Entry, ...]:
    return tuple(map(Entry, texts))


def plain(text: str) -> str:
    """Return the text in one line, as formats that ignore line breaks show it."""
    return " ".join(text.split())


SMALL = Table(
    "table-2",
    "F1 by method",
    ("corpus", "BR", "CRF"),
    (
        (Entry("first_one"), Entry("47.1", bold=True), Entry("-", note="no sampler")),
        (Entry("second"), Entry("-", note="too slow"), Entry("-", note="no sampler")),
    ),
    text="On documents not seen before.",
)
