"""LIBSVM as documents; its lines are tested with ``read_libsvm``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from setwise.data import Document, Names, open_documents
from setwise.exceptions import InvalidData, InvalidParameter
from tests.data.examples import VECTOR_NAMES, VECTORS, plain, put, read_all, vector, write_all


def documents_of(*documents: Document) -> list[Any]:
    return [plain(document) for document in documents]


def test_worked_example(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.svm.gz", "\ufeff0,2 3:-2e-1 1:0.5 2:0\n 2:1\n\n10,0,10\n")
    assert read_all(path) == documents_of(
        vector({0: 0.5, 2: -0.2}, ("0", "2")), vector({1: 1.0}), vector({}), vector({}, ("10", "0"))
    )


def test_names_stand_beside(tmp_path: Path) -> None:
    put(tmp_path / "labels.txt", "news\nsport \n")
    put(tmp_path / "features.txt", "ball\nvote")
    with open_documents(put(tmp_path / "docs.svm", "1,0 2:1\n")) as documents:
        assert documents.names == Names(("news", "sport"), ("ball", "vote"))
        assert documents_of(*documents) == documents_of(vector({1: 1.0}, ("sport", "news")))


def test_names_are_given_and_labels_count_from_1(tmp_path: Path) -> None:
    names, content = put(tmp_path / "tags", "news\nsport\n"), "1,2 1:1\n"
    path = put(tmp_path / "docs.svm", content)
    assert read_all(path, label_numbers="1", label_names=names)[0][2] == ("news", "sport")
    assert read_all(path, label_numbers="1")[0][2] == ("1", "2")
    with pytest.raises(InvalidData, match="line 1, column 1: labels must lie between 1 and 2; got 0"):
        read_all(put(path, "0 1:1\n"), label_numbers="1", label_names=names)


def test_labels_by_name(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.svm", "größe,news 1:1\n 1:1\n")
    assert [labels for _, _, labels, _ in read_all(path, label_numbers="names")] == [("größe", "news"), ()]
    names = put(tmp_path / "labels.txt", "news\n")
    with pytest.raises(InvalidData, match="line 1, column 1: labels must be among the 1 label names; got 'größe'"):
        read_all(path, label_numbers="names", label_names=names)
    with pytest.raises(InvalidData, match="must be UTF-8; got the byte 0xff"):
        read_all(put(path, b"\xff 1:1\n"), label_numbers="names")


def test_a_bad_line_is_told_and_can_be_skipped(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.svm", "0 1:1\n" * 300 + "0 x\n" + "1 1:1\n" * 300 + "0 1:1 1:2\n")
    with pytest.raises(InvalidData, match="line 301, column 3: an entry must be"):
        read_all(path)
    assert len(read_all(path, on_error="skip")) == 600


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("a\na\n", "must name each label once; got 'a' twice"),
        ("a\n\nb\n", "must name each label once; got an empty one"),
        (b"a\n\xff\n", r"labels\.txt, line 2, column 1: text must be UTF-8; got the byte 0xff"),
    ],
)
def test_bad_names(tmp_path: Path, labels: str | bytes, message: str) -> None:
    put(tmp_path / "labels.txt", labels)
    with pytest.raises(InvalidData, match=message):
        read_all(put(tmp_path / "docs.svm", "0 1:1\n"))
    with pytest.raises(InvalidData, match="Cannot read .*absent: No such file"):
        read_all(tmp_path / "docs.svm", label_names=tmp_path / "absent")


def test_label_numbers_are_one_of_three(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"^label_numbers must be '0', '1' or 'names'; got '2'\.$"):
        read_all(tmp_path / "docs.svm", label_numbers="2")


def test_what_is_written(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.svm", VECTORS, VECTOR_NAMES)
    assert (tmp_path / "docs.svm").read_text() == "0,1 1:0.5 3:-0.2\n 2:1\n2\n1 1:1e-30 2:3e+30\n"
    assert (tmp_path / "labels.txt").read_text(encoding="utf-8") == "news\nsport\ngröße in cm\n"
    assert (tmp_path / "features.txt").read_text() == "ball\nit's 100 %\nvote {\\}\n"


def test_names_of_other_data_in_the_folder_are_not_touched(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.svm", VECTORS, VECTOR_NAMES)
    write_all(tmp_path / "same.svm", VECTORS[:1], VECTOR_NAMES)
    message = r"labels\.txt contains other names than those of other\.svm\. Write other\.svm"
    with pytest.raises(InvalidData, match=message):
        write_all(tmp_path / "other.svm", [vector({}, ("a",))], Names(("a",), VECTOR_NAMES.features))
    with pytest.raises(InvalidData, match=message):
        write_all(tmp_path / "other.svm", [vector({}, ("0",))], Names(numbered=True))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs.svm", "features.txt", "labels.txt", "same.svm"]


@pytest.mark.parametrize(
    ("names", "label", "message"),
    [
        (Names(("a",)), "b", "Document 1 cannot be written: a label must be among the 1 label names; got 'b'"),
        (Names(numbered=True), "b", "Document 1 cannot be written: labels must be whole numbers .*; got 'b'"),
        (Names(("a\nb",)), "a\nb", r"Names of labels must not contain line ends; got 'a\\nb'"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, names: Names, label: str, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        write_all(tmp_path / "docs.svm", [vector({}, (label,))], names)
    assert list(tmp_path.iterdir()) == []
