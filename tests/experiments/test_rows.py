"""Rows as they are stored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.exceptions import InvalidData
from setwise.experiments.rows import (
    Corpus,
    Heat,
    Row,
    Score,
    as_stored,
    mean_by_document,
    packed,
    read_rows,
    row_of,
    unpacked,
)

CORPUS = Corpus("tiny", 5, 20, 12, 160, 2.5, 60.0, 120, 40, 3)
HEAT = Heat("tiny", "BR", "All4", 7, [0.1, 1.0], [[2.0, 1.0], [1.0, 0.5]], [1.0, 0.5], [[0.1, 0.2], [0.3, 0.4]], 0.5)


def score(dataset: str = "tiny", recipe: str = "S+G", repeat: int = 0, values: tuple[float, ...] = (0.5, 1.0)) -> Score:
    mean = float(np.mean(values))
    return Score(
        dataset, "BR", recipe, repeat, 7, mean, 0.5, {"strength": 0.1}, None, 3, 4, 5, 0.1, 99.0, {}, packed(values)
    )


@given(st.lists(st.floats(0, 1), max_size=400))
def test_packing_loses_nothing(values: list[float]) -> None:
    assert unpacked(packed(values)).tolist() == values


def test_many_distinct_values_are_packed_too() -> None:
    values = np.random.default_rng(0).random(1000)
    assert np.array_equal(unpacked(packed(values)), values)


def test_the_few_values_of_f1_take_little_room() -> None:
    f1 = np.random.default_rng(0).choice([0.0, 0.5, 2 / 3, 0.8, 1.0], 10_000)
    assert len(packed(f1)) < 5_000


@pytest.mark.parametrize("row", [CORPUS, score(), HEAT])
def test_rows_are_read_as_they_were(row: Row) -> None:
    assert row_of(json.loads(json.dumps(as_stored(row)))) == row


@pytest.mark.parametrize("found", [{}, {"kind": "other"}, {"kind": "corpus", "dataset": "tiny"}])
def test_other_rows_are_refused(found: dict[str, object]) -> None:
    with pytest.raises(InvalidData, match="A row must be"):
        row_of(found)


@pytest.mark.parametrize(
    ("row", "damage"),
    [
        (CORPUS, {"labels": "many"}),
        (CORPUS, {"cardinality": None}),
        (score(), {"f1": "high"}),
        (score(), {"f1": 0.5}),
        (score(), {"iterations": "none"}),
        (score(), {"settings": [0.1]}),
        (score(), {"documents": "zzz"}),
        (score(), {"documents": "AAAA"}),
        (score(), {"documents": packed([0.5, 0.5])}),
        (score(), {"another": 1}),
        (HEAT, {"f1": [[0.1, 0.2]]}),
        (HEAT, {"f1": [[0.1, 0.2], [0.3]]}),
        (HEAT, {"l1_ratios": 3}),
    ],
)
def test_damaged_fields_are_told_by_file_and_line(tmp_path: Path, row: Row, damage: dict[str, object]) -> None:
    lines = [{"run": 1}, as_stored(CORPUS), as_stored(row) | damage]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InvalidData, match=r"x\.jsonl, line 3: A row must be one of corpus, score, heat"):
        read_rows(tmp_path)


def test_files_are_read_in_the_order_of_keys(tmp_path: Path) -> None:
    rows = [score("b"), score("a", "S+G"), CORPUS, score("a", "All4", 1), score("a", "All4", 0)]
    for name, some in {"x": rows[:2], "w": rows[2:]}.items():
        lines = ['{"run": 1}', *(json.dumps(as_stored(row)) for row in some)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    assert read_rows(tmp_path) == [rows[2], rows[4], rows[3], rows[1], rows[0]]


def test_a_line_that_was_cut_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"run": 1}\n' + json.dumps(as_stored(CORPUS)) + '\n{"kind": "sc')
    assert read_rows(tmp_path) == [CORPUS]


@pytest.mark.parametrize("line", ["{", "7", "\udcff"])
def test_damaged_lines_are_told_by_file_and_number(tmp_path: Path, line: str) -> None:
    content = b'{"run": 1}\n' + line.encode(errors="surrogateescape") + b"\n"
    (tmp_path / "x.jsonl").write_bytes(content)
    with pytest.raises(InvalidData, match=r"x\.jsonl must have a JSON object a line; line 2 is none\."):
        read_rows(tmp_path)


def test_repeats_are_averaged_by_document() -> None:
    repeats = [score(values=(0.0, 1.0, 0.5)), score(repeat=1, values=(1.0, 1.0, 0.0))]
    assert mean_by_document(repeats).tolist() == [0.5, 1.0, 0.25]
