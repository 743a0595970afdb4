"""Data through every pair of formats that can hold it is equal."""

from __future__ import annotations

import re
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise.data import Names, TextDocument, VectorDocument, convert, open_documents
from setwise.data.formats import ReadOptions, WriteOptions
from tests.data.examples import (
    BLANKS,
    LABELS,
    ONE_WORD,
    TEXTS,
    VECTOR_NAMES,
    VECTORS,
    plain,
    put,
    read_all,
    text_documents,
    vector,
    vector_documents,
    write_all,
)

FULL_TEXTS = ["jsonl", "csv", "tsv", "parquet"]
TEXT_PAIRS = list(permutations([*FULL_TEXTS, "jsonl.gz", "csv.gz"], 2))
NOT_IN_TABLES = ";"
# What an xml file cannot hold at all.
NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

few = settings(max_examples=40)


def as_line(document: TextDocument) -> TextDocument:
    """Return the part of a document that fastText's format can store."""
    return TextDocument(re.sub(r"\r\n|\r|\n", " ", document.text).strip(BLANKS), document.labels or ())


@few
@given(text_documents(LABELS.filter(lambda label: NOT_IN_TABLES not in label)), st.sampled_from(TEXT_PAIRS))
def test_texts(tmp_path_factory: pytest.TempPathFactory, documents: list[TextDocument], pair: tuple[str, str]) -> None:
    folder = tmp_path_factory.mktemp("texts")
    first, second = (folder / f"docs.{ending}" for ending in pair)
    write_all(first, documents)
    assert read_all(first) == documents
    done = convert(first, second)
    assert read_all(second) == documents
    assert (done.n_written, done.ids_lost, done.problems.n_skipped) == ((len(documents),), False, 0)


@few
@given(text_documents(ONE_WORD.filter(lambda label: NOT_IN_TABLES not in label)), st.sampled_from(FULL_TEXTS))
def test_texts_through_lines_of_fasttext(
    tmp_path_factory: pytest.TempPathFactory, documents: list[TextDocument], ending: str
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    write_all(folder / f"docs.{ending}", documents)
    done = convert(folder / f"docs.{ending}", folder / "docs.txt")
    expected = [as_line(document) for document in documents]
    assert read_all(folder / "docs.txt") == expected
    assert done.ids_lost == (documents[0].id is not None)
    convert(folder / "docs.txt", folder / f"back.{ending}")
    assert read_all(folder / f"back.{ending}") == expected


def test_one_set_of_texts_through_all_formats_in_a_row(tmp_path: Path) -> None:
    endings = ["jsonl", "csv", "parquet", "tsv", "jsonl.gz", "tsv.gz", "csv.gz", "jsonl"]
    write_all(tmp_path / "0.jsonl", TEXTS)
    for step, (before, after) in enumerate(pairwise(endings)):
        convert(tmp_path / f"{step}.{before}", tmp_path / f"{step + 1}.{after}")
        assert read_all(tmp_path / f"{step + 1}.{after}") == TEXTS
    assert (tmp_path / "0.jsonl").read_bytes() == (tmp_path / "7.jsonl").read_bytes()


VECTOR_FORMATS = {"libsvm": "svm", "meka": "arff", "mulan": "arff.gz"}


def vectors_of(path: Path) -> tuple[list[object], Names]:
    with open_documents(path) as documents:
        return [plain(document) for document in documents], documents.names


@few
@given(vector_documents(), st.sampled_from(list(permutations(VECTOR_FORMATS, 2))))
def test_vectors_and_all_names(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[list[VectorDocument], Names], pair: tuple[str, str]
) -> None:
    documents, names = drawn
    every = (names.labels or ()) + (names.features or ())
    if any("\n" in name or "\r" in name or NOT_IN_XML.search(name) for name in every):
        return  # neither a list of names nor an xml file can hold them: tests of their own say so
    folder = tmp_path_factory.mktemp("vectors")
    first, second = (folder / f"docs-{format}.{VECTOR_FORMATS[format]}" for format in pair)
    write_all(folder / "docs.arff", documents, names)
    expected = ([plain(document) for document in documents], names)
    assert vectors_of(folder / "docs.arff") == expected
    for source, target, format in ((folder / "docs.arff", first, pair[0]), (first, second, pair[1])):
        convert(source, target, write_options=WriteOptions(format))
        assert vectors_of(target) == expected


LINES = st.tuples(
    st.sets(st.integers(0, 12), max_size=2).map(lambda labels: ",".join(map(str, sorted(labels)))),
    st.sets(st.integers(1, 3), max_size=2).map(
        lambda features: "".join(f" {feature}:1" for feature in sorted(features))
    ),
)
CORPORA = st.one_of(
    st.lists(LINES, min_size=1, max_size=4),
    st.lists(LINES.map(lambda line: ("", line[1])), min_size=1, max_size=3),  # no labels at all
    st.lists(LINES.map(lambda line: (line[0], "")), min_size=1, max_size=3),  # no features at all
    st.lists(st.just(("", "")), min_size=1, max_size=3),
)


@few
@given(CORPORA, st.permutations(["libsvm", "meka", "mulan"]))
def test_vectors_without_labels_or_features(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, str]], formats: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    source = folder / "docs.svm"
    source.write_text("".join(f"{labels}{features}\n" for labels, features in lines))
    expected = vectors_of(source)[0]
    for step, format in enumerate(formats):
        target = folder / str(step) / f"docs.{VECTOR_FORMATS[format]}"
        target.parent.mkdir()
        convert(source, target, write_options=WriteOptions(format))
        assert vectors_of(target)[0] == expected
        source = target


def test_labels_that_differ_by_a_blank_beyond_ascii(tmp_path: Path) -> None:
    documents = [TextDocument("a", ("1", "1\xa0"))]
    for ending in [*FULL_TEXTS, "txt"]:
        write_all(tmp_path / f"docs.{ending}", documents)
        assert read_all(tmp_path / f"docs.{ending}") == documents
    put(tmp_path / "docs.svm", "1\xa0,1 1:1\n")
    (tmp_path / "copy").mkdir()
    convert(tmp_path / "docs.svm", tmp_path / "copy/docs.svm", ReadOptions(label_numbers="names"))
    convert(tmp_path / "copy/docs.svm", tmp_path / "docs.arff")
    assert vectors_of(tmp_path / "copy/docs.svm")[1].labels == ("1", "1\xa0")
    assert vectors_of(tmp_path / "docs.arff")[1].labels == ("1", "1\xa0")


def test_a_name_that_begins_as_a_mark_of_byte_order_does(tmp_path: Path) -> None:
    names = Names(("\ufeffa", "b"), ("\ufefff",))
    write_all(tmp_path / "docs.svm", [vector({0: 1.0}, ("\ufeffa",))], names)
    assert vectors_of(tmp_path / "docs.svm")[1] == names


def test_worked_vectors_and_their_names(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.svm", VECTORS, VECTOR_NAMES)
    convert(tmp_path / "docs.svm", tmp_path / "a.arff", write_options=WriteOptions("mulan"))
    assert (tmp_path / "a.xml").is_file()
    convert(tmp_path / "a.arff", tmp_path / "b.arff")
    convert(tmp_path / "b.arff", tmp_path / "c.svm.gz")
    assert vectors_of(tmp_path / "c.svm.gz") == ([plain(document) for document in VECTORS], VECTOR_NAMES)
