"""The files, messages and commands that docs/formats.md shows are true."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from setwise.data import FORMATS, TextDocument, convert
from tests.cli.process import run
from tests.data.made import plain, put, read_all, vector

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXTS = [
    TextDocument('Rain in May, says "The Times"', ("weather", "press"), "1"),
    TextDocument("A text\nin two lines", (), "2"),
]
LINES = [TextDocument(document.text.replace("\n", " "), document.labels) for document in TEXTS]
VECTORS = [plain(vector({0: 0.5, 2: 2.0}, ("0", "1"))), plain(vector({1: 1.0}))]
FILES = {"jsonl": TEXTS, "csv": TEXTS, "txt": LINES, "svm": VECTORS, "arff": VECTORS}


@pytest.fixture
def page(repository: Path) -> str:
    return (repository / "docs" / "formats.md").read_text(encoding="utf-8")


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall(page)


@pytest.mark.parametrize("ending", FILES)
def test_files(page: str, ending: str, tmp_path: Path) -> None:
    (content,) = (content for language, content in blocks(page) if language == ending)
    assert read_all(put(tmp_path / f"docs.{ending}", content)) == FILES[ending]


def test_every_format_and_ending_is_named(page: str) -> None:
    for format in FORMATS.values():
        assert f"`{format.name}`" in page
        for ending in format.endings:
            assert f"`{ending}`" in page


def test_the_message(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(Path("docs.jsonl"), '{"text": "a"}\n' * 2 + '{"text": "a", "labels": "weather"}\n')
    result = run("data", "stats", "docs.jsonl")
    message = next(content for language, content in blocks(page) if language == "text")
    assert result.stderr == f"error: {message}"


def test_commands(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(Path("docs.jsonl"), next(content for language, content in blocks(page) if language == "jsonl"))
    convert("docs.jsonl", "docs.csv")
    (commands,) = (content for language, content in blocks(page) if language == "sh")
    for command in commands.splitlines():
        result = run(*command.split()[1:])
        assert result.returncode == 0, result.stderr


def test_python(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = blocks(page)
    at = next(position for position, (language, _) in enumerate(found) if language == "python")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(found[at][1], "formats.md", "exec"), {})
    assert ("text", printed.getvalue()) == found[at + 1]
