"""``setwise reproduce`` as people call it."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from setwise.experiments.rows import read_rows
from tests.cli.process import run, started
from tests.experiments.tiny import write_corpus


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="module")
def done(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smallest run that has every kind of row."""
    folder = tmp_path_factory.mktemp("done") / "found"
    ended = run(*SMOKE, "--data", corpora, "--output", folder)
    assert ended.returncode == 0, ended.stderr
    assert "10 rows in" in ended.stdout
    assert "0 rows are there; 10 are to be found on 2 cores" in ended.stderr
    return folder


SMOKE = ("reproduce", "--quick", "--datasets", "tiny", "--models", "BR", "--tables", "1,2,4,heat", "--jobs", "2")


def test_tables_and_figures_are_written(done: Path) -> None:
    found = contents(done)
    assert {"rows/tiny.jsonl", "reproduction.md", "index.html", "heat_tiny.svg", "pipeline.svg"} <= found.keys()
    for table in ("table_1", "table_2", "table_4"):
        assert {f"tables/{table}.{kind}" for kind in ("md", "html", "tex", "csv")} <= found.keys()
    assert "tiny" in found["reproduction.md"].decode()


def test_a_second_call_finds_nothing_to_do_and_writes_the_same(done: Path, corpora: Path) -> None:
    before = contents(done)
    ended = run(*SMOKE, "--data", corpora, "--output", done)
    assert ended.returncode == 0, ended.stderr
    assert "10 rows are there; 0 are to be found" in ended.stderr
    assert contents(done) == before


def test_the_page_is_written_again_from_the_rows_alone(done: Path, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "tiny.jsonl").write_bytes((done / "rows" / "tiny.jsonl").read_bytes())
    page = tmp_path / "reproduction.md"
    ended = run("reproduce", "--only-page", "--output", tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert page.read_bytes() == (done / "reproduction.md").read_bytes()


def test_rows_of_another_seed_are_not_mixed_in(done: Path, corpora: Path) -> None:
    ended = run(*SMOKE, "--data", corpora, "--output", done, "--random-state", "1")
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: ")
    assert "must come from the same run" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--tables", "7"), 2, "tables must be some of 1, 2, 3, 4, 5, heat, variants; got 7."),
        (("--models", "SVM"), 2, "models must be some of BR, PCC, CRF, CRF without pairs, CBM, LSF; got SVM."),
        (("--datasets", "nowhere"), 1, "The corpus 'nowhere' must be a folder"),
        (("--datasets", "tiny", "--data", "nowhere"), 1, "The corpus 'tiny' must be a folder"),
        (("--only-page", "--output", "nowhere"), 1, "must have rows"),
        (("--page", "nowhere/page.md"), 1, "nowhere/page.md must be a file that can be written"),
    ],
)
def test_mistakes_are_one_line(
    corpora: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    usual = () if "--only-page" in arguments else ("--datasets", "tiny", "--data", corpora, "--output", tmp_path)
    ended = run("reproduce", "--quick", *usual, *arguments)
    assert ended.returncode == code
    assert ended.stderr.startswith("error: ")
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_work_that_fails_is_told_by_its_reason_alone(corpora: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(corpora, folder)
    (folder / "tiny" / "train.svm.gz").write_bytes(b"nothing that was ever compressed")
    ended = run("reproduce", "--quick", "--datasets", "tiny", "--tables", "1", "--data", folder, "--output", tmp_path)
    assert ended.returncode == 1
    _, failed, last, *more = ended.stderr.splitlines()
    assert failed.startswith(f"tiny corpus failed: {folder}/tiny/train.svm.gz must be a file that can be read")
    assert last == "1 pieces of work failed, and the next call does them again: tiny corpus"
    assert not more


def test_ctrl_c_is_told_and_the_next_call_goes_on(done: Path, corpora: Path, tmp_path: Path) -> None:
    call = (*SMOKE, "--data", corpora, "--output", tmp_path)
    with started(*call) as process:
        assert process.stderr is not None
        assert process.stderr.readline().endswith("are to be found on 2 cores\n")
        process.send_signal(signal.SIGINT)
        *_, last = process.stderr
    assert last == "error: interrupted.\n"
    assert process.returncode == 130
    assert run(*call).returncode == 0
    assert [row.key for row in read_rows(tmp_path / "rows")] == [row.key for row in read_rows(done / "rows")]
