from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from setwise.data import TextDocument
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from tests.data.examples import TEXTS, put, read_all, write_all


def write_table(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_what_is_written_is_a_table_of_strings_and_lists(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.parquet", [*TEXTS, TextDocument("x")])
    written = pq.read_table(tmp_path / "docs.parquet")
    assert written.schema.types == [pa.string(), pa.string(), pa.list_(pa.string())]
    assert written.column("id").to_pylist() == ["a", "b", "c", "d", None]
    assert written.column("labels").to_pylist()[1:3] == [["politics", "sport"], []]
    assert read_all(tmp_path / "docs.parquet") == [*TEXTS, TextDocument("x")]


def test_other_columns_other_names_and_whole_numbers_as_ids(tmp_path: Path) -> None:
    path = write_table(
        tmp_path / "docs.parquet",
        body=pa.array(["a", "b"], pa.large_string()),
        tags=pa.array([["x", "y"], None], pa.large_list(pa.string())),
        key=[7, 8],
        other=[{"deep": 1.5}, None],
    )
    assert read_all(path, text="body", labels="tags", id="key") == [
        TextDocument("a", ("x", "y"), "7"),
        TextDocument("b", None, "8"),
    ]


def test_a_bad_row_is_told_and_can_be_skipped(tmp_path: Path) -> None:
    path = write_table(tmp_path / "docs.parquet", text=["a", None, "c", "d"], labels=[["x"], [], ["y", None], ["z"]])
    with pytest.raises(InvalidData, match=r"docs.parquet, row 2: field 'text' must be a string; got None\."):
        read_all(path)
    assert [document.text for document in read_all(path, on_error="skip")] == ["a", "d"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"body": ["a"]}, r"docs.parquet: field 'text' is missing; the fields are 'body'\."),
        ({"text": [1]}, r"column 'text' must contain strings; got int64\."),
        ({"text": ["a"], "labels": ["x;y"]}, r"column 'labels' must contain lists of strings; got string\."),
        (
            {"text": ["a"], "labels": [[1]]},
            r"column 'labels' must contain lists of strings; got list<element: int64>\.",
        ),
        ({"text": ["a"], "id": [1.5]}, r"column 'id' must contain strings; got double\."),
        ({"text": pa.array([], pa.string())}, "contains no documents"),
    ],
)
def test_bad_columns(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        read_all(write_table(tmp_path / "docs.parquet", **columns))


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    raw = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe"]).buffers())
    with pytest.raises(InvalidData, match="is not a valid parquet file: .*UTF"):
        read_all(write_table(tmp_path / "docs.parquet", text=raw))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all, but long enough"])
def test_files_that_are_no_parquet(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InvalidData, match=r"docs.parquet is not a valid parquet file: .*\.$"):
        read_all(put(tmp_path / "docs.parquet", content))


def test_parquet_is_not_packed_again(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"must not end in \.gz: parquet files are compressed internally"):
        read_all(tmp_path / "docs.parquet.gz")


def test_a_pipe_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Pipe(b"PAR1")))
    with pytest.raises(InvalidData, match="standard input is a pipe, and parquet needs random access"):
        read_all("-", format="parquet")


def test_half_a_surrogate_pair_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidData, match="^One of the documents 1 to 2 cannot be written: its text is not valid Unicode"
    ):
        write_all(tmp_path / "docs.parquet", [TextDocument("fine"), TextDocument("\ud800")])
    assert list(tmp_path.iterdir()) == []


def test_importing_the_package_does_not_import_pyarrow() -> None:
    program = "import sys, setwise.data; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"


def test_without_pyarrow_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    message = r'^Parquet files need pyarrow\. Install it with: pip install "setwise\[parquet\]"\.$'
    write_all(tmp_path / "docs.parquet", TEXTS)
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "setwise.data.formats.parquet_table", raising=False)
    with pytest.raises(Incompatible, match=message):
        read_all(tmp_path / "docs.parquet")
    with pytest.raises(Incompatible, match=message):
        write_all(tmp_path / "new.parquet", TEXTS)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "docs.parquet"]
    write_all(tmp_path / "docs.csv", TEXTS)
    assert read_all(tmp_path / "docs.csv") == TEXTS
