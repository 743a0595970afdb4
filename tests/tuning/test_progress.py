"""The progress bars of a training: every stage, up to the end."""

from __future__ import annotations

import re

import pytest

from setwise import SetClassifier
from setwise.executors import Work
from setwise.models import AUTO_STAGES, BinaryRelevance, Setting
from setwise.tuning import Progress, Trial, progress_bar
from setwise.tuning.progress import StageBars, time_text
from tests.models.corpora import small_corpus


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Progress]:
    """Return the list of everything that the bars show."""
    recorded: list[Progress] = []
    show = StageBars.show

    def record_and_show(self: StageBars, progress: Progress) -> None:
        recorded.append(progress)
        show(self, progress)

    monkeypatch.setattr(StageBars, "show", record_and_show)
    return recorded


def stages(shown: list[Progress]) -> list[str]:
    return list(dict.fromkeys(one.stage for one in shown))


def test_every_stage_is_shown_and_reaches_its_total(shown: list[Progress]) -> None:
    X, y = small_corpus(n=60)
    SetClassifier(budget="quick", n_jobs=1, verbose=True).fit(X, y)
    assert stages(shown) == ["tuning", "choosing the prediction", "learning how sure predictions are", "final fit"]
    for stage in stages(shown)[:3]:
        counts = [(one.done, one.total) for one in shown if one.stage == stage]
        assert [done for done, _ in counts] == list(range(len(counts)))
        assert counts[-1][0] == counts[-1][1]
    assert shown[-1].total is None


def test_a_model_instance_has_a_final_fit_alone(shown: list[Progress]) -> None:
    X, y = small_corpus(n=60)
    SetClassifier(BinaryRelevance(), "support", "gfm", calibration=None, verbose=True).fit(X, y)
    assert stages(shown) == ["final fit"]


def test_the_bars_fit_80_columns(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("COLUMNS", "80")
    X, y = small_corpus(n=60)
    SetClassifier(budget="quick", n_jobs=1, scoring="set_accuracy", verbose=True).fit(X, y)
    printed = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", printed) if line.strip()]
    assert {line.split("  ")[0].split(",")[0].split(" ━")[0].strip() for line in lines[-4:]} == {
        "tuning",
        "choosing the prediction",
        "learning how sure predictions are",
        "final fit",
    }
    assert all(len(line) <= 80 for line in lines)
    assert re.search(r"tuning, best set_accuracy \d\.\d{4} .* ([2-5])/\1 ", lines[-4])


def test_nothing_is_shown_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = small_corpus(n=60)
    SetClassifier(BinaryRelevance(), "support", "gfm", calibration=None, verbose=True).fit(X, y)
    assert capsys.readouterr() == ("", "")


def test_the_time_left_is_shown_while_there_is_an_estimate() -> None:
    assert time_text(5.0, 65.4) == "1:05 left"
    assert time_text(5.0, 3723.0) == "1:02:03 left"
    assert time_text(61.0, None) == "1:01"
    assert time_text(None, None) == ""


def test_the_line_of_the_longest_stage_of_auto_fits_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    row = {"scoring": "instance_f1"}
    best = Trial(Setting(1.0), "support, gfm", None, 0.87654, row)
    name = max((stage.name for stages in AUTO_STAGES.values() for stage in stages), key=len)
    with progress_bar(shown=True) as show:
        show(Progress(0, 24, best, f"tuning, {name}"))
        show(Progress(23, 24, best, f"tuning, {name}"))
    printed = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", printed) if line.strip()]
    assert any(f"tuning, {name}, best instance_f1 0.8765" in line and "23/24" in line for line in lines)


def test_all_workers_share_one_bar_that_is_full_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    with progress_bar(shown=True) as show:
        show(Progress(0, None, None, "", Work(n_done=1, n_running=2, cost_done=1.0, cost_total=4.0)))
        show(Progress(0, None, None, "", Work(n_done=7, n_running=0, cost_done=5.0, cost_total=4.0)))
    printed = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", printed) if "all workers" in line]
    assert "all workers, 0 running" in lines[-1]
    assert "7 tasks" in lines[-1]
    assert all(len(line) <= 80 for line in lines)
