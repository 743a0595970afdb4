"""The benchmark of large corpora: the generated one has the shape that is asked for, and every row has its verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.harness.machine import run_record
from benchmarks.harness.report import markdown_page
from benchmarks.harness.synthetic import Shape, wise
from benchmarks.large import LARGE, LargeEffort, load
from benchmarks.large import rows as large_rows

SMALL = Shape(documents=300, features=2_000, labels=12, sets=40)
TINY = LargeEffort("quick", (2, 1), 200)


def test_the_generated_corpus_has_its_shape() -> None:
    corpus = wise(SMALL, n_test=50)
    assert corpus.X.shape == (300, 2_000)
    assert corpus.X_test.shape == (50, 2_000)
    assert len({tuple(corpus.y[[row]].indices) for row in range(300)}) == 40
    assert corpus.y.sum(axis=0).min() >= 1
    np.testing.assert_allclose((corpus.X * corpus.X).sum(axis=1), 1.0, rtol=1e-5)
    again = wise(SMALL, n_test=50)
    assert (corpus.X != again.X).nnz == 0


def test_sizes_are_divided_one_by_one() -> None:
    effort = replace(TINY, scale=1)
    assert large_rows.scaled(effort) == Shape()
    assert large_rows.scaled(effort, labels=4) == replace(Shape(), labels=50)


def test_every_section_has_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_rows, "N_GROWTH_PREDICTED", 20)
    monkeypatch.setattr(large_rows, "N_TEST", 20)
    parts = load("wise")
    for name, section in LARGE.sections.items():
        rows = list(section.rows(parts, TINY))
        assert rows
        for row in rows:
            assert row.section == name
            assert set(row.values) <= set(section.columns)
        assert any(row.verdict for row in rows)
        record = run_record("a command", LARGE.packages)
        assert rows[0].entry in markdown_page(LARGE, [row.with_run(record) for row in rows], "large.jsonl")
