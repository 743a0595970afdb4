"""What is shown while a classifier is trained: every stage, up to the end."""

from __future__ import annotations

import re

import pytest

from setwise import SetClassifier
from setwise.models import BinaryRelevance
from setwise.tuning import progress
from tests.models.corpora import small_corpus


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[progress.Progress]:
    """Record what the bar is told."""
    found: list[progress.Progress] = []
    show = progress.StageBars.show
    monkeypatch.setattr(progress.StageBars, "show", lambda self, one: (found.append(one), show(self, one)))
    return found


def stages(seen: list[progress.Progress]) -> list[str]:
    return list(dict.fromkeys(one.stage for one in seen))


def test_every_stage_is_told_and_those_that_count_reach_their_total(seen: list[progress.Progress]) -> None:
    X, y = small_corpus(n=60)
    SetClassifier(budget="quick", n_jobs=1, progress=True).fit(X, y)
    assert stages(seen) == ["tuning", "choosing the prediction", "final fit"]
    for stage in stages(seen)[:2]:
        counts = [(one.done, one.total) for one in seen if one.stage == stage]
        assert [done for done, _ in counts] == list(range(len(counts)))
        assert counts[-1][0] == counts[-1][1]
    assert seen[-1].total is None


def test_a_given_model_has_a_final_fit_alone(seen: list[progress.Progress]) -> None:
    X, y = small_corpus(n=60)
    SetClassifier(BinaryRelevance(), "support", "gfm", calibration=None, progress=True).fit(X, y)
    assert stages(seen) == ["final fit"]


def test_the_bars_fit_80_columns(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("COLUMNS", "80")
    X, y = small_corpus(n=60)
    SetClassifier(budget="quick", n_jobs=1, metric="set_accuracy", progress=True).fit(X, y)
    printed = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", printed) if line.strip()]
    assert {line.split("  ")[0].split(",")[0].split(" ━")[0].strip() for line in lines[-3:]} == {
        "tuning",
        "choosing the prediction",
        "final fit",
    }
    assert all(len(line) <= 80 for line in lines)
    assert re.search(r"tuning, best set_accuracy \d\.\d{4} .* 5/5", lines[-3])


def test_nothing_is_shown_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = small_corpus(n=60)
    SetClassifier(BinaryRelevance(), "support", "gfm", calibration=None, progress=True).fit(X, y)
    assert capsys.readouterr() == ("", "")
