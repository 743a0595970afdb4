"""docs/formats.md matches the registry of formats, and its files, messages and commands work as shown."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from setwise.cli.data import data_commands
from setwise.cli.read_options import read_options_from
from setwise.data import FORMATS, Format, ReadOptions, TextDocument, convert
from setwise.data.formats import arff_header, parquet_table, streams
from tests.cli.process import call
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


def command(name: str) -> Any:
    group: Any = get_command(data_commands)
    return group.commands[name]


def flags() -> dict[str, str]:
    """Return the command-line option of each field of ``ReadOptions``."""
    return {option.name: option.opts[0] for option in command("stats").params}


def table_row(format: Format) -> str:
    options = [flag for name, flag in flags().items() if format.takes(name)]
    cells = [
        f"`{format.name}`",
        " ".join(f"`{suffix}`" for suffix in format.suffixes) or "-",
        format.description,
        "yes" if format.stores_ids else "no",
        " ".join(f"`{flag}`" for flag in options) or "-",
    ]
    return "| " + " | ".join(cells) + " |"


def test_the_table_is_that_of_the_registry(page: str) -> None:
    table = page.partition("| format |")[2].partition("\n\n")[0].splitlines()[2:]
    assert table == [table_row(format) for format in FORMATS.values()]


def test_the_help_of_convert_names_every_format() -> None:
    shown = call("data", "convert", "--help").stdout
    for name in FORMATS:
        assert re.search(rf"\b{name}\b", shown), name


def test_every_read_option_is_named(page: str) -> None:
    for field in fields(ReadOptions):
        if field.name != "extra_columns":  # which only `predict` offers
            assert f"`{flags()[field.name]}" in page, field.name


def test_options_of_reading_have_the_same_defaults_everywhere() -> None:
    assert read_options_from() == ReadOptions()


def test_limits(page: str) -> None:
    rows = dict(re.findall(r"^\| (.*?) \| ([0-9,]+(?: MiB)?(?: uncompressed)?) \|$", page, re.MULTILINE))
    assert list(rows.values()) == [
        f"{streams.MAX_LINE_BYTES >> 20} MiB",
        f"{streams.MAX_EMPTY_LINES:,}",
        f"{parquet_table.MAX_COLUMN_BYTES >> 20} MiB uncompressed",
        f"{arff_header.MAX_XML_BYTES >> 20} MiB",
        f"{ReadOptions().largest_index:,}",
    ]


def test_the_message(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(Path("docs.jsonl"), '{"text": "a"}\n' * 2 + '{"text": "a", "labels": "weather"}\n')
    result = call("data", "stats", "docs.jsonl")
    message = next(content for language, content in blocks(page) if language == "text")
    assert result.stderr == f"error: {message}"


def test_commands(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(Path("docs.jsonl"), next(content for language, content in blocks(page) if language == "jsonl"))
    convert("docs.jsonl", "docs.csv")
    (commands,) = (content for language, content in blocks(page) if language == "sh")
    for command in commands.splitlines():
        result = call(*command.split()[1:])
        assert result.returncode == 0, result.stderr


def test_python(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    all_blocks = blocks(page)
    at = next(position for position, (language, _) in enumerate(all_blocks) if language == "python")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(all_blocks[at][1], "formats.md", "exec"), {})
    assert ("text", printed.getvalue()) == all_blocks[at + 1]
