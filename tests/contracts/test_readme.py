"""The code of README and of the pages in docs runs, and prints what they say."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys

import pytest

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def readme(repository):
    return (repository / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/prediction.md"])
def test_python_blocks_run_and_print_the_block_that_follows(page, repository):
    blocks = BLOCK.findall((repository / page).read_text(encoding="utf-8"))
    programs = [position for position, (language, _) in enumerate(blocks) if language == "python"]
    assert programs
    for position in programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(blocks[position][1], page, "exec"), {})
        assert ("text", printed.getvalue()) == blocks[position + 1]


def test_the_example_named_in_docs_runs_and_gains_on_a_made_up_corpus(repository, tmp_path):
    page = (repository / "docs" / "prediction.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^python (examples/\S+)$", page, re.MULTILINE)
    result = subprocess.run(
        [sys.executable, "-W", "error", str(repository / script)],
        cwd=tmp_path,
        env={**os.environ, "SETWISE_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
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
