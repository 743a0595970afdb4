"""The code, the commands and the figures of README and of the pages in docs are true."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.default.quoted_tables import QUOTED_IN, update
from benchmarks.harness.rows import read_rows
from tests.cli.corpus import news
from tests.cli.process import call
from tests.models.corpora import small_corpus

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

PAGES_THAT_PRINT = [
    "README.md",
    "docs/cluster.md",
    "docs/index.md",
    "docs/learners.md",
    "docs/model-file.md",
    "docs/models/README.md",
    "docs/prediction.md",
    "docs/quickstart.md",
    "docs/scikit-learn.md",
    "docs/text.md",
]
"""Pages whose every Python block is followed by what it prints."""

PAGES_WITH_DATA = {
    "docs/tuning.md": 3,
    "docs/confidence.md": 2,
    "docs/explanations.md": 1,
    "docs/report.md": 1,
    "docs/models/br.md": 1,
    "docs/models/ensemble.md": 1,
    "docs/models/cbm.md": 1,
    "docs/models/crf.md": 1,
    "docs/models/lsf.md": 1,
    "docs/models/fgfm.md": 1,
    "docs/models/lsr.md": 1,
    "docs/models/powerset.md": 1,
    "docs/models/rakel.md": 1,
    "docs/models/cost_sensitive.md": 1,
    "docs/models/mlp.md": 1,
    "docs/models/spen.md": 1,
}
"""Pages whose Python blocks use documents X, their labels y and label sets of the reader; the number of blocks."""


def blocks_of(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def printed_by(program: str, page: str, names: dict[str, Any] | None = None) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, page, "exec"), {} if names is None else names)
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES_THAT_PRINT)
def test_python_blocks_print_the_block_that_follows(
    page: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of(repository / page)
    programs = [position for position, (language, _) in enumerate(blocks) if language == "python"]
    assert programs
    for position in programs:
        assert ("text", printed_by(blocks[position][1], page)) == blocks[position + 1]


@pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")
@pytest.mark.parametrize("page", PAGES_WITH_DATA)
def test_python_blocks_run_on_the_data_of_a_reader(
    page: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    programs = [block for language, block in blocks_of(repository / page) if language == "python"]
    assert len(programs) == PAGES_WITH_DATA[page]
    X, y = small_corpus(n=60)
    names = {"X": X, "y": y, "sets": y[:3], "X_new": X, "X_labeled": X, "y_labeled": y}
    for program in programs:  # a page goes on where its block before has ended
        printed_by(program, page, names)
        for result in {"rows", "best"} & names.keys():
            assert names[result]


def test_every_page_with_python_is_run_by_a_test(repository: Path) -> None:
    elsewhere = {
        "CONTRIBUTING.md",
        "docs/formats.md",
        "docs/tutorial.md",
    }  # test_contributing, test_formats_page, and below
    with_python = {
        str(page.relative_to(repository))
        for page in (*repository.glob("*.md"), *(repository / "docs").rglob("*.md"))
        if "python" in dict(blocks_of(page))
    }
    assert with_python == {*PAGES_THAT_PRINT, *PAGES_WITH_DATA, *elsewhere}


def run_example(repository: Path, folder: Path, script: str, data: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", str(repository / script)],
        cwd=folder,
        env={**os.environ, "SETWISE_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_docs_name_every_example(repository: Path) -> None:
    page = (repository / "docs" / "prediction.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^python (examples/\S+)$", page, re.MULTILINE))
    assert named == {f"examples/{path.name}" for path in (repository / "examples").glob("*.py")}


@pytest.mark.slow
def test_the_calibration_example_prints_what_the_page_says(repository: Path, tmp_path: Path, corpus: Any) -> None:
    page = (repository / "docs" / "prediction.md").read_text(encoding="utf-8")
    result = run_example(repository, tmp_path, "examples/calibration.py", corpus("bibtex").folder.parent)
    assert result.returncode == 0, result.stderr
    assert result.stdout in page


def test_the_calibration_example_reports_a_missing_corpus_in_one_line(repository: Path, tmp_path: Path) -> None:
    result = run_example(repository, tmp_path, "examples/calibration.py", tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_the_any_classifier_example_gains_on_a_synthetic_corpus(repository: Path, tmp_path: Path) -> None:
    page = (repository / "docs" / "prediction.md").read_text(encoding="utf-8")
    result = run_example(repository, tmp_path, "examples/any_classifier.py", tmp_path)
    assert result.returncode == 0, result.stderr
    first, *rest = result.stdout.splitlines()
    assert first.startswith("OneVsRestClassifier(LogisticRegression) on a synthetic corpus, instance F1 of 500 test")
    cut, *decided = (float(line.split()[-2]) for line in rest)
    assert min(decided) > cut
    assert [line[:24] for line in rest] == [
        line[:24] for line in page.split("OneVsRestClassifier(LogisticRegression) on bibtex")[1].splitlines()[1:4]
    ]


def run_commands(commands: str) -> str:
    """Run each line of a shell block, in this process unless it is a pipe; return what they print."""
    printed = ""
    for line in commands.splitlines():
        if " | " in line:
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            result = subprocess.run(
                ["sh", "-ec", line], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
            )
        else:
            command, *arguments = shlex.split(line)
            assert command == "setwise"
            result = call(*arguments)
        assert result.returncode == 0, (line, result.stderr)
        assert result.stdout or "-o" in line or "split" in line
        printed += result.stdout
    return printed


def write_csv(path: Path, text: str, labels: str, separator: str) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([text, labels])
        writer.writerows([one["text"], separator.join(one["labels"])] for one in news(120))


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md"])
def test_the_commands_of_the_first_pages_run_on_a_csv(
    page: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "docs.csv", "text", "labels", ";")
    shell = [block for language, block in blocks_of(repository / page) if language == "sh"]
    (commands,) = [block for block in shell if "setwise train" in block]
    assert "instance F1" in run_commands(commands)
    predicted = (tmp_path / "predicted.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(predicted) > 15
    keys = {"row", "labels", "confidence", "expected_f1", "coverage"}
    assert json.loads(predicted[0]).keys() == keys | ({"sets"} if "--top" in commands else set())


def test_the_tutorial_goes_from_a_csv_to_predictions(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "docs.csv", "body", "tags", "|")
    blocks = blocks_of(repository / "docs" / "tutorial.md")
    for language, block in blocks:
        if language == "sh":
            run_commands(block)
    (program,) = (block for language, block in blocks if language == "python")
    assert "politics" in printed_by(program, "docs/tutorial.md")


@pytest.mark.parametrize("page", QUOTED_IN)
def test_quoted_tables_have_the_figures_of_their_rows(page: str, repository: Path) -> None:
    rows = read_rows(repository / "docs" / "benchmarks" / "default.jsonl")
    assert QUOTED_IN[page](rows) in (repository / page).read_text(encoding="utf-8")


def test_quoted_tables_are_updated_in_place(repository: Path, tmp_path: Path) -> None:
    pages = (*QUOTED_IN, "docs/benchmarks/default.jsonl")
    for page in pages:
        text = (repository / page).read_text(encoding="utf-8")
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        stale = text if page.endswith(".jsonl") else text.replace("| bibtex |", "| stale |")
        (tmp_path / page).write_text(stale, encoding="utf-8")
    update(tmp_path)
    for page in pages:
        assert (tmp_path / page).read_text(encoding="utf-8") == (repository / page).read_text(encoding="utf-8")
