from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from setwise.data import Names, TextDocument, convert, open_documents, split
from setwise.data.formats import ReadOptions, WriteOptions
from setwise.exceptions import InvalidData, InvalidParameter
from tests.data.examples import TEXTS, VECTOR_NAMES, VECTORS, plain, put, read_all, vector, write_all


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (
            "a.jsonl",
            "b.svm",
            r"a\.jsonl contains texts \(jsonl\), but .*b\.svm would contain vectors \(libsvm\)\. Convert texts to",
        ),
        ("-", "b.svm", r"- contains texts \(jsonl or csv or tsv\), but .*b\.svm would contain vectors \(libsvm\)"),
        ("a.arff", "b.csv", r"a\.arff contains vectors \(meka\), but .*b\.csv would contain texts \(csv\)"),
    ],
)
def test_texts_are_no_vectors(tmp_path: Path, source: str, target: str, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        convert(source if source == "-" else tmp_path / source, tmp_path / target)


def test_numbered_labels_stay_numbers_and_get_names_where_a_format_needs_them(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.svm", "10,2 3:1\n2 1:1\n")
    convert(path, tmp_path / "copy.svm")
    assert (tmp_path / "copy.svm").read_text() == "10,2 3:1\n2 1:1\n"
    assert not (tmp_path / "labels.txt").exists()
    convert(path, tmp_path / "docs.arff")
    with open_documents(tmp_path / "docs.arff") as documents:
        assert documents.names == Names(("2", "10"), ("x1", "x2", "x3"))
        read = [plain(document) for document in documents]
    assert read == [plain(vector({2: 1.0}, ("2", "10"))), plain(vector({0: 1.0}, ("2",)))]


def test_labels_by_name_get_numbers(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.svm", "sport,news 1:1\n")
    convert(path, tmp_path / "copy.svm", ReadOptions(label_numbers="names"))
    assert (tmp_path / "copy.svm").read_text() == "1,0 1:1\n"
    assert (tmp_path / "labels.txt").read_text() == "news\nsport\n"
    assert not (tmp_path / "features.txt").exists()


def test_too_many_features_to_name(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.svm", "0 2000000000:1\n")
    with pytest.raises(InvalidData, match="has 2,000,000,000 features without names; at most 10,000,000 can be named"):
        convert(path, tmp_path / "docs.arff", ReadOptions(largest_index=2_000_000_000))


def test_a_file_is_never_converted_in_its_place(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.csv", "text,tags\na,x|y\n")
    (tmp_path / "link.csv").symlink_to(path)
    for target in (path, tmp_path / "link.csv"):
        with pytest.raises(InvalidParameter, match=r"docs\.csv would be overwritten by the output .*; choose another"):
            convert(path, target, ReadOptions(labels="tags", separator="|"))
    assert path.read_text() == "text,tags\na,x|y\n"
    assert not path.is_symlink()


def test_an_xml_file_that_is_read_is_never_changed(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    write_all(tmp_path / "input" / "docs.svm", VECTORS, VECTOR_NAMES)
    convert(tmp_path / "input" / "docs.svm", tmp_path / "a.arff", write_options=WriteOptions("mulan"))
    names = (tmp_path / "a.xml").read_bytes()
    convert(tmp_path / "a.arff", tmp_path / "a.arff.gz", write_options=WriteOptions("mulan"))  # the same names
    by_hand = names.replace(b"<labels", b"<!-- edited by hand --><labels")
    (tmp_path / "a.xml").write_bytes(by_hand)
    with pytest.raises(InvalidData, match=r"a\.xml contains other names than those of a\.arff\.gz"):
        convert(tmp_path / "a.arff", tmp_path / "a.arff.gz", write_options=WriteOptions("mulan"))
    assert (tmp_path / "a.xml").read_bytes() == by_hand


def test_a_failure_leaves_the_target_as_it_was(tmp_path: Path) -> None:
    source, target = put(tmp_path / "a.jsonl", '{"text": "a"}\n{\n'), put(tmp_path / "b.csv", "old")
    with pytest.raises(InvalidData, match="a.jsonl, line 2"):
        convert(source, target)
    assert target.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [source, target]


class Pipe:
    """Standard input and output as a command has them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
        self.out = io.BytesIO()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(self.out))


def test_from_standard_input_to_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe(monkeypatch, b"text,labels\na,x;y\n")
    convert("-", "-", ReadOptions(format="csv"), WriteOptions("jsonl"))
    assert pipe.out.getvalue() == b'{"text":"a","labels":["x","y"]}\n'
    pipe = Pipe(monkeypatch, b"3 1:1\n")
    convert("-", "-", ReadOptions(format="libsvm"), WriteOptions("libsvm"))
    assert pipe.out.getvalue() == b"3 1:1\n"


def test_what_a_pipe_cannot_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Pipe(monkeypatch, b"3 1:1\n")
    with pytest.raises(InvalidParameter, match="^- can be read only once, but this needs to read it twice"):
        convert("-", "-", ReadOptions(format="libsvm"), WriteOptions("meka"))
    write_all(tmp_path / "docs.svm", VECTORS, VECTOR_NAMES)
    with pytest.raises(
        InvalidParameter, match="^libsvm puts label names in a second file, which - does not have. Write it to a file"
    ):
        convert(tmp_path / "docs.svm", "-", write_options=WriteOptions("libsvm"))
    with pytest.raises(InvalidParameter, match="^- can be read only once"):
        split("-", tmp_path / "a.svm", tmp_path / "b.svm", ReadOptions(format="libsvm"))


def many(n: int) -> list[TextDocument]:
    return [TextDocument(f"text {i}", ("all",) if i % 3 else ("all", "third"), str(i)) for i in range(n)]


@pytest.mark.parametrize("stratified", [True, False])
def test_a_split_has_every_document_once_in_its_order(tmp_path: Path, stratified: bool) -> None:
    documents = many(100)
    write_all(tmp_path / "docs.jsonl", documents)
    train, test = tmp_path / "train.csv", tmp_path / "test.parquet"

    def run(random_state: int) -> tuple[Any, Any]:
        done = split(
            tmp_path / "docs.jsonl", train, test, test_size=0.3, random_state=random_state, stratified=stratified
        )
        assert done.n_written == (70, 30)
        return read_all(train), read_all(test)

    first = run(1)
    assert sorted((d for part in first for d in part), key=lambda d: int(d.id)) == documents
    for part in first:
        assert [int(d.id) for d in part] == sorted(int(d.id) for d in part)
    assert run(1) == first
    assert run(2) != first
    if stratified:
        assert sum("third" in d.labels for d in first[1]) == 10


def test_a_split_of_vectors_keeps_their_names(tmp_path: Path) -> None:
    put(tmp_path / "docs.svm", "0 1:1\n5 2:1\n5 3:1\n0 4:1\n")
    (tmp_path / "out").mkdir()
    split(tmp_path / "docs.svm", tmp_path / "out/a.arff", tmp_path / "out/b.arff", test_size=0.5)
    for name in "ab":
        with open_documents(tmp_path / f"out/{name}.arff") as documents:
            assert documents.names == Names(("0", "5"), ("x1", "x2", "x3", "x4"))
            assert sorted(document.labels or () for document in documents) == [("0",), ("5",)]


def test_bad_splits(tmp_path: Path) -> None:
    source = tmp_path / "docs.jsonl"
    write_all(source, [TextDocument("a"), TextDocument("b")])
    train, test = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    with pytest.raises(
        InvalidParameter, match=r"a\.jsonl would be overwritten by the output .*a\.jsonl; choose another"
    ):
        split(source, train, train)
    with pytest.raises(InvalidData, match="has no labels, which a stratified split needs. Split it at random"):
        split(source, train, test)
    with pytest.raises(InvalidParameter, match="^test_size must lie between 0 and 1; got 1.5"):
        split(source, train, test, test_size=1.5, stratified=False)
    write_all(source, TEXTS[:1])
    with pytest.raises(InvalidData, match="A split in 2 parts needs at least 2 documents; got 1"):
        split(source, train, test, stratified=False)
    assert list(tmp_path.iterdir()) == [source]
