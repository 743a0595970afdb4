from __future__ import annotations

import gzip
import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from setwise.cli import main
from setwise.data import TextDocument
from tests.cli.process import COMMAND, call, run
from tests.data.examples import VECTOR_NAMES, VECTORS, put, read_all, write_all

CSV = "key,body,tags\n1,rain in May,weather\n2,a goal,sport|news\n3,,sport\n4,tax,news|politics\n5,none,\n"
CSV_OPTIONS = ("--text", "body", "--labels", "tags", "--id", "key", "--separator", "|")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return put(tmp_path / "docs.csv", CSV)


def test_stats_of_texts(table: Path) -> None:
    result = run("data", "stats", table, *CSV_OPTIONS)
    assert (result.returncode, result.stderr) == (0, "")
    first, *rows = result.stdout.splitlines()
    assert first == str(table)
    assert [re.split(r"\s{2,}", row.strip()) for row in rows] == [
        ["labels", "4"],
        ["label sets", "5"],
        ["features", "-", "extracted in training"],
        ["instances", "5"],
        ["cardinality", "1.20"],
        ["instances/label", "1.50"],
        ["documents with an empty label set", "1"],
        ["empty texts", "1"],
    ]


def test_stats_of_vectors_as_json(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.svm", VECTORS, VECTOR_NAMES)
    result = run("data", "stats", tmp_path / "docs.svm", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    statistics = json.loads(result.stdout)
    assert statistics == {
        "file": str(tmp_path / "docs.svm"),
        "format": "libsvm",
        "labels": 3,
        "label_sets": 4,
        "features": 3,
        "instances": 4,
        "cardinality": 1.0,
        "instances_per_label": 4 / 3,
        "unseen_labels": 0,
        "without_labels": 1,
        "unlabeled": 0,
        "empty": 1,
        "skipped": 0,
    }


def test_convert_through_pipes(table: Path) -> None:
    result = run("data", "convert", "-", "-", "--from", "csv", "--to", "jsonl", *CSV_OPTIONS, stdin=CSV)
    assert result.returncode == 0
    assert result.stderr == "5 documents written to -\n"
    assert json.loads(result.stdout.splitlines()[1]) == {"id": "2", "text": "a goal", "labels": ["sport", "news"]}


def test_format_of_standard_input_is_detected_in_any_encoding(table: Path) -> None:
    options = ("--delimiter", ";", "--encoding", "utf-16", "--text", "body")
    result = subprocess.run(
        [str(COMMAND), "data", "convert", "-", "-", "--to", "jsonl", *options],
        input=gzip.compress("body;labels\ncafé;x\n".encode("utf-16")),
        capture_output=True,
        check=False,
    )
    assert (result.returncode, result.stdout.decode()) == (0, '{"text":"café","labels":["x"]}\n'), result.stderr
    assert run("data", "stats", "-").stderr == "error: standard input contains no documents: it is empty.\n"


def test_convert_reports_dropped_ids_and_skipped_documents(tmp_path: Path) -> None:
    source = put(tmp_path / "docs.jsonl", '{"id": "1", "text": "a", "labels": ["x"]}\n' + "{\n" * 4)
    result = run("data", "convert", source, tmp_path / "docs.txt", "--on-error", "skip")
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == (
        f"skipped 4 documents of {source}:\n"
        + "".join(f"  {source}, line {n}, column 2: a line must be JSON; unexpected end of data.\n" for n in (2, 3, 4))
        + "  ...\n"
        + "ids were dropped: the output format cannot store them.\n"
        + f"1 documents written to {tmp_path / 'docs.txt'}\n"
    )


def test_split(table: Path, tmp_path: Path) -> None:
    train, test = tmp_path / "train.jsonl.gz", tmp_path / "test.tsv"
    result = run(
        "data", "split", table, "--train", train, "--test", test, "--test-size", "0.4", "--random", *CSV_OPTIONS
    )
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == f"3 documents written to {train}\n2 documents written to {test}\n"
    both = sorted(read_all(train) + read_all(test), key=lambda document: document.id)
    assert both[1] == TextDocument("a goal", ("sport", "news"), "2")
    assert [document.id for document in both] == list("12345")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["stats", "absent.csv"], 1, "Cannot read absent.csv: No such file or directory."),
        (["stats", "docs.csv"], 1, "docs.csv, line 1: field 'text' is missing; the fields are 'key', 'body', 'tags'."),
        (["stats", "empty.jsonl"], 1, "empty.jsonl contains no documents."),
        (["stats", "docs.word"], 2, "docs.word must end in one of .jsonl"),
        (["convert", "docs.csv", "-"], 2, "- has no suffix that implies its format. Give the format with `--to`."),
        (["stats", "."], 1, ". is a directory. Give a file, and its format (`--from`)"),
        (["stats", "docs.csv", "--encoding", "utf-9"], 2, "encoding must be a text encoding of Python"),
        (["stats", "docs.csv", "--delimiter", "xy"], 2, "delimiter must be `tab` or one character"),
        (["stats", "docs.csv", "--largest-index", "0"], 2, "largest_index must be an integer between 1 and"),
        (["convert", "docs.csv", "docs.svm"], 2, "docs.csv contains texts (csv), but docs.svm would contain vectors"),
        (
            ["convert", "docs.csv", "absent/a.csv", "--text", "body"],
            1,
            "Cannot write absent/a.csv",
        ),
        (
            ["split", "docs.csv", "--train", "a.csv", "--test", "b.csv", "--test-size", "2", *CSV_OPTIONS],
            2,
            "test_size must lie",
        ),
    ],
)
def test_user_error_is_one_line(
    table: Path,
    arguments: list[str],
    code: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(table.parent)
    put(Path("empty.jsonl"), "")
    monkeypatch.setattr("sys.argv", ["setwise", "data", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {message}")
    assert sorted(path.name for path in table.parent.iterdir()) == ["docs.csv", "empty.jsonl"]


def test_user_error_in_a_process_of_its_own(table: Path) -> None:
    result = run("data", "convert", table, table.with_suffix(".svm"))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["stats"], ["split", "a.csv"], ["stats", "a.csv", "--on-error", "cry"]])
def test_usage_error(arguments: list[str]) -> None:
    result = run("data", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", ["stats", "convert", "split"])
def test_help_has_examples(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["setwise", "data", command, "--help"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 0
    assert f"setwise data {command} docs" in capsys.readouterr().out


def test_closed_pipe_ends_the_command_without_a_message(tmp_path: Path) -> None:
    source = put(tmp_path / "docs.txt", "some words\n" * 100_000)
    command = [str(COMMAND), "data", "convert", str(source), "-", "--to", "jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == '{"text":"some words","labels":[]}\n'
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["stats", "docs.jsonl"],
        ["convert", "docs.jsonl", "-", "--to", "csv"],
        ["convert", "docs.jsonl", "/dev/full", "--to", "parquet"],
    ],
)
def test_full_disk_is_reported_in_one_line(arguments: list[str], tmp_path: Path) -> None:
    put(tmp_path / "docs.jsonl", '{"text": "a", "labels": ["x"]}\n')
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [str(COMMAND), "data", *arguments], stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, check=False
        )
    assert result.returncode == 1
    assert result.stderr.startswith(b"error: ")
    assert result.stderr.endswith(b"No space left on device.\n")
    assert result.stderr.count(b"\n") == 1


def test_progress_bar_is_shown_only_on_a_terminal(table: Path) -> None:
    reader, terminal = pty.openpty()
    result = subprocess.run(
        [str(COMMAND), "data", "stats", str(table), "--json", *CSV_OPTIONS],
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm"},
        encoding="utf-8",
        check=True,
    )
    os.close(terminal)
    shown = os.read(reader, 100_000).decode()
    os.close(reader)
    assert "documents" in shown
    assert json.loads(result.stdout)["instances"] == 5


def test_labels_are_escaped_as_formulas_by_default(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.jsonl", [TextDocument("a", ("=x", "y"), "@1"), TextDocument("b", ("y",), "2")])
    parts = ("--train", tmp_path / "a.csv", "--test", tmp_path / "b.csv", "--test-size", "0.5", "--random")
    for option, cells in {"--escape-formulas": "'@1,a,'=x;y\n", "--no-escape-formulas": "@1,a,=x;y\n"}.items():
        assert call("data", "convert", tmp_path / "docs.jsonl", tmp_path / "docs.csv", option).returncode == 0
        assert cells in (tmp_path / "docs.csv").read_text(encoding="utf-8")
        assert call("data", "split", tmp_path / "docs.jsonl", *parts, option).returncode == 0
        assert cells in "".join((tmp_path / name).read_text(encoding="utf-8") for name in ("a.csv", "b.csv"))
