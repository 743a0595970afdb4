from __future__ import annotations

from pathlib import Path

import pytest

from setwise.data import ReadOptions, TextDocument, open_documents, open_writer
from setwise.exceptions import Incompatible, InvalidData
from tests.data.examples import TEXTS, put, read_all, vector, write_all

WORKED = (
    '{"text": "a b", "labels": ["x", " y ", "x", 7], "id": 12}\n\n{"other": 1, "text": ""}\r\n{"text":"z","labels":[]}'
)


@pytest.mark.parametrize("name", ["docs.jsonl", "docs.ndjson.gz"])
def test_worked_example(tmp_path: Path, name: str) -> None:
    assert read_all(put(tmp_path / name, WORKED)) == [
        TextDocument("a b", ("x", "y", "7"), "12"),
        TextDocument("", None, None),
        TextDocument("z", (), None),
    ]


def test_what_is_written(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.jsonl", [*TEXTS[:2], TextDocument("no more")])
    assert (tmp_path / "docs.jsonl").read_text(encoding="utf-8") == (
        '{"id":"a","text":"Rain in May","labels":["weather"]}\n'
        '{"id":"b","text":"He said \\"no\\",\\nand went; twice","labels":["politics","sport"]}\n'
        '{"text":"no more"}\n'
    )


def test_fields_go_by_other_names(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.jsonl", '{"body": "a", "tags": ["x"], "key": "k", "text": 5}\n')
    assert read_all(path, text="body", labels="tags", id="key") == [TextDocument("a", ("x",), "k")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"line 2, column 2: a line must be JSON; unexpected end of data\."),
        ('{"text": NaN}', "line 2, column 10: a line must be JSON"),
        ('{"text": "\\ud800"}', "line 2, column .*: a line must be JSON"),
        ("[" * 100000, "line 2, column .*: a line must be JSON"),
        ("[1, 2]", r"line 2: a line must be a JSON object; got a list\."),
        ("5", r"line 2: a line must be a JSON object; got 5\."),
        ("{}", r"line 2: field 'text' is missing; the fields are none\."),
        ('{"body": "a", "tags": []}', r"line 2: field 'text' is missing; the fields are 'body', 'tags'\."),
        ('{"text": null}', r"line 2: field 'text' must be a string; got None\."),
        ('{"text": ["a"]}', r"line 2: field 'text' must be a string; got a list\."),
        ('{"text": "a", "labels": "x"}', r"line 2: field 'labels' must be a list of label names; got 'x'\."),
        ('{"text": "a", "labels": {"x": 1}}', r"field 'labels' must be a list of label names; got an object\."),
        ('{"text": "a", "labels": [1.5]}', r"line 2: field 'labels' must contain label names; got 1\.5\."),
        ('{"text": "a", "labels": [true]}', r"line 2: field 'labels' must contain label names; got True\."),
        ('{"text": "a", "labels": ["x", " "]}', r"line 2: field 'labels' must not contain an empty label\."),
        ('{"text": "a", "id": []}', r"line 2: field 'id' must be a string; got a list\."),
        (b'{"text": "\xc3\xa9\xff"}', r"line 2, column 12: text must be UTF-8; got the byte 0xff\."),
        (b"\x00\xfe\xca", "line 2, column 2: text must be UTF-8; got the byte 0xfe"),
        ('{"text": 1%s}' % ("0" * 5000), "line 2, column 10: a line must be JSON; number is infinity"),
    ],
)
def test_a_bad_line_is_told_and_can_be_skipped(tmp_path: Path, line: str | bytes, message: str) -> None:
    bad = line if isinstance(line, bytes) else line.encode()
    path = put(tmp_path / "docs.jsonl", b'{"text": "first"}\n' + bad + b'\n{"text": "last"}\n')
    with pytest.raises(InvalidData, match=message) as refused:
        read_all(path)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)
    assert [document.text for document in read_all(path, on_error="skip")] == ["first", "last"]


@pytest.mark.parametrize(("option", "name"), [("text", "body"), ("labels", "tags"), ("id", "key")])
def test_a_field_asked_for_by_name_must_be_there(tmp_path: Path, option: str, name: str) -> None:
    path = put(tmp_path / "docs.jsonl", '{"text": "a", "labels": [], "id": "1"}\n')
    with pytest.raises(InvalidData, match=f"line 1: field '{name}' is missing; the fields are 'text', 'labels', 'id'"):
        read_all(path, **{option: name})


def test_half_a_surrogate_pair_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"^Document 2 cannot be written: its text is not valid Unicode"):
        write_all(tmp_path / "docs.jsonl", [TextDocument("fine"), TextDocument("\ud800")])
    assert list(tmp_path.iterdir()) == []


def test_skipped_documents_are_counted_with_the_first_reasons(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.jsonl", '{"text": "a"}\n' + "{\n" * 5)
    with open_documents(path, ReadOptions(on_error="skip")) as documents:
        assert len(list(documents)) == 1
    assert documents.problems.n_skipped == 5
    assert [reason.split(": ")[0] for reason in documents.problems.reasons] == [
        f"{path}, line {number}, column 2" for number in (2, 3, 4)
    ]


def test_a_vector_is_no_text(tmp_path: Path) -> None:
    with (
        pytest.raises(Incompatible, match=r"^jsonl files contain texts; got a VectorDocument\.$"),
        open_writer(tmp_path / "a.jsonl") as write,
    ):
        write(vector({}))
