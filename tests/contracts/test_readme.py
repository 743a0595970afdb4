"""The code of README and of the pages in docs runs, and prints what they say."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.corpus import news
from tests.models.corpora import small_corpus

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def readme(repository):
    return (repository / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/prediction.md", "docs/model-file.md"])
def test_python_blocks_run_and_print_the_block_that_follows(page, repository, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((repository / page).read_text(encoding="utf-8"))
    programs = [position for position, (language, _) in enumerate(blocks) if language == "python"]
    assert programs
    for position in programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(blocks[position][1], page, "exec"), {})
        assert ("text", printed.getvalue()) == blocks[position + 1]


def test_the_blocks_of_the_page_on_tuning_run(repository):
    page = (repository / "docs" / "tuning.md").read_text(encoding="utf-8")
    programs = [block for language, block in BLOCK.findall(page) if language == "python"]
    assert len(programs) == 2
    X, y = small_corpus(n=60)
    for program in programs:
        found = {"X": X, "y": y}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(program, "docs/tuning.md", "exec"), found)
        assert found["rows"] if "rows" in program else found["best"]


def run_example(repository, folder, script, data):
    return subprocess.run(
        [sys.executable, "-W", "error", str(repository / script)],
        cwd=folder,
        env={**os.environ, "SETWISE_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_examples_named_in_docs_are_those_there_are(repository):
    page = (repository / "docs" / "prediction.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^python (examples/\S+)$", page, re.MULTILINE))
    assert named == {f"examples/{path.name}" for path in (repository / "examples").glob("*.py")}


def test_the_example_of_calibration_prints_what_the_page_says(repository, tmp_path, corpus):
    page = (repository / "docs" / "prediction.md").read_text(encoding="utf-8")
    result = run_example(repository, tmp_path, "examples/calibration.py", corpus("bibtex").folder.parent)
    assert result.returncode == 0, result.stderr
    assert result.stdout in page


def test_the_example_of_calibration_says_in_a_line_what_it_lacks(repository, tmp_path):
    result = run_example(repository, tmp_path, "examples/calibration.py", tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_the_example_of_any_classifier_runs_and_gains_on_a_made_up_corpus(repository, tmp_path):
    page = (repository / "docs" / "prediction.md").read_text(encoding="utf-8")
    result = run_example(repository, tmp_path, "examples/any_classifier.py", tmp_path)
    assert result.returncode == 0, result.stderr
    first, *rest = result.stdout.splitlines()
    assert first.startswith("OneVsRestClassifier(LogisticRegression) on a made-up corpus, instance F1 of 500 test")
    cut, *decided = (float(line.split()[-2]) for line in rest)
    assert min(decided) > cut
    assert [line[:24] for line in rest] == [
        line[:24] for line in page.split("OneVsRestClassifier(LogisticRegression) on bibtex")[1].splitlines()[1:4]
    ]


def test_commands_named_are_targets_of_the_makefile(readme, repository):
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    pages = readme + (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", pages, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets


def run_shell(folder, commands):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", "-ec", commands],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def write_csv(path, text, labels, separator):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([text, labels])
        writer.writerows([one["text"], separator.join(one["labels"])] for one in news(120))


def test_the_commands_of_the_readme_run_on_a_csv(readme, tmp_path):
    write_csv(tmp_path / "docs.csv", "text", "labels", ";")
    (commands,) = [block for language, block in BLOCK.findall(readme) if language == "sh" and "setwise train" in block]
    result = run_shell(tmp_path, commands)
    assert result.returncode == 0, result.stderr
    assert "instance f1" in result.stdout
    predicted = (tmp_path / "predicted.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(predicted) > 15
    assert json.loads(predicted[0]).keys() == {"row", "labels", "expected_f1", "coverage", "sets"}


def test_the_tutorial_goes_from_a_csv_to_predictions(repository, tmp_path, monkeypatch):
    write_csv(tmp_path / "docs.csv", "body", "tags", "|")
    blocks = BLOCK.findall((repository / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    for language, block in blocks:
        if language == "sh":
            result = run_shell(tmp_path, block)
            assert result.returncode == 0, (block, result.stderr)
            assert result.stdout or "-o" in block or "split" in block
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(next(block for language, block in blocks if language == "python"), "tutorial", "exec"), {})
    assert "politics" in printed.getvalue()


def test_the_table_of_the_gain_has_the_figures_of_its_page(readme, repository):
    found = {}
    for line in (repository / "docs" / "benchmarks" / "default.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["section"] == "default":
            found[row["dataset"]] = row["values"]
    (names,) = re.findall(r"^\| \| (bibtex .*) \|$", readme, re.MULTILINE)
    order = names.split(" | ")
    assert sorted(order) == sorted(found)
    for title, value in (("scikit-learn, tuned by hand", "rival"), ("`SetClassifier()`", "F1")):
        row = f"| {title} | " + " | ".join(f"{found[name][value]:.1f}" for name in order) + " |"
        assert row in readme
