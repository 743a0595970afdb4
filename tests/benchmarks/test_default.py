"""The comparison of the default with baseline and rival: features, texts, stored F1, intervals and verdicts."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks.default import CORPORA, DEFAULT, DefaultEffort
from benchmarks.default import rows as default_rows
from benchmarks.default.rows import read_f1, write_f1
from benchmarks.default.sections import SECTIONS
from benchmarks.default.sklearn_baseline import BASELINE, RIVAL
from benchmarks.harness import runner
from benchmarks.harness.corpora import COUNTS, Difference, Parts, TextParts, features, texts_or_features
from benchmarks.harness.report import format_values, markdown_table
from benchmarks.harness.rows import read_rows
from benchmarks.harness.timing import Skipped
from setwise.exceptions import InvalidData
from setwise.models import AUTO_STAGES
from tests.benchmarks.small import TinyParts, number

FEW = DefaultEffort(c_steps=(0, 4), n_resamples=200)


@pytest.fixture
def counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of word counts that has no test part yet."""
    folder = tmp_path / "medical_raw"
    folder.mkdir()
    (folder / "labels.txt").write_text("a\nb\n")
    (folder / "features.txt").write_text("x\ny\nz\n")
    (folder / "train.svm.gz").write_bytes(gzip.compress(b"0 1:3 2:1\n1 2:2\n0,1 2:1 3:1\n"))
    monkeypatch.setenv("SETWISE_DATA", str(tmp_path))
    return folder


def test_train_features_need_no_test_part(counts: Path) -> None:
    train = Parts("medical_raw").train()
    assert_allclose(np.sqrt(train.X.multiply(train.X).sum(axis=1)), 1.0)
    with pytest.raises(InvalidData, match=r"test\.svm\.gz"):
        Parts("medical_raw").test(train)


def test_test_documents_are_weighted_by_the_train_part(counts: Path) -> None:
    train = Parts("medical_raw").train()
    (counts / "test.svm.gz").write_bytes((counts / "train.svm.gz").read_bytes() + gzip.compress(b"1 1:9 3:9\n"))
    test = Parts("medical_raw").test(train)
    assert_allclose(test.X[:3].toarray(), train.X.toarray())
    with pytest.raises(ValueError, match="weighting"):
        features("medical_raw", "test")


def test_features_that_are_not_counts_are_unchanged(counts: Path) -> None:
    counts.rename(counts.with_name("bibtex"))
    assert_allclose(features("bibtex", "train").X.toarray(), [[3, 1, 0], [0, 2, 0], [0, 1, 1]])


def test_corpora_of_counts_are_among_the_corpora() -> None:
    assert set(COUNTS) < set(CORPORA)


def test_stored_f1_is_read_back(tmp_path: Path) -> None:
    f1 = np.array([0.0, 1.0, 2 / 3])
    write_f1(tmp_path / "new folder" / "f1.txt.gz", f1)
    assert_allclose(read_f1(tmp_path / "new folder" / "f1.txt.gz"), f1, atol=5e-7)


def test_baseline_and_rival_are_tuned_once_and_stored(tmp_path: Path) -> None:
    effort = replace(FEW, stored_f1=tmp_path)
    with pytest.raises(Skipped, match="baseline is not stored yet"):
        list(default_rows.default_rows(TinyParts(), effort))
    (baseline,) = default_rows.rival_rows(BASELINE, TinyParts(), effort)
    with pytest.raises(Skipped, match="rival is not stored yet"):
        list(default_rows.default_rows(TinyParts(), effort))
    (theirs,) = default_rows.rival_rows(RIVAL, TinyParts(), effort)
    (ours,) = default_rows.default_rows(parts := TinyParts(), effort)
    assert parts.events == ["train", "test"]
    assert number(theirs, "validation") >= number(baseline, "validation")
    assert ours.values["baseline"] == pytest.approx(baseline.values["F1"], abs=1e-4)
    assert ours.values["rival"] == pytest.approx(theirs.values["F1"], abs=1e-4)
    assert ours.values["gain"] == pytest.approx(number(ours, "F1") - number(ours, "rival"))
    assert ours.values["over baseline"] == pytest.approx(number(ours, "F1") - number(ours, "baseline"))
    assert number(ours, "low") <= number(ours, "gain") <= number(ours, "high")


def test_stored_f1_of_other_documents_is_refused(tmp_path: Path) -> None:
    effort = replace(FEW, stored_f1=tmp_path)
    write_f1(tmp_path / "baseline_f1" / "tiny.txt.gz", np.ones(50))
    write_f1(tmp_path / "rival_f1" / "tiny.txt.gz", np.ones(3))
    with pytest.raises(Skipped, match="rival has 3 documents, the test part 50"):
        list(default_rows.default_rows(TinyParts(), effort))


