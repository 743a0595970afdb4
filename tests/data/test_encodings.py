"""Other encodings, other delimiters, and files whose content does not match their name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from setwise.data import ReadOptions, TextDocument, convert, open_documents
from setwise.exceptions import InvalidData, InvalidParameter
from tests.data.examples import TEXTS, plain, put, read_all, write_all

TABLE = "text,labels\ncafé crème,größe\n"
EXPECTED = [TextDocument("café crème", ("größe",))]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "utf-8", "utf-8-sig"])
@pytest.mark.parametrize("name", ["docs.csv", "docs.csv.gz"])
def test_a_file_in_another_encoding(tmp_path: Path, encoding: str, name: str) -> None:
    assert read_all(put(tmp_path / name, TABLE.encode(encoding)), encoding=encoding) == EXPECTED


def test_every_text_format_and_the_names_beside_are_decoded(tmp_path: Path) -> None:
    jsonl, txt = '{"text": "café", "labels": ["größe"]}\n', "__label__größe café\n"
    for name, content in (("docs.jsonl", jsonl), ("docs.txt", txt)):
        path = put(tmp_path / name, content.encode("utf-16"))
        assert read_all(path, encoding="utf-16") == [TextDocument("café", ("größe",))]
    put(tmp_path / "labels.txt", "größe\n".encode("latin-1"))
    assert read_all(put(tmp_path / "docs.svm", "0 1:1\n"), encoding="latin-1")[0][2] == ("größe",)


def test_long_files_are_decoded_in_pieces(tmp_path: Path) -> None:
    text = "日本語 🎉 é" * 9
    path = put(tmp_path / "docs.txt", f"{text}\n".encode("utf-16") * 1 + f"{text}\n".encode("utf-16-le") * 9999)
    assert read_all(path, encoding="utf-16") == [TextDocument(text, ())] * 10_000


def test_parquet_has_no_encoding(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.parquet", TEXTS)
    assert read_all(tmp_path / "docs.parquet", encoding="latin-1") == TEXTS


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        (b"text\na\nb\x81\n", "cp1252", r"docs\.csv, line 3: text must be cp1252; got the byte 0x81\.$"),
        (b"text\na\n\xff\n", "ascii", r"docs\.csv, line 3: text must be ascii; got the byte 0xff\.$"),
        ("text\na\n".encode("utf-16")[:-1], "utf-16", r"docs\.csv, line \d: text must be utf-16"),
    ],
    ids=["cp1252", "ascii", "utf-16"],
)
def test_text_that_is_not_in_the_encoding(tmp_path: Path, content: bytes, encoding: str, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        read_all(put(tmp_path / "docs.csv", content), encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-9", "", "base64", "rot13", "a\0b"])
def test_encodings_that_do_not_exist(encoding: str) -> None:
    with pytest.raises(InvalidParameter, match=r"^encoding must be a text encoding of Python, such as latin-1; got '"):
        ReadOptions(encoding=encoding)


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("text\ncafé\n".encode("latin-1"), "latin-1"),
        ("text\n“quoted”\n".encode("cp1252"), "cp1252"),
        (TABLE.encode("utf-16"), "utf-16"),
        (TABLE.encode("utf-16-be"), "utf-16-be"),
        (TABLE.encode("utf-16-le"), "utf-16-le"),
        (TABLE.encode("utf-32"), "utf-32"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_encoding_is_recognized(tmp_path: Path, content: bytes, encoding: str) -> None:
    with pytest.raises(InvalidData, match=f"docs.csv.*[Uu]se `--encoding {encoding}`"):
        read_all(put(tmp_path / "docs.csv", content))


def test_bytes_that_no_encoding_explains_get_no_hint(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"line 2, column 2: text must be UTF-8; got the byte 0x81\.$"):
        read_all(put(tmp_path / "docs.csv", b"text\na\x81\n"))


def workbook() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(TABLE.encode()), r"docs\.csv is gzip-compressed. Decompress it or add \.gz to its name\.$"),
        (bz2.compress(TABLE.encode()), r"docs\.csv is bzip2-compressed. Decompress it first\.$"),
        (lzma.compress(TABLE.encode()), r"docs\.csv is xz-compressed. Decompress it first\.$"),
        (b"\x28\xb5\x2f\xfd and more", r"docs\.csv is zstd-compressed. Decompress it first\.$"),
        (workbook(), r"docs\.csv is a zip archive or an Excel file. Extract it, or save it as CSV\.$"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1..", r"docs\.csv is an Excel file. Save it as CSV\.$"),
    ],
    ids=["gzip", "bzip2", "xz", "zstd", "xlsx", "xls"],
)
def test_the_error_names_what_a_file_is_that_is_no_text(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "docs.csv"
    path.write_bytes(content)
    for on_error in ("stop", "skip"):
        with pytest.raises(InvalidData, match=message):
            read_all(path, on_error=on_error)


def test_the_error_names_parquet_under_another_suffix(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.parquet", TEXTS)
    path = (tmp_path / "docs.parquet").rename(tmp_path / "docs.csv")
    with pytest.raises(InvalidData, match=r"docs\.csv is a parquet file. Use `--from parquet`\.$"):
        read_all(path)
    assert read_all(path, format="parquet") == TEXTS


@pytest.mark.parametrize(
    ("delimiter", "character"), [(";", ";"), ("|", "|"), ("\t", "\t"), ("\\t", "\t"), ("tab", "\t")]
)
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_another_delimiter(tmp_path: Path, delimiter: str, character: str, ending: str) -> None:
    path = put(tmp_path / f"docs.{ending}", f'text{character}labels\n"a{character}b"{character}x/y\n')
    assert read_all(path, delimiter=delimiter, separator="/") == [TextDocument(f"a{character}b", ("x", "y"))]


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", "\r", "\0"])
def test_bad_delimiters(delimiter: str) -> None:
    with pytest.raises(InvalidParameter, match=r"^delimiter must be `tab` or one character that is no quotation mark"):
        ReadOptions(delimiter=delimiter)


@pytest.mark.parametrize(
    ("head", "shown"),
    [("text;labels", "';'"), ('"id";"text"', "';'"), ("id\ttext", "tab"), ("id|text|labels", r"'\|'")],
)
def test_a_delimiter_is_recognized(tmp_path: Path, head: str, shown: str) -> None:
    with pytest.raises(InvalidData, match=rf"docs\.csv, line 1: .* Hint: use `--delimiter {shown}`\.$"):
        read_all(put(tmp_path / "docs.csv", head + "\n"))


class Pipe(io.BytesIO):
    """Standard input that is a pipe: it returns a few bytes at a time and cannot seek."""

    def seekable(self) -> bool:
        return False

    def readline(self, size: int | None = -1, /) -> bytes:
        return super().readline(min(size, 3) if size is not None and size > 0 else 3)


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "format", "text"),
    [
        ('{"text": "a"}\n', "jsonl", "a"),
        ('\ufeff\n\n  {"text": "a"}\n', "jsonl", "a"),
        ("id,text\n1,a\n", "csv", "a"),
        ('\n"text","labels"\n"a;b",x\n', "csv", "a;b"),
        ("text\na\n", "csv", "a"),
        ("labels\ttext\nx\ta, b\n", "tsv", "a, b"),
    ],
)
def test_standard_input_is_recognized(
    monkeypatch: pytest.MonkeyPatch, compress: Callable[[bytes], bytes], content: str, format: str, text: str
) -> None:
    for kind in (io.BytesIO, Pipe):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(kind(compress(content.encode()))))
        with open_documents("-") as documents:
            assert documents.format.name == format
            assert [plain(document).text for document in documents] == [text]


def test_standard_input_with_options(monkeypatch: pytest.MonkeyPatch) -> None:
    def set_stdin(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    set_stdin("tags;body\nx;é\n".encode("utf-16"))
    assert read_all("-", encoding="utf-16", delimiter=";", text="body", labels="tags") == [TextDocument("é", ("x",))]
    set_stdin(gzip.compress(b"0 1:1\n"))
    assert len(read_all("-", format="libsvm")) == 1
    set_stdin("text\na\n".encode("utf-16"))
    with pytest.raises(InvalidData, match="^standard input seems to be encoded in utf-16. Use `--encoding utf-16`"):
        read_all("-")
    set_stdin(b"text;labels\na;b\n")
    with pytest.raises(InvalidData, match="^standard input, line 1: field 'text' is missing.*`--delimiter ';'`"):
        read_all("-")
    set_stdin(b"")
    with pytest.raises(InvalidData, match="^standard input contains no documents: it is empty"):
        read_all("-")


@pytest.mark.parametrize("content", [b"0 1:1\n", b"__label__a some words\n", b"title,body\na,b\n", b"\x00\x01"])
def test_standard_input_that_is_not_recognized(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    with pytest.raises(
        InvalidParameter,
        match=r"^The format of standard input is not recognized as one of jsonl, csv, tsv, with a field 'text'\. "
        r"Give its format with `--from`\.$",
    ):
        read_all("-")


def test_a_conversion_from_standard_input_recognizes_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"text,labels\na,x\n")))
    convert("-", tmp_path / "docs.jsonl")
    assert read_all(tmp_path / "docs.jsonl") == [TextDocument("a", ("x",))]


def test_a_directory_and_an_unknown_ending(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "docs.csv"):
        folder.mkdir(exist_ok=True)
        with pytest.raises(InvalidData, match=r" is a directory. Give a file, and its format \(`--from`\) if"):
            read_all(folder)
    with pytest.raises(
        InvalidParameter, match=r"docs\.word must end in one of .*Give any other file's format with `--from`"
    ):
        read_all(tmp_path / "docs.word")
    with pytest.raises(
        InvalidParameter, match=r"docs\.word must end in one of .*Give any other file's format with `--to`"
    ):
        write_all(tmp_path / "docs.word", TEXTS)
