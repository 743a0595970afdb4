"""No command overwrites a file that it reads or another of its outputs, and all paths are checked first."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
from pathlib import Path

import pytest

from setwise import SetClassifier
from setwise.models import BinaryRelevance
from setwise.text import TextVectorizer
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import COMMAND, call, run
from tests.data.examples import VECTOR_NAMES, VECTORS, write_all


@pytest.fixture(scope="module")
def model_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    documents = news(30)
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform([document["text"] for document in documents])
    classifier = SetClassifier(BinaryRelevance(n_jobs=1), "support", "gfm", calibration=None)
    path = tmp_path_factory.mktemp("model") / "m.setwise"
    classifier.fit(X, [document["labels"] for document in documents]).save(path, vectorizer)
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_bytes: bytes) -> Path:
    """The current folder, with documents, a model, vectors with names, and links to the documents."""
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


@pytest.mark.parametrize(("arguments", "used", "output"), OVERWRITTEN, ids=[case[0] for case in OVERWRITTEN])
def test_output_that_would_overwrite_a_used_file_is_refused_first(
    folder: Path, arguments: str, used: str, output: str
) -> None:
    before = contents(folder)
    result = call(*arguments.split())
    message = f"error: {used} would be overwritten by the output {output}; choose another output file.\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", message)
    assert contents(folder) == before


def test_redirected_streams_are_checked_as_files(folder: Path) -> None:
    before = contents(folder)
    for source, target, options in (("-", "d.jsonl", "<d.jsonl"), ("d.jsonl", "-", ">>d.jsonl")):
        ended = run_shell(f"data convert {source} {target} --from jsonl --to jsonl {options}")
        assert ended[0] == 2
        assert "would be overwritten by the output" in ended[1]
    assert contents(folder) == before


def run_shell(arguments: str) -> tuple[int, str]:
    ended = subprocess.run(f"'{COMMAND}' {arguments}", shell=True, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr


def test_outputs_next_to_the_inputs_are_written(folder: Path) -> None:
    (folder / "other").mkdir()
    for arguments in (
        "data convert vectors/x.svm other/x.svm",
        "data convert vectors/x.svm vectors/y.svm",  # shares labels.txt and features.txt
        "data split d.jsonl --train /dev/null --test /dev/null --to jsonl",
        "predict m.setwise d.jsonl -o p.jsonl",
    ):
        result = call(*arguments.split())
        assert result.returncode == 0, result.stderr
    assert (folder / "other" / "labels.txt").read_bytes() == (folder / "vectors" / "labels.txt").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["train", "d.jsonl", "-o", "-"], 2, "- is standard output; give the name of a file."),
        (["train", "d.jsonl", "-o", "m", "--resume", "-"], 2, "- is standard output; give the name of a file."),
        (["demo", "--held-out", "-"], 2, "- is standard output; give the name of a file."),
        (["demo", "--held-out", "held.svm"], 2, "held.svm is not a text format. Use a suffix such as .jsonl."),
        (["train", "d.jsonl", "-o", ""], 2, "The name of a file must not be empty."),
        (["train", "", "-o", "m"], 2, "The name of a file must not be empty."),
        (["train", "d.jsonl", "-o", "m", "--valid", ""], 2, "The name of a file must not be empty."),
        (["predict", "", "d.jsonl"], 2, "The name of a file must not be empty."),
        (["demo", "-o", ""], 2, "The name of a file must not be empty."),
        (["train", "d.jsonl", "-o", "d.jsonl/m"], 1, "Cannot write d.jsonl/m: Not a directory."),
        (
            ["train", "d.jsonl", "-o", "x" * 256],
            1,
            f"Cannot write {'x' * 256}: File name too long.",
        ),
        (
            ["train", "d.jsonl", "-o", "m", "--valid", "gone.jsonl"],
            1,
            "Cannot read gone.jsonl: No such file or directory.",
        ),
        (["train", "d.jsonl", "-o", "m", "--label-names", "gone"], 1, "Cannot read gone: No such"),
        (
            ["train", "d.jsonl", "-o", "m", "--resume", "/dev/full"],
            1,
            "/dev/full is a folder, a pipe or a device. Hint: ",
        ),
        (
            ["train", "d.jsonl", "-o", "m", "--resume", "/dev/null"],
            1,
            "/dev/null is a folder, a pipe or a device. Hint: ",
        ),
        (["train", "d.jsonl", "-o", "m", "--resume", "pipe"], 1, "pipe is a folder, a pipe or a device. Hint: "),
        (["train", "d.jsonl", "-o", "m", "--resume", "vectors"], 1, "vectors is a folder, a pipe or a device. Hint: "),
        (
            ["train", "d.jsonl", "-o", "m", "--resume", "v.jsonl"],
            1,
            "v.jsonl is not a checkpoint that setwise wrote. Hint: ",
        ),
        (
            ["train", "d.jsonl", "-o", "m", "--resume", "d.jsonl/x"],
            1,
            "Cannot write d.jsonl/x: Not",
        ),
        (["predict", "gone", "d.jsonl"], 1, "Cannot read gone: No such file or directory.\n"),
        (["evaluate", "gone", "d.jsonl"], 1, "Cannot read gone: No such file or directory.\n"),
        (["inspect", "gone"], 1, "Cannot read gone: No such file or directory.\n"),
        (["predict", "here", "d.jsonl"], 1, "Cannot read here: Is a directory.\n"),
        (["data", "convert", "d.jsonl", "d.jsonl/x.csv"], 1, "Cannot write d.jsonl/x.csv: Not a"),
    ],
)
def test_paths_are_checked_before_anything_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, message: str
) -> None:
    before = contents(folder)
    monkeypatch.setattr("setwise.data.reading.open_source", unexpected)
    monkeypatch.setattr("setwise.data.collect_docstrings", unexpected)
    result = call(*arguments)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (code, "", 1)
    assert result.stderr.startswith(f"error: {message}")
    assert contents(folder) == before


def unexpected(*_: object) -> None:
    raise AssertionError("something was read before the paths were checked")


def test_longest_possible_file_name_is_written(folder: Path) -> None:
    name = "x" * (os.pathconf(folder, "PC_NAME_MAX") - len(".jsonl")) + ".jsonl"
    result = call("predict", "m.setwise", "d.jsonl", "-o", name)
    assert result.returncode == 0, result.stderr
    assert (folder / name).stat().st_size > 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_without_permission_is_reported_first(folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o500)
    result = call("train", "d.jsonl", "-o", "closed/m")
    assert result.stderr == "error: Cannot write closed/m: Permission denied.\n"


def test_dev_stdout_can_be_written(folder: Path) -> None:
    ended = run("data", "convert", "d.jsonl", "/dev/stdout", "--to", "jsonl")
    assert (ended.returncode, len(ended.stdout.splitlines())) == (0, 30), ended.stderr


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no sockets with names")
def test_paths_that_cannot_be_used_are_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.jsonl")
        assert call("data", "convert", "d.jsonl", "s.jsonl").stderr.endswith(f"{os.strerror(errno.ENXIO)}.\n")
    for name, sentence in (("", "must not be empty"), ("a\0b.jsonl", "must not contain a null character")):
        result = call("data", "convert", "d.jsonl", name)
        assert (result.returncode, result.stdout) == (2, "")
        assert f"The name of a file {sentence}" in result.stderr
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert call("predict", "m.setwise", "d.jsonl").stderr.endswith("Permission denied.\n")  # nothing can be read
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.W_OK)
    assert call("predict", "m.setwise", "d.jsonl", "-o", "n").stderr == "error: Cannot write n: Permission denied.\n"
