"""README's code runs, and prints what README says."""

from __future__ import annotations

import contextlib
import io
import re

import pytest

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def readme(repository):
    return (repository / "README.md").read_text(encoding="utf-8")


def test_python_blocks_run_and_print_the_block_that_follows(readme):
    blocks = BLOCK.findall(readme)
    programs = [position for position, (language, _) in enumerate(blocks) if language == "python"]
    assert programs
    for position in programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(blocks[position][1], "README.md", "exec"), {})
        assert ("text", printed.getvalue()) == blocks[position + 1]


def test_commands_named_are_targets_of_the_makefile(readme, repository):
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    pages = readme + (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", pages, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets
