from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.data import TextDocument, WriteOptions, escape_formula, open_writer
from setwise.data.formats.delimited import unescape_formula
from setwise.exceptions import InvalidData, InvalidParameter
from tests.data.examples import TEXTS, put, read_all, write_all

WORKED = 'id,text,labels\n1,"a, ""b""\r\nc",x; y;x\n\n2,d,\n3,"",z\n'
EXPECTED = [TextDocument('a, "b"\r\nc', ("x", "y"), "1"), TextDocument("d", (), "2"), TextDocument("", ("z",), "3")]


@pytest.mark.parametrize("name", ["docs.csv", "docs.csv.gz"])
def test_worked_example(tmp_path: Path, name: str) -> None:
    assert read_all(put(tmp_path / name, WORKED)) == EXPECTED


def test_worked_example_with_tabs(tmp_path: Path) -> None:
    content = 'text\tlabels\nshe, he\tx;y\r\n"tab\there"\t\n'
    assert read_all(put(tmp_path / "docs.tsv", content)) == [
        TextDocument("she, he", ("x", "y")),
        TextDocument("tab\there", ()),
    ]


def test_what_is_written(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.csv", TEXTS)
    assert (tmp_path / "docs.csv").read_bytes().decode() == (
        "id,text,labels\n"
        "a,Rain in May,weather\n"
        'b,"He said ""no"",\nand went; twice",politics;sport\n'
        'c,"",""\n'
        "d,Ünïcode\twörds 語,größe\n"
    )


def test_columns_go_by_other_names_and_labels_by_another_separator(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.csv", "body,n,tags,key\na,1,x|y;z,k\n")
    assert read_all(path, text="body", labels="tags", id="key", separator="|") == [TextDocument("a", ("x", "y;z"), "k")]


def test_without_a_column_of_labels_none_are_known(tmp_path: Path) -> None:
    assert read_all(put(tmp_path / "docs.csv", "\ufefftext\na\n")) == [TextDocument("a", None, None)]


def test_a_text_may_be_longer_than_pythons_own_limit(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.csv", "text\n" + "a" * 200_000 + "\n")
    assert len(read_all(path)[0].text) == 200_000


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,b\n", r"line 3: a row must have 3 fields, as the header has; got 2\."),
        ("1,b,c,d\n", r"line 3: a row must have 3 fields, as the header has; got 4\."),
        ('1,"b"c,x\n', r"line 3: a row must be complete, with matching quotation marks; ',' expected after '\"'\."),
        ("1,b,x;;y\n", r"line 3: field 'labels' must not contain an empty label\."),
        (b"1,\xe9,x\n", r"line 3, column 3: text must be UTF-8; got the byte 0xe9\."),
        ("1,a\rb,x\n", "line 3: a row must be complete, with matching quotation marks; new-line character seen"),
    ],
)
def test_a_bad_row_is_told_and_can_be_skipped(tmp_path: Path, rows: str | bytes, message: str) -> None:
    bad = rows if isinstance(rows, bytes) else rows.encode()
    path = put(tmp_path / "docs.csv", b"id,text,labels\n0,first,x\n" + bad + b'4,"la\nst",y\n')
    with pytest.raises(InvalidData, match=message):
        read_all(path)
    assert [document.text for document in read_all(path, on_error="skip")] == ["first", "la\nst"]


def test_the_line_told_is_where_the_row_begins(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.csv", 'text,labels\n"a\n\nb",x\n"c\nd"\n')
    with pytest.raises(InvalidData, match="line 5: a row must have 2 fields"):
        read_all(path)


def test_a_quotation_mark_that_is_not_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path / "docs.csv", 'text\na\n"b\nc\n')
    with pytest.raises(InvalidData, match="line 3: a row must be complete, .*; unexpected end of data"):
        read_all(path)
    monkeypatch.setattr("csv.field_size_limit", lambda *_: 5)
    assert read_all(path, on_error="skip") == [TextDocument("a")]


@pytest.mark.parametrize(
    ("head", "options", "message"),
    [
        ("body,labels", {}, r"line 1: field 'text' is missing; the fields are 'body', 'labels'\."),
        ("text", {"labels": "tags"}, "line 1: field 'tags' is missing; the fields are 'text'"),
        ("text,id,text", {}, r"line 1: field 'text' must occur once; it occurs 2 times\."),
        ("a,b,c,d,e,f,g,h", {}, r"the fields are 'a', 'b', 'c', 'd', 'e', 'f', \.\.\.\."),
        ('"text', {}, "line 1: a row must be complete"),
        (b"te\xffxt", {}, "line 1: text must be UTF-8; got the byte 0xff"),
    ],
)
def test_a_bad_head_is_told_and_cannot_be_skipped(
    tmp_path: Path, head: str | bytes, options: dict[str, Any], message: str
) -> None:
    path = put(tmp_path / "docs.csv", (head if isinstance(head, bytes) else head.encode()) + b"\na,b\n")
    for on_error in ("stop", "skip"):
        with pytest.raises(InvalidData, match=message):
            read_all(path, on_error=on_error, **options)


@pytest.mark.parametrize("content", ["", "\n\n", "text,labels\n"])
def test_no_documents(tmp_path: Path, content: str) -> None:
    with pytest.raises(InvalidData, match=r"docs.csv contains no documents\.$"):
        read_all(put(tmp_path / "docs.csv", content))


def test_ids_and_labels_for_all_documents_or_for_none(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="Document 2 cannot be written: a table must have an id for every document"):
        write_all(tmp_path / "docs.csv", [TextDocument("a", id="1"), TextDocument("b")])
    with pytest.raises(InvalidData, match="Document 2 cannot be written: a table must have labels for every document"):
        write_all(tmp_path / "docs.csv", [TextDocument("a"), TextDocument("b", ())])


def test_a_label_with_the_separator_needs_another_separator(tmp_path: Path) -> None:
    documents = [TextDocument("a", ("x;y", "z"))]
    with pytest.raises(
        InvalidData, match=r"Document 1 .*labels must not contain the separator ';'; got 'x;y;z'\. Hint"
    ):
        write_all(tmp_path / "docs.csv", documents)
    with open_writer(tmp_path / "docs.csv", options=WriteOptions(separator="||")) as write:
        write(documents[0])
    assert read_all(tmp_path / "docs.csv", separator="||") == documents


@pytest.mark.parametrize("separator", ["", "\n", "  ", 'a"'])
def test_bad_separators(separator: str) -> None:
    with pytest.raises(InvalidParameter, match="^separator must"):
        WriteOptions(separator=separator)


FORMULAS = ["=1+1", "+a", "-a", "@a", "\ta", "\ra"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_cell_that_begins_like_a_formula_gets_an_apostrophe(cell: str) -> None:
    assert escape_formula(cell) == "'" + cell
    assert escape_formula("''" + cell) == "'''" + cell


@pytest.mark.parametrize("cell", ["", "a=1", "'tis", "''", "a-b", " =1"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert escape_formula(cell) == unescape_formula(cell) == cell


@given(st.text(st.sampled_from("'=+-@\t\ra "), max_size=8))
def test_unescaping_undoes_escaping(cell: str) -> None:
    assert unescape_formula(escape_formula(cell)) == cell


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_labels_are_escaped_one_by_one_and_texts_not_at_all(tmp_path: Path, ending: str) -> None:
    documents = [TextDocument("=text", ("=cmd()", "plain", "-x", "'=y"), "@1")]
    path = tmp_path / f"docs.{ending}"
    with open_writer(path) as write:
        write(documents[0])
    gap = {"csv": ",", "tsv": "\t"}[ending]
    assert path.read_text(encoding="utf-8").splitlines()[1] == gap.join(["'@1", "=text", "'=cmd();plain;'-x;''=y"])
    assert read_all(path) == documents


def test_escaping_can_be_switched_off(tmp_path: Path) -> None:
    with open_writer(tmp_path / "docs.csv", options=WriteOptions(escape_formulas=False)) as write:
        write(TextDocument("a", ("=x",), "-1"))
    assert (tmp_path / "docs.csv").read_text(encoding="utf-8") == "id,text,labels\n-1,a,=x\n"
    assert read_all(tmp_path / "docs.csv") == [TextDocument("a", ("=x",), "-1")]


def test_blanks_around_an_escaped_label_do_not_count(tmp_path: Path) -> None:
    assert read_all(put(tmp_path / "docs.csv", "text,labels\na,'=x; '-y ;'z'\n")) == [
        TextDocument("a", ("=x", "-y", "'z'"))
    ]
