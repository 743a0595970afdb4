"""The comparison of the default with its rival: features, what is kept, intervals and verdicts."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks import default_rows, runner
from benchmarks.default import COMPARISON, CORPORA
from benchmarks.default_effort import DefaultEffort
from benchmarks.default_sections import SECTIONS
from benchmarks.peers import Refused
from benchmarks.report import markdown_table, numbers
from benchmarks.stored_f1 import read_f1, write_f1
from setwise.exceptions import InvalidData
from setwise.experiments.corpora import COUNTS, Parts, features
from setwise.experiments.differences import Difference
from tests.benchmarks.parted import TinyParts

FEW = DefaultEffort(steps=(0, 4), n_resamples=200)


@pytest.fixture
def counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of counts that has no test part yet."""
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
    with pytest.raises(InvalidData, match="test.svm.gz must be a file"):
        Parts("medical_raw").test(train)


def test_test_documents_are_weighed_as_training_says(counts: Path) -> None:
    train = Parts("medical_raw").train()
    (counts / "test.svm.gz").write_bytes((counts / "train.svm.gz").read_bytes() + gzip.compress(b"1 1:9 3:9\n"))
    test = Parts("medical_raw").test(train)
    assert_allclose(test.X[:3].toarray(), train.X.toarray())
    with pytest.raises(ValueError, match="must be given the weighting"):
        features("medical_raw", "test")


def test_features_that_are_no_counts_stay_as_they_are(counts: Path) -> None:
    counts.rename(counts.with_name("bibtex"))
    assert_allclose(features("bibtex", "train").X.toarray(), [[3, 1, 0], [0, 2, 0], [0, 1, 1]])


def test_counts_are_among_the_corpora() -> None:
    assert set(COUNTS) < set(CORPORA)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    f1 = np.array([0.0, 1.0, 2 / 3])
    write_f1(tmp_path / "deep" / "f1.txt.gz", f1)
    assert_allclose(read_f1(tmp_path / "deep" / "f1.txt.gz"), f1, atol=5e-7)


def test_rival_is_tuned_once_and_kept(tmp_path: Path) -> None:
    effort = replace(FEW, kept=tmp_path)
    with pytest.raises(Refused, match="not tuned yet"):
        list(default_rows.default_rows(TinyParts(), effort))
    (theirs,) = default_rows.rival_rows(TinyParts(), effort)
    (ours,) = default_rows.default_rows(parts := TinyParts(), effort)
    assert parts.events == ["train", "test"]
    assert ours.values["rival"] == pytest.approx(theirs.values["F1"], abs=1e-4)
    assert ours.values["gain"] == pytest.approx(ours.values["F1"] - ours.values["rival"])
    assert ours.values["low"] <= ours.values["gain"] <= ours.values["high"]


def test_kept_for_other_documents_is_refused(tmp_path: Path) -> None:
    effort = replace(FEW, kept=tmp_path)
    write_f1(tmp_path / "tiny.txt.gz", np.ones(3))
    with pytest.raises(Refused, match="about 3 documents, not 50"):
        list(default_rows.default_rows(TinyParts(), effort))


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        (Difference(0.5, 0.1, 0.9), "yes: significantly above"),
        (Difference(0.5, -0.1, 0.9), "yes: at"),
        (Difference(-0.126, -0.9, 0.1), "no: at, yet 0.13 lower"),
        (Difference(-0.5, -0.9, -0.1), "no: significantly below"),
    ],
)
def test_verdict(difference: Difference, verdict: str) -> None:
    assert default_rows.verdict_on(difference) == verdict


def test_all_corpora_stand_in_one_table() -> None:
    rows = [*default_rows.default_rows(TinyParts("one"), FEW), *default_rows.default_rows(TinyParts("two"), FEW)]
    section = SECTIONS["default"]
    heading, _, first, second = markdown_table(section, rows).splitlines()
    assert heading.startswith("| contestant | data set | rival | F1 |")
    assert first.startswith(f"| SetClassifier() | one | {' | '.join(numbers(section, rows[0]))} |")
    assert second.startswith("|  | two |")


def test_run_prints_the_whole_table_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    tiny = replace(COMPARISON, quick=FEW, load=TinyParts)
    runner.run(tiny, {"one": ["default"], "two": ["default"]}, quick=True, page=None, command="")
    end = capsys.readouterr().out.split("beside the rival: all")[1]
    assert end.index("one") < end.index("two")
