"""Files made to take long or to fill the memory are read, or refused, in bounded time and memory."""

from __future__ import annotations

import gzip
import signal
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from setwise.data import (
    Document,
    ReadOptions,
    TextDocument,
    VectorDocument,
    convert,
    open_documents,
    read_libsvm,
)
from setwise.data.formats import libsvm_lines, parquet_table, streams
from setwise.exceptions import InvalidData, InvalidParameter
from tests.data.examples import put, read_all, write_all

MIB = 1 << 20
ROW = '{"text": "a", "labels": []}\n'


@contextmanager
def at_most(seconds: float, mebibytes: float) -> Iterator[None]:
    """Fail where the block takes longer, or Python's own objects take more memory."""

    def give_up(*_: Any) -> None:
        raise TimeoutError(f"took longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert peak <= mebibytes * MIB


@pytest.mark.parametrize("content", ["0 2000000000:1\n", "2000000000 1:1\n", "0 10000001:1\n"])
def test_the_largest_index_is_an_option(tmp_path: Path, content: str) -> None:
    path = put(tmp_path / "docs.svm", content)
    message = r"must lie between [01] and 10,000,000; got \d+\. Hint: raise the limit with `--largest-index`\.$"
    for read in (read_all, read_libsvm):
        with pytest.raises(InvalidData, match=message):
            read(path)
    assert len(read_all(path, largest_index=2_000_000_000)) == 1
    assert len(read_all(put(path, "3 3:1\n"), largest_index=3)) == 1
    for beyond in ("4 3:1\n", "3 4:1\n"):
        with pytest.raises(InvalidData, match="must lie between [01] and 3; got 4"):
            read_all(put(path, beyond), largest_index=3)


def test_names_are_the_limit_where_there_are_some(tmp_path: Path) -> None:
    put(tmp_path / "features.txt", "a\nb\n")
    put(tmp_path / "labels.txt", "x\n")
    for content, message in (("0 3:1\n", "between 1 and 2; got 3"), ("1 1:1\n", "between 0 and 0; got 1")):
        with pytest.raises(InvalidData, match=rf"{message}\.$"):
            read_all(put(tmp_path / "docs.svm", content))


@pytest.mark.parametrize("index", [0, -1, 2**31 - 1, 1.5, True])
def test_bad_limits(index: Any) -> None:
    with pytest.raises(InvalidParameter, match="^largest_index must be an integer between 1 and 2,147,483,646; go"):
        ReadOptions(largest_index=index)


ARFF = "@relation 'x: -C 1'\n{}@attribute a {{0,1}}\n@data\n{}{{0 1}}\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", "{0}" + ROW.replace("{", "{{").replace("}", "}}") + "{0}"),
        ("a.csv", "{0}text\n{0}a\n{0}"),
        ("a.arff", ARFF.format("{0}", "{0}").replace("{0,1}", "{{0,1}}").replace("{0 1}", "{{0 1}}")),
    ],
    ids=["jsonl", "csv", "arff"],
)
@pytest.mark.parametrize(("ending", "line_end"), [("", "\n"), (".gz", "\r\n")], ids=["plain", "packed"])
def test_empty_lines_take_no_time(tmp_path: Path, name: str, content: str, ending: str, line_end: str) -> None:
    path = put(tmp_path / (name + ending), content.format(line_end * 10_000_000))
    with at_most(seconds=5, mebibytes=5):
        assert len(read_all(path)) == 1


