"""No command writes over a file that it reads, or over another of its outputs, and all paths are checked first."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from setwise import SetClassifier
from setwise.models import BinaryRelevance
from setwise.persistence import save
from setwise.text import TextVectorizer
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import COMMAND, call, run
from tests.data.examples import VECTOR_NAMES, VECTORS, write_all

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return partial(call, monkeypatch, capsys)


@pytest.fixture(scope="module")
def model_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    documents = news(30)
    words = TextVectorizer()
    X = words.fit_transform([str(one["text"]) for one in documents])
    classifier = SetClassifier(BinaryRelevance(n_jobs=1), "support", "gfm", calibration=None)
    path = tmp_path_factory.mktemp("model") / "m.setwise"
    save(path, classifier.fit(X, [one["labels"] for one in documents]), words)
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_bytes: bytes) -> Path:
    """Documents, a model, vectors with their names, and links to the documents, in the current folder."""
    write_jsonl(tmp_path / "d.jsonl", news(30))
    write_jsonl(tmp_path / "v.jsonl", news(10, random_state=1))
    (tmp_path / "m.setwise").write_bytes(model_bytes)
    (tmp_path / "soft.jsonl").symlink_to("d.jsonl")
    (tmp_path / "hard.jsonl").hardlink_to(tmp_path / "d.jsonl")
    (tmp_path / "new.jsonl").symlink_to("absent.jsonl")
    (tmp_path / "here").symlink_to(".")
    (tmp_path / "vectors").mkdir()
    write_all(tmp_path / "vectors" / "x.svm", VECTORS, VECTOR_NAMES)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


OVERWRITTEN = [
    ("train d.jsonl -o d.jsonl", "d.jsonl", "d.jsonl"),
    ("train d.jsonl -o ./d.jsonl", "d.jsonl", "./d.jsonl"),
    ("train d.jsonl -o soft.jsonl", "d.jsonl", "soft.jsonl"),
    ("train soft.jsonl -o d.jsonl", "soft.jsonl", "d.jsonl"),
    ("train d.jsonl -o hard.jsonl", "d.jsonl", "hard.jsonl"),
    ("train d.jsonl -o here/d.jsonl", "d.jsonl", "here/d.jsonl"),
    ("train d.jsonl --valid v.jsonl -o v.jsonl", "v.jsonl", "v.jsonl"),
    ("train d.jsonl -o m.setwise --resume d.jsonl", "d.jsonl", "d.jsonl"),
    ("train d.jsonl -o new.m --resume ./new.m", "new.m", "./new.m"),
    ("train d.jsonl -o new.jsonl --resume absent.jsonl", "new.jsonl", "absent.jsonl"),
    ("train vectors/x.svm -o vectors/labels.txt", "vectors/labels.txt", "vectors/labels.txt"),
    ("train vectors/x.svm --feature-names v.jsonl -o v.jsonl", "v.jsonl", "v.jsonl"),
    ("predict m.setwise d.jsonl -o d.jsonl", "d.jsonl", "d.jsonl"),
    ("predict m.setwise d.jsonl -o m.setwise --format jsonl", "m.setwise", "m.setwise"),
    ("predict m.setwise vectors/x.svm -o vectors/features.txt --format csv", *["vectors/features.txt"] * 2),
    ("data convert d.jsonl d.jsonl", "d.jsonl", "d.jsonl"),
    ("data convert d.jsonl hard.jsonl", "d.jsonl", "hard.jsonl"),
    ("data convert vectors/x.svm vectors/labels.txt --to libsvm", "vectors/labels.txt", "vectors/labels.txt"),
    ("data split d.jsonl --train d.jsonl --test t.jsonl", "d.jsonl", "d.jsonl"),
    ("data split d.jsonl --train t.jsonl --test soft.jsonl", "d.jsonl", "soft.jsonl"),
    ("data split d.jsonl --train a.jsonl --test ./a.jsonl", "a.jsonl", "./a.jsonl"),
    ("data split d.jsonl --train new.jsonl --test absent.jsonl", "new.jsonl", "absent.jsonl"),
    ("data split vectors/x.svm --train t.svm --test labels.txt --to libsvm", "labels.txt", "labels.txt"),
    ("demo -o a.jsonl --held-out ./a.jsonl", "a.jsonl", "./a.jsonl"),
]


@pytest.mark.parametrize(("arguments", "used", "output"), OVERWRITTEN, ids=[one[0] for one in OVERWRITTEN])
def test_an_output_that_is_another_file_of_the_command_is_refused_before_any_work(
    folder: Path, command: Call, arguments: str, used: str, output: str
) -> None:
    before = contents(folder)
    code, out, err = command(*arguments.split())
    message = f"error: {used} would be overwritten by the output {output}; choose another output file.\n"
    assert (code, out, err) == (2, "", message)
    assert contents(folder) == before


def test_redirected_streams_are_files_too(folder: Path) -> None:
    before = contents(folder)
    for source, target, options in (("-", "d.jsonl", "<d.jsonl"), ("d.jsonl", "-", ">>d.jsonl")):
        ended = run_shell(f"data convert {source} {target} --from jsonl --to jsonl {options}")
        assert ended[0] == 2
        assert "would be overwritten by the output" in ended[1]
    assert contents(folder) == before


def run_shell(arguments: str) -> tuple[int, str]:
    ended = subprocess.run(f"'{COMMAND}' {arguments}", shell=True, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr


def test_outputs_beside_the_inputs_are_fine(folder: Path, command: Call) -> None:
    (folder / "other").mkdir()
    for arguments in (
        "data convert vectors/x.svm other/x.svm",
        "data convert vectors/x.svm vectors/y.svm",  # shares labels.txt and features.txt
        "data split d.jsonl --train /dev/null --test /dev/null --to jsonl",
        "predict m.setwise d.jsonl -o p.jsonl",
    ):
        code, _, err = command(*arguments.split())
        assert code == 0, err
    assert (folder / "other" / "labels.txt").read_bytes() == (folder / "vectors" / "labels.txt").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["train", "d.jsonl", "-o", "-"], 2, "- is standard output; give the name of a file."),
        (["train", "d.jsonl", "-o", "m", "--resume", "-"], 2, "- is standard output; give the name of a file."),
        (["demo", "--held-out", "-"], 2, "- is standard output; give the name of a file."),
        (["demo", "--held-out", "held.svm"], 2, "held.svm must have the ending of a format of texts, such as .jsonl."),
        (["train", "d.jsonl", "-o", ""], 2, "The name of a file must not be empty."),
        (["train", "", "-o", "m"], 2, "The name of a file must not be empty."),
        (["train", "d.jsonl", "-o", "m", "--valid", ""], 2, "The name of a file must not be empty."),
        (["predict", "", "d.jsonl"], 2, "The name of a file must not be empty."),
        (["demo", "-o", ""], 2, "The name of a file must not be empty."),
        (["train", "d.jsonl", "-o", "d.jsonl/m"], 1, "d.jsonl/m must be a file that can be written; Not a directory."),
        (
            ["train", "d.jsonl", "-o", "x" * 256],
            1,
            f"{'x' * 256} must be a file that can be written; File name too long.",
        ),
        (
            ["train", "d.jsonl", "-o", "m", "--valid", "gone.jsonl"],
            1,
            "gone.jsonl must be a file that can be read; No such file or directory.",
        ),
        (["train", "d.jsonl", "-o", "m", "--label-names", "gone"], 1, "gone must be a file that can be read; No such"),
        (
            ["train", "d.jsonl", "-o", "m", "--resume", "/dev/full"],
            1,
            "/dev/full must be a file for finished settings;",
        ),
        (
            ["train", "d.jsonl", "-o", "m", "--resume", "/dev/null"],
            1,
            "/dev/null must be a file for finished settings;",
        ),
        (["train", "d.jsonl", "-o", "m", "--resume", "pipe"], 1, "pipe must be a file for finished settings;"),
        (["train", "d.jsonl", "-o", "m", "--resume", "vectors"], 1, "vectors must be a file for finished settings;"),
        (["train", "d.jsonl", "-o", "m", "--resume", "v.jsonl"], 1, "v.jsonl must be a file of finished settings that"),
        (
            ["train", "d.jsonl", "-o", "m", "--resume", "d.jsonl/x"],
            1,
            "d.jsonl/x must be a file that can be written; Not",
        ),
        (["predict", "gone", "d.jsonl"], 1, "gone must be a file that can be read; No such file or directory.\n"),
        (["evaluate", "gone", "d.jsonl"], 1, "gone must be a file that can be read; No such file or directory.\n"),
        (["inspect", "gone"], 1, "gone must be a file that can be read; No such file or directory.\n"),
        (["predict", "here", "d.jsonl"], 1, "here must be a file that can be read; Is a directory.\n"),
        (["data", "convert", "d.jsonl", "d.jsonl/x.csv"], 1, "d.jsonl/x.csv must be a file that can be written; Not a"),
    ],
)
def test_paths_are_checked_before_anything_is_read(
    folder: Path, command: Call, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, message: str
) -> None:
    before = contents(folder)
    monkeypatch.setattr("setwise.data.reading.open_source", unexpected)
    monkeypatch.setattr("setwise.data.docstrings.collect_docstrings", unexpected)
    ended, out, err = command(*arguments)
    assert (ended, out, err.count("\n")) == (code, "", 1)
    assert err.startswith(f"error: {message}")
    assert contents(folder) == before


def unexpected(*_: object) -> None:
    raise AssertionError("something was read before the paths were checked")


def test_the_longest_name_that_a_folder_takes_is_written(folder: Path, command: Call) -> None:
    name = "x" * (os.pathconf(folder, "PC_NAME_MAX") - len(".jsonl")) + ".jsonl"
    code, _, err = command("predict", "m.setwise", "d.jsonl", "-o", name)
    assert code == 0, err
    assert (folder / name).stat().st_size > 0


def test_a_page_that_would_overwrite_rows_or_the_index_is_refused(tmp_path: Path, command: Call) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "tiny.jsonl").write_bytes(b"{}\n")
    for page in (tmp_path / "rows" / "tiny.jsonl", tmp_path / "index.html"):
        code, _, err = command("reproduce", "--quick", "--output", tmp_path, "--page", page)
        assert (code, err) == (
            2,
            f"error: {page} would be overwritten by the output {page}; choose another output file.\n",
        )
    assert (tmp_path / "rows" / "tiny.jsonl").read_bytes() == b"{}\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_told_at_once(folder: Path, command: Call) -> None:
    (folder / "closed").mkdir(mode=0o500)
    _, _, err = command("train", "d.jsonl", "-o", "closed/m")
    assert err == "error: closed/m must be a file that can be written; Permission denied.\n"


def test_a_pipe_of_the_shell_can_be_written(folder: Path) -> None:
    ended = run("data", "convert", "d.jsonl", "/dev/stdout", "--to", "jsonl")
    assert (ended.returncode, len(ended.stdout.splitlines())) == (0, 30), ended.stderr
