"""The tables of other splits and of fewer features."""

from __future__ import annotations

from reproduction.report import Table, features_table, splits_table, table_4
from tests.reproduction.examples import scores


def texts(table: Table) -> list[list[str]]:
    return [[entry.text for entry in row] for row in table.rows]


ROWS = scores(
    {
        ("enron_raw", "BR", "All4"): 60.0,
        ("enron_raw@split1", "BR", "All4"): 62.0,
        ("enron_raw@split2", "BR", "All4"): 64.0,
        ("enron_raw@split2", "PCC", "All4"): 61.0,
        ("tmc2007_500", "CRF", "All4"): 63.0,
        ("tmc2007_500@250", "CRF", "All4"): 61.0,
        ("tmc2007_500@1250", "CRF", "All4"): 62.0,
    }
)


def test_other_splits_are_averaged() -> None:
    assert texts(splits_table(ROWS)) == [
        ["enron_raw", "BR", "60.0", "61.1", "63.0 ± 1.4", "62.0 to 64.0", "2"],
        ["enron_raw", "PCC", "-", "61.5", "61.0", "61.0 to 61.0", "1"],
    ]


def test_numbers_of_features_are_sorted() -> None:
    assert texts(features_table(ROWS)) == [
        ["tmc2007_500", "CRF", "63.0", "64.7", "61.0 with 250, 62.0 with 1,250"],
    ]


def test_variants_are_in_no_other_table() -> None:
    assert not any("@" in text for row in texts(table_4(ROWS)) for text in row)