def test_lines_are_counted_across_empty_ones(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.jsonl", ROW + "\n" * 100_000 + "\r\n" * 7 + "{\n")
    with pytest.raises(InvalidData, match="line 100009, column 2"):
        read_all(path)


@pytest.mark.parametrize(
    ("name", "head"), [("a.svm", ""), ("a.txt", ""), ("a.csv", 'text\n"')], ids=["svm", "txt", "csv"]
)
def test_too_many_empty_lines_that_count(tmp_path: Path, name: str, head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_EMPTY_LINES", 1000)
    assert len(read_all(put(tmp_path / name, head + "\n" * 1000 + head[-1:]))) in (1, 1000)
    path = put(tmp_path / name, head + "\n" * 5000)
    with pytest.raises(InvalidData, match=r"line 100\d: there must be at most 1,000 empty lines in a row\.$"):
        read_all(path)


def test_lines_are_parsed_together_up_to_so_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm_lines, "MAX_BLOCK_BYTES", 10_000)
    path = put(tmp_path / "docs.svm", ("0 " + " ".join(f"{i}:1" for i in range(1, 2000)) + "\n") * 200)
    with at_most(seconds=5, mebibytes=1), open_documents(path) as documents:
        assert sum(1 for _ in documents) == 200


def test_a_long_line_of_vectors(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.svm", "0 " + " ".join(f"{i}:1" for i in range(1, 200_001)))
    with at_most(seconds=10, mebibytes=18), open_documents(path) as documents:  # it has 1.7 of them
        (document,) = documents
    assert isinstance(document, VectorDocument)
    assert len(document.columns) == 200_000


def test_a_row_of_a_table_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_LINE_BYTES", 1000)
    path = put(tmp_path / "docs.csv", 'text\nfirst\n"' + '","\n' * 500 + "\n")
    with pytest.raises(InvalidData, match=r"line 3: a row must have at most 1,000 bytes, .*\.$"):
        read_all(path)


@pytest.mark.parametrize(
    "line",
    [
        "@attribute a" + " " * 300_000 + "x",
        "@attribute a " + " x" * 200_000,
        "@attribute 'a" + "\\'" * 200_000,
        "@attribute a {" + " " * 300_000 + "x}",
        "@attribute a {" + "0 ," * 200_000 + "x}",
        "@relation" + " -C " * 200_000 + "\n@data",
    ],
    ids=["blanks", "words", "escapes", "blanks in a list", "a long list", "a relation"],
)
def test_heads_take_time_in_proportion(tmp_path: Path, line: str) -> None:
    with at_most(seconds=3, mebibytes=50), pytest.raises(InvalidData):
        read_all(put(tmp_path / "docs.arff", f"@relation 'x: -C 1'\n{line}\n"))


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE labels [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>
<labels><label name="&b;"/></labels>
"""


def test_xml_with_entities_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "docs.xml", LAUGHS)
    path = put(tmp_path / "docs.arff", "@relation x\n@attribute haha {0,1}\n@data\n{0 1}\n")
    with pytest.raises(InvalidData, match=r"docs\.xml must not have a DOCTYPE: remove it\.$"):
        read_all(path)


def test_long_xml_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "docs.xml.gz", "<labels>" + "<label name='a'/>" * 2_000_000)
    path = put(tmp_path / "docs.arff", "@relation x\n@attribute a {0,1}\n@data\n{0 1}\n")
    with (
        at_most(seconds=3, mebibytes=60),
        pytest.raises(InvalidData, match=r"docs\.xml\.gz must have at most 16,777,216 bytes\.$"),
    ):
        read_all(path, label_names=tmp_path / "docs.xml.gz")


def test_a_packed_line_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(40):
            file.write(b'{"text": "' + b"a" * MIB)
    with at_most(seconds=5, mebibytes=60), pytest.raises(InvalidData, match="line 1: a line must have at most 16,777,"):
        read_all(path)


def n_characters(document: Document) -> int:
    assert isinstance(document, TextDocument)
    return len(document.text)


LONG = "x" * (MIB // 4)
SOME = 4 * MIB


@pytest.mark.parametrize(
    ("texts", "how"),
    [
        ([LONG] * 300, {"compression": "zstd"}),  # one entry of a dictionary, 300 times
        ([f"{LONG}{i}" for i in range(200)], {"compression": "zstd", "use_dictionary": False}),
        ([f"{LONG}{i}" for i in range(200)], {"compression": "none", "row_group_size": 10}),
        (["a"] * 2000 + [LONG] * 200, {"compression": "zstd"}),
    ],
    ids=["one text repeated", "no dictionary", "not packed", "short ones first"],
)
def test_long_rows_of_parquet_come_a_few_at_a_time(
    tmp_path: Path, texts: list[str], how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_table, "MAX_BATCH_BYTES", SOME)
    path = tmp_path / "docs.parquet"
    pq.write_table(pa.table({"text": texts}), path, **how)
    with at_most(seconds=20, mebibytes=3 * SOME / MIB), open_documents(path) as documents:
        assert sum(map(n_characters, documents)) == sum(map(len, texts))


def test_short_rows_of_parquet_come_many_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(tmp_path / "docs.parquet", [TextDocument(f"text {i}", ("a",)) for i in range(1000)])
    sizes: list[int] = []
    batch_rows = parquet_table._batch_rows

    def record_size(batch: Any) -> Any:
        sizes.append(len(batch))
        return batch_rows(batch)

    monkeypatch.setattr(parquet_table, "_batch_rows", record_size)
    assert len(read_all(tmp_path / "docs.parquet")) == 1000
    assert len(sizes) <= 1000 / 100 + 5


def test_rows_of_parquet_that_are_too_long(tmp_path: Path) -> None:
    path = tmp_path / "docs.parquet"
    pq.write_table(pa.table({"text": ["a", "x" * (17 * MIB), "b"]}), path, compression="zstd")
    with pytest.raises(InvalidData, match=r"docs\.parquet, row 2: a row must have at most 16,777,216 bytes\.$"):
        read_all(path)
    assert [document.text for document in read_all(path, on_error="skip")] == ["a", "b"]
    pq.write_table(pa.table({"text": ["a"], "labels": [["x"] * 5_000_000]}), path, compression="zstd")
    with at_most(seconds=5, mebibytes=5), pytest.raises(InvalidData, match="row 1: a row must have at most"):
        read_all(path)


def test_a_row_group_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_table, "MAX_COLUMN_BYTES", 10 * MIB)
    path = tmp_path / "docs.parquet"
    message = (
        r"docs\.parquet: column '{}' takes .* bytes in a row group; the limit is 10,485,760\. .*smaller row groups"
    )
    pq.write_table(pa.table({"text": ["x" * (11 * MIB), *[""] * 5000]}), path, compression="zstd")
    with pytest.raises(InvalidData, match=message.format("text")):
        read_all(path)
    pq.write_table(pa.table({"text": ["a"], "labels": [["x"] * 5_000_000]}), path, compression="zstd")
    with pytest.raises(InvalidData, match=message.format("labels")):
        read_all(path)
    usual = [f"text {i} {hash(str(i))}" * 15 for i in range(30_000)]
    pq.write_table(pa.table({"text": usual}), path, compression="none", use_dictionary=False)
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).total_uncompressed_size > 11 * MIB
    assert len(read_all(path)) == 30_000


def test_long_texts_are_written_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_table, "MAX_BATCH_BYTES", SOME)
    n = 200
    with gzip.open(tmp_path / "docs.txt.gz", "wb", compresslevel=1) as file:
        for _ in range(n):
            file.write(LONG.encode() + b"\n")
    with at_most(seconds=20, mebibytes=3 * SOME / MIB):
        convert(tmp_path / "docs.txt.gz", tmp_path / "docs.parquet")
    with open_documents(tmp_path / "docs.parquet") as documents:
        assert n_characters(next(islice(documents, n - 1, None))) == len(LONG)
