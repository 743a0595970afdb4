from __future__ import annotations

from pathlib import Path

import pytest

from setwise.data import TextDocument
from setwise.exceptions import InvalidData
from tests.data.examples import TEXTS, put, read_all, write_all


def test_worked_example(tmp_path: Path) -> None:
    content = "__label__a __label__b some words\n\n  no label \nin the __label__c middle __label__a\r\n__label__x\n"
    assert read_all(put(tmp_path / "docs.txt.gz", content)) == [
        TextDocument("some words", ("a", "b")),
        TextDocument("", ()),
        TextDocument("no label", ()),
        TextDocument("in the middle", ("c", "a")),
        TextDocument("", ("x",)),
    ]


def test_line_ends_are_written_as_spaces_and_ids_are_not(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.txt", TEXTS)
    assert (tmp_path / "docs.txt").read_text(encoding="utf-8") == (
        "__label__weather Rain in May\n"
        '__label__politics __label__sport He said "no", and went; twice\n'
        "\n"
        "__label__größe Ünïcode\twörds 語\n"
    )


def test_a_bad_line_is_told_and_can_be_skipped(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.txt", b"a\n__label__ b\n\xff\nc\n")
    with pytest.raises(InvalidData, match=r"docs.txt, line 2: field '__label__' must not contain an empty label\."):
        read_all(path)
    assert [document.text for document in read_all(path, on_error="skip")] == ["a", "c"]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (TextDocument("a", ("two words",)), "a label must be one word in this format; got 'two words'"),
        (TextDocument("a", ("",)), "a label must be one word"),
        (TextDocument("a __label__b"), "words of a text must not begin with '__label__' in this format"),
        (TextDocument("\ud800"), "its text is not valid Unicode"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, document: TextDocument, message: str) -> None:
    with pytest.raises(InvalidData, match=f"^Document 2 cannot be written: {message}"):
        write_all(tmp_path / "docs.txt", [TextDocument("fine"), document])
