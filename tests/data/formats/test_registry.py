"""The registry alone adds a format: a toy one, defined here, is read and written by every function."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from setwise.data import (
    FORMATS,
    Format,
    Names,
    Problems,
    ReadOptions,
    TextDocument,
    WriteOptions,
    convert,
    format_of,
    open_documents,
    register_format,
)
from setwise.data.formats import DocumentError, Lines, LineWriter, Reading, Source, Writer, read_lines
from setwise.exceptions import InvalidData, InvalidParameter
from tests.data.examples import put, read_all, write_all


def parse(line: bytes) -> TextDocument:
    labels, bar, text = line.decode().partition("|")
    if not bar:
        raise DocumentError("a line must contain `|`.")
    return TextDocument(text, tuple(labels.split()))


def read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    return Reading(Names(), read_lines(Lines(source), parse, problems))


class Encoder:
    def header(self, first: TextDocument) -> bytes:
        return b""

    def encode(self, document: TextDocument) -> bytes:
        return f"{' '.join(document.labels or ())}|{document.text}\n".encode()


def write(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    return LineWriter(file, Encoder())


def recognize(start: bytes, options: ReadOptions) -> bool:
    return b"|" in start.splitlines()[0]


TOY = Format("toy", "labels, a bar, the text", "text", read, write, suffixes=(".toy",), recognize=recognize)
DOCUMENTS = [TextDocument("rain in May", ("weather", "news")), TextDocument("nothing", ())]


@pytest.fixture
def toy() -> Iterator[Format]:
    register_format(TOY)
    yield TOY
    del FORMATS["toy"]


@pytest.mark.usefixtures("toy")
class TestToyFormat:
    @pytest.mark.parametrize("name", ["docs.toy", "docs.toy.gz"])
    def test_it_is_written_and_read(self, tmp_path: Path, name: str) -> None:
        write_all(tmp_path / name, DOCUMENTS)
        assert read_all(tmp_path / name) == DOCUMENTS

    def test_it_is_converted_to_another_format_and_back(self, tmp_path: Path) -> None:
        write_all(tmp_path / "a.toy", DOCUMENTS)
        convert(tmp_path / "a.toy", tmp_path / "b.csv")
        convert(tmp_path / "b.csv", tmp_path / "c.data", write_options=WriteOptions("toy"))
        assert (tmp_path / "c.data").read_text() == "weather news|rain in May\n|nothing\n"

    def test_standard_input_is_recognized(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"news|rain\n")))
        with open_documents("-") as documents:
            assert documents.format is TOY
            assert list(documents) == [TextDocument("rain", ("news",))]

    def test_a_bad_line_is_reported_and_can_be_skipped(self, tmp_path: Path) -> None:
        path = put(tmp_path / "docs.toy", "news|rain\nsnow\n")
        with pytest.raises(InvalidData, match=r"docs\.toy, line 2: a line must contain `\|`\.$"):
            read_all(path)
        assert len(read_all(path, on_error="skip")) == 1

    def test_errors_name_it(self) -> None:
        with pytest.raises(InvalidParameter, match=r"^format must be one of jsonl, .*, toy; got 'word'\.$"):
            format_of("docs.csv", "word")
        with pytest.raises(InvalidParameter, match=r"must end in one of \.jsonl, .*, \.toy, with or without \.gz"):
            format_of("docs.doc")

    def test_names_and_suffixes_are_taken_once(self) -> None:
        with pytest.raises(InvalidParameter, match=r"^A format named 'toy' is registered already; choose another name"):
            register_format(TOY)
        with pytest.raises(InvalidParameter, match=r"^The suffix '\.toy' belongs to the format 'toy'; choose another"):
            register_format(replace(TOY, name="toy2"))


def test_unknown_options() -> None:
    with pytest.raises(InvalidParameter, match=r"^Format 'toy' takes the unknown option 'color'\.$"):
        register_format(replace(TOY, options=("text", "color")))
    assert "toy" not in FORMATS


def test_a_format_that_can_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "toy", replace(TOY, write=None))
    assert len(read_all(put(tmp_path / "docs.toy", "news|rain\n"))) == 1
    with pytest.raises(InvalidParameter, match=r"^The format toy can be read but not written; write one of jsonl, "):
        write_all(tmp_path / "new.toy", DOCUMENTS)
    assert not (tmp_path / "new.toy").exists()