def test_a_corpus_of_texts_is_compared_end_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some documents have no label, one label is only in the test part, and texts are preferred to features."""
    folder = tmp_path / "xed_fi"
    folder.mkdir()
    (folder / "labels.txt").write_text("still\nnew\nfox\nhen\n")
    documents = [("red fox runs", ["fox"]), ("red hen sits", ["hen", "still"]), ("blue fox sits", ["fox", "still"])]
    lines = [json.dumps({"text": text, "labels": labels}) for text, labels in [*documents, ("nothing here", [])] * 15]
    new = json.dumps({"text": "new fox", "labels": ["fox", "new"]})
    (folder / "train.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (folder / "test.jsonl.gz").write_bytes(gzip.compress("\n".join([*lines[:8], new]).encode()))
    monkeypatch.setenv("SETWISE_DATA", str(tmp_path))
    train = texts_or_features("xed_fi").train()
    assert train.X[0] == "red fox runs"
    assert train.y[:4].toarray().tolist() == [[0, 0, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0], [0, 0, 0, 0]]
    assert TextParts("xed_fi").test(train).y.shape == (9, 4)

    plan = DEFAULT.plan(["xed_fi"], ["baseline", "rival", "default"])
    small = replace(DEFAULT, quick_effort=replace(FEW, stored_f1=tmp_path))
    runner.run(small, plan, quick=True, page=tmp_path / "default.md", command="")
    values = {row.section: row.values for row in read_rows(tmp_path / "default.jsonl")}
    expected = 100 * (8 + 2 / 3) / 9  # all but the label that no training document has
    assert values["baseline"]["F1"] == values["rival"]["F1"] == pytest.approx(expected, abs=1e-3)
    assert values["default"]["rival"] == pytest.approx(expected, abs=1e-3)
    assert "words, logistic" in (tmp_path / "default.md").read_text()


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        (Difference(0.5, 0.1, 0.9), "yes: significantly above"),
        (Difference(0.5, -0.1, 0.9), "yes: not significant"),
        (Difference(-0.126, -0.9, 0.1), "no: 0.13 lower, not significant"),
        (Difference(-0.5, -0.9, -0.1), "no: significantly below"),
    ],
)
def test_verdict(difference: Difference, verdict: str) -> None:
    assert default_rows.verdict_on(difference) == verdict


def test_the_thorough_budget_is_compared_with_its_goal_and_goes_on_from_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AUTO_STAGES, "thorough", AUTO_STAGES["quick"])  # the test is of the row, not of the stages
    monkeypatch.setitem(default_rows.GOALS, "easy", 1.0)
    monkeypatch.setitem(default_rows.GOALS, "hard", 101.0)
    effort = replace(FEW, checkpoints=tmp_path / "new folder")
    for name, verdict in (("easy", "yes"), ("hard", "no: "), ("other", "")):
        (row,) = default_rows.thorough_rows(parts := TinyParts(name), effort)
        assert row.verdict.startswith(verdict)
        assert bool(row.verdict) == bool(verdict)
        assert parts.events == ["train", "test"]
        assert row.values["goal"] == default_rows.GOALS.get(name)
    written = (tmp_path / "new folder" / "hard.jsonl").read_bytes()
    (again,) = default_rows.thorough_rows(TinyParts("hard"), effort)
    assert again.values["F1"] == row.values["F1"]
    assert (tmp_path / "new folder" / "hard.jsonl").read_bytes() == written


def test_all_corpora_share_one_table() -> None:
    rows = [*default_rows.default_rows(TinyParts("one"), FEW), *default_rows.default_rows(TinyParts("two"), FEW)]
    section = SECTIONS["default"]
    heading, _, first, second = markdown_table(section, rows).splitlines()
    assert heading.startswith("| entry | data set | F1 | rival |")
    assert first.startswith(f"| SetClassifier() | one | {' | '.join(format_values(section, rows[0]))} |")
    assert second.startswith("|  | two |")


def test_a_run_ends_with_the_whole_table(capsys: pytest.CaptureFixture[str]) -> None:
    tiny = replace(DEFAULT, quick_effort=FEW, load=TinyParts)
    runner.run(tiny, {"one": ["default"], "two": ["default"]}, quick=True, page=None, command="")
    end = capsys.readouterr().out.split("and the baseline: all")[1]
    assert end.index("one") < end.index("two")
