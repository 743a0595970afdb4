"""Stored rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.run import (
    CorpusRow,
    HeatMapRow,
    Row,
    ScoreRow,
    mean_by_document,
    pack,
    read_rows,
    row_from_json,
    row_to_json,
    unpack,
)
from setwise.exceptions import InvalidData

CORPUS = CorpusRow("tiny", 5, 20, 12, 160, 2.5, 60.0, 120, 40, 3)
HEAT = HeatMapRow(
    "tiny", "BR", "All4", 7, [0.1, 1.0], [[2.0, 1.0], [1.0, 0.5]], [1.0, 0.5], [[0.1, 0.2], [0.3, 0.4]], 0.5
)


def score(
    dataset: str = "tiny", recipe: str = "S+G", repeat: int = 0, values: tuple[float, ...] = (0.5, 1.0)
) -> ScoreRow:
    mean = float(np.mean(values))
    return ScoreRow(
        dataset, "BR", recipe, repeat, 7, mean, 0.5, {"strength": 0.1}, None, 3, 4, 5, 0.1, 99.0, {}, pack(values)
    )


@given(st.lists(st.floats(0, 1), max_size=400))
def test_packing_loses_nothing(values: list[float]) -> None:
    assert unpack(pack(values)).tolist() == values


def test_many_distinct_values_can_be_packed() -> None:
    values = np.random.default_rng(0).random(1000)
    assert np.array_equal(unpack(pack(values)), values)


def test_the_few_values_of_f1_take_little_space() -> None:
    f1 = np.random.default_rng(0).choice([0.0, 0.5, 2 / 3, 0.8, 1.0], 10_000)
    assert len(pack(f1)) < 5_000


@pytest.mark.parametrize("row", [CORPUS, score(), HEAT])
def test_a_row_survives_json(row: Row) -> None:
    assert row_from_json(json.loads(json.dumps(row_to_json(row)))) == row


@pytest.mark.parametrize("stored", [{}, {"kind": "other"}, {"kind": "corpus", "dataset": "tiny"}])
def test_other_objects_are_refused(stored: dict[str, object]) -> None:
    with pytest.raises(InvalidData, match="A row must be"):
        row_from_json(stored)


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
        (score(), {"documents": pack([0.5, 0.5])}),
        (score(), {"another": 1}),
        (HEAT, {"f1": [[0.1, 0.2]]}),
        (HEAT, {"f1": [[0.1, 0.2], [0.3]]}),
        (HEAT, {"l1_ratios": 3}),
    ],
)
def test_an_error_in_a_field_names_file_and_line(tmp_path: Path, row: Row, damage: dict[str, object]) -> None:
    lines = [{"run": 1}, row_to_json(CORPUS), row_to_json(row) | damage]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InvalidData, match=r"x\.jsonl, line 3: A row must be one of corpus, score, heat"):
        read_rows(tmp_path)


def test_files_are_read_in_the_order_of_keys(tmp_path: Path) -> None:
    rows: list[Row] = [score("b"), score("a", "S+G"), CORPUS, score("a", "All4", 1), score("a", "All4", 0)]
    for name, some in {"x": rows[:2], "w": rows[2:]}.items():
        lines = ['{"run": 1}', *(json.dumps(row_to_json(row)) for row in some)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    assert read_rows(tmp_path) == [rows[2], rows[4], rows[3], rows[1], rows[0]]


def test_a_truncated_line_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"run": 1}\n' + json.dumps(row_to_json(CORPUS)) + '\n{"kind": "sc')
    assert read_rows(tmp_path) == [CORPUS]


@pytest.mark.parametrize("line", ["{", "7", "\udcff"])
def test_an_error_in_a_line_names_file_and_line(tmp_path: Path, line: str) -> None:
    content = b'{"run": 1}\n' + line.encode(errors="surrogateescape") + b"\n"
    (tmp_path / "x.jsonl").write_bytes(content)
    with pytest.raises(InvalidData, match=r"x\.jsonl, line 2, is not a JSON object\."):
        read_rows(tmp_path)


def test_repeats_are_averaged_by_document() -> None:
    repeats = [score(values=(0.0, 1.0, 0.5)), score(repeat=1, values=(1.0, 1.0, 0.0))]
    assert mean_by_document(repeats).tolist() == [0.5, 1.0, 0.25]
