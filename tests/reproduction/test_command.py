"""``python -m reproduction`` as people call it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reproduction.run import read_rows
from tests.reproduction.tiny import write_corpus

REPOSITORY = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "reproduction")
SMOKE = ("--quick", "--datasets", "tiny", "--models", "BR", "--tables", "1,2,4,heat", "--jobs", "2")


def call(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="module")
def done(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the smallest run with every kind of row."""
    folder = tmp_path_factory.mktemp("done") / "results"
    ended = call(*SMOKE, "--data", corpora, "--output", folder)
    assert ended.returncode == 0, ended.stderr
    assert "10 rows are in" in ended.stdout
    assert "0 rows are stored; computing 10 more in 2 processes" in ended.stderr
    return folder


def test_tables_and_figures_are_written(done: Path) -> None:
    files = contents(done)
    assert {"rows/tiny.jsonl", "reproduction.md", "index.html", "heat_tiny.svg", "pipeline.svg"} <= files.keys()
    for table in ("table_1", "table_2", "table_4"):
        assert {f"tables/{table}.{suffix}" for suffix in ("md", "html", "tex", "csv")} <= files.keys()
    assert "tiny" in files["reproduction.md"].decode()


def test_a_second_call_computes_nothing_and_writes_the_same(done: Path, corpora: Path) -> None:
    before = contents(done)
    ended = call(*SMOKE, "--data", corpora, "--output", done)
    assert ended.returncode == 0, ended.stderr
    assert "10 rows are stored; computing 0 more" in ended.stderr
    assert contents(done) == before


def test_the_page_can_be_written_from_the_rows_only(done: Path, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "tiny.jsonl").write_bytes((done / "rows" / "tiny.jsonl").read_bytes())
    ended = call("--only-page", "--output", tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "reproduction.md").read_bytes() == (done / "reproduction.md").read_bytes()


@pytest.mark.parametrize("file", ["rows/tiny.jsonl", "index.html"])
def test_a_page_that_would_overwrite_rows_or_the_index_is_refused(done: Path, file: str) -> None:
    before = contents(done)
    ended = call("--only-page", "--output", done, "--page", done / file)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "would be overwritten by the output" in ended.stderr
    assert contents(done) == before


def test_rows_of_another_random_state_are_refused(done: Path, corpora: Path) -> None:
    ended = call(*SMOKE, "--data", corpora, "--output", done, "--random-state", "1")
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: ")
    assert "is the checkpoint of another run" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--tables", "7"), 2, "tables must be some of 1, 2, 3, 4, 5, 6, heat, variants, predictors; got 7."),
        (("--models", "SVM"), 2, "models must be some of BR, PCC, CRF, CRF without pairs, CBM, LSF; got SVM."),
        (("--datasets", "nowhere"), 1, "Corpus 'nowhere' not found"),
        (("--datasets", "tiny", "--data", "nowhere"), 1, "Corpus 'tiny' not found"),
        (("--only-page", "--output", "nowhere"), 1, "has no rows of an earlier run"),
        (("--page", "nowhere/page.md"), 1, "nowhere/page.md"),
    ],
)
def test_an_error_is_one_line(
    corpora: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    usual = () if "--only-page" in arguments else ("--datasets", "tiny", "--data", corpora, "--output", tmp_path)
    ended = call("--quick", *usual, *arguments)
    assert ended.returncode == code
    assert ended.stderr.startswith("error: ")
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_failed_task_is_reported_with_its_reason(corpora: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(corpora, folder)
    (folder / "tiny" / "train.svm.gz").write_bytes(b"not compressed at all")
    ended = call("--quick", "--datasets", "tiny", "--tables", "1", "--data", folder, "--output", tmp_path)
    assert ended.returncode == 1
    _, failed, last, *more = ended.stderr.splitlines()
    assert failed.startswith("tiny corpus failed: ")
    assert f"{folder}/tiny/train.svm.gz" in failed
    assert last == "1 tasks failed, and the next call runs them again: tiny corpus"
    assert not more


@pytest.mark.slow
def test_ctrl_c_is_reported_and_the_next_call_continues(done: Path, corpora: Path, tmp_path: Path) -> None:
    arguments = (*SMOKE, "--data", corpora, "--output", tmp_path)
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=_restore_ctrl_c,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().endswith("more in 2 processes\n")
        process.send_signal(signal.SIGINT)
        *_, last = process.stderr
    assert last == "error: interrupted.\n"
    assert process.returncode == 130
    assert call(*arguments).returncode == 0
    assert [row.key for row in read_rows(tmp_path / "rows")] == [row.key for row in read_rows(done / "rows")]


def _restore_ctrl_c() -> None:
    # A shell ignores Ctrl-C for jobs in the background, and child processes inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
