"""CSV, parsed by the standard library."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from hypothesis import given

from reproduction.report import Table, as_csv, notes_of
from tests.reproduction.report.tables import SMALL, tables


def test_a_small_table() -> None:
    assert as_csv(SMALL) == ("corpus,BR,CRF,notes\nfirst_one,47.1,-,no sampler\nsecond,-,-,too slow; no sampler\n")


@given(tables())
def test_a_table_survives_csv(table: Table) -> None:
    def expected(texts: Iterable[str]) -> list[str]:
        return [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]

    columns, *rows = csv.reader(io.StringIO(as_csv(table), newline=""), strict=True)
    n_columns = len(table.columns)
    assert columns[:n_columns] == expected(table.columns)
    assert columns[n_columns:] == (["notes"] if notes_of(table) else [])
    assert [row[:n_columns] for row in rows] == [expected(entry.text for entry in row) for row in table.rows]
    assert {len(row) for row in rows} <= {len(columns)}


@given(tables())
def test_lines_end_in_line_feeds_only(table: Table) -> None:
    assert "\r" not in as_csv(table)
