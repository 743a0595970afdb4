"""The files, messages and commands that docs/formats.md shows are true."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import fields
from pathlib import Path

import pytest
from typer.main import get_command

from setwise.cli.data import data_commands
from setwise.cli.reading import _options
from setwise.data import FORMATS, ReadOptions, TextDocument, convert
from setwise.data.formats import arff_head, parquet, streams
from tests.cli.process import run
from tests.data.examples import plain, put, read_all, vector

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


def test_every_option_of_reading_is_named(page: str) -> None:
    stats = get_command(data_commands).commands["stats"]  # type: ignore[attr-defined]
    flags = {option.name: option.opts[0] for option in stats.params}
    for field in fields(ReadOptions):
        if field.name != "keep":  # which is an option of `predict`
            assert f"`{flags[field.name]}" in page, field.name


def test_options_of_reading_have_the_same_defaults_everywhere() -> None:
    assert _options() == ReadOptions()


def test_limits(page: str) -> None:
    rows = dict(re.findall(r"^\| (.*?) \| ([0-9,]+(?: MiB)?(?: unpacked)?) \|$", page, re.MULTILINE))
    assert list(rows.values()) == [
        f"{streams.LONGEST_LINE >> 20} MiB",
        f"{streams.MOST_EMPTY_LINES:,}",
        f"{parquet.LARGEST_COLUMN >> 20} MiB unpacked",
        f"{arff_head.LARGEST_XML >> 20} MiB",
        f"{ReadOptions().largest_index:,}",
    ]


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
