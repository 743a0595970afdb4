from __future__ import annotations

import pytest

from setwise.cli.manners import note_skipped, run, watch
from setwise.data.formats import Problems
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InvalidParameter("p must hold."), 2, "error: p must hold.\n"),
        (InvalidData("d is bad."), 1, "error: d is bad.\n"),
        (Incompatible("a and b."), 1, "error: a and b.\n"),
        (KeyboardInterrupt(), 130, "error: interrupted.\n"),
        (SystemExit(130), 130, "error: interrupted.\n"),
        (SystemExit(2), 2, ""),
    ],
)
def test_errors_become_one_line_and_an_exit_code(
    error: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(SystemExit) as stopped:
        run(fail)
    assert stopped.value.code == code
    assert capsys.readouterr() == ("", line)


def test_what_is_no_mistake_of_the_users_is_not_hidden() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(fail)


def test_items_pass_one_at_a_time_and_nothing_is_shown_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    taken: list[int] = []

    def items() -> object:
        for item in range(3):
            taken.append(item)
            yield item

    passing = watch(items(), "items", total=3)
    assert next(passing) == 0
    assert taken == [0]
    assert list(passing) == [1, 2]
    assert capsys.readouterr() == ("", "")


def test_nothing_is_noted_where_nothing_was_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    note_skipped(Problems("docs.csv"))
    assert capsys.readouterr().err == ""
    note_skipped(Problems("docs.csv", "skip", 1, ["docs.csv, line 2: bad."]))
    assert capsys.readouterr().err == "skipped 1 of the documents of docs.csv:\n  docs.csv, line 2: bad.\n"
