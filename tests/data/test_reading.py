from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.data import FORMATS, Names, batches, feature_matrix, open_documents, read_dataset
from setwise.data.formats import ReadOptions, format_of
from setwise.exceptions import InvalidData, InvalidParameter
from tests.data.examples import TEXTS, VECTOR_NAMES, VECTORS, plain, put, read_all, vector, write_all


def test_a_dataset_of_texts(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.jsonl", TEXTS)
    data = read_dataset(tmp_path / "docs.jsonl")
    assert [document.text for document in TEXTS] == data.X
    assert data.y == [["weather"], ["politics", "sport"], [], ["größe"]]
    assert data.ids == ["a", "b", "c", "d"]
    assert (data.n_samples, data.names, data.problems.n_skipped) == (4, Names(), 0)


def test_a_dataset_of_vectors(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.svm", VECTORS, VECTOR_NAMES)
    data = read_dataset(tmp_path / "docs.svm")
    assert isinstance(data.X, sp.csr_array)
    np.testing.assert_array_equal(
        data.X.toarray(), np.array([[0.5, 0, -0.2], [0, 1, 0], [0, 0, 0], [1e-30, 3e30, 0]], np.float32)
    )
    assert (data.X.dtype, data.X.indices.dtype) == (np.float32, np.int32)
    assert data.X.has_canonical_format
    assert data.y == [["news", "sport"], [], ["größe in cm"], ["sport"]]
    assert data.names == VECTOR_NAMES


def test_the_width_of_a_dataset(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.svm", "0 2:1\n")
    for n_features, width in ((None, 2), (7, 7)):
        X = read_dataset(path, n_features=n_features).X
        assert isinstance(X, sp.csr_array)
        assert X.shape == (1, width)
    with pytest.raises(InvalidData, match="Features must lie between 1 and 1; got 2"):
        read_dataset(path, n_features=1)


def test_labels_are_required_or_not(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.jsonl", '{"text": "a", "labels": []}\n{"text": "b"}\n')
    with pytest.raises(InvalidData, match=r"document 2 of 2 has no labels\. Give the labels of every document\."):
        read_dataset(path)
    assert read_dataset(path, require_labels=False).y is None
    assert read_dataset(put(path, '{"text": "a", "labels": ["x"]}\n'), require_labels=False).y == [["x"]]


def test_skipped_documents_are_counted(tmp_path: Path) -> None:
    path = put(tmp_path / "docs.jsonl", '{"text": "a", "labels": []}\n{\n')
    data = read_dataset(path, ReadOptions(on_error="skip"))
    assert (data.n_samples, data.problems.n_skipped) == (1, 1)
    with pytest.raises(InvalidData, match="contains no documents: all were skipped, .*line 1, column 2: a"):
        read_dataset(put(path, "{\n"), ReadOptions(on_error="skip"))


def test_batches() -> None:
    assert list(batches(iter("abcde"), 2)) == [["a", "b"], ["c", "d"], ["e"]]
    assert feature_matrix([vector({}), vector({3: 1.0})], 5).shape == (2, 5)
    assert feature_matrix([]).shape == (0, 0)


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.jsonl", "jsonl"), ("b/A.JSONL.GZ", "jsonl"), ("x.y.csv", "csv"), ("a.svm.gz", "libsvm"), ("a.arff", "meka")],
)
def test_formats_by_ending(path: str, name: str) -> None:
    assert format_of(path).name == name


def test_formats_by_name_and_unknown_ones() -> None:
    assert format_of("docs.data", "csv") is FORMATS["csv"]
    assert format_of("-", "csv") is FORMATS["csv"]
    with pytest.raises(
        InvalidParameter, match=r"^docs\.doc must end in one of \.jsonl, .*\.arff, with or without \.gz"
    ):
        format_of("docs.doc")
    with pytest.raises(InvalidParameter, match=r"^format must be one of jsonl, .*, mulan; got 'word'\.$"):
        format_of("docs.csv", "word")
    with pytest.raises(
        InvalidParameter, match=r"^- has no suffix that implies its format\. Give the format with `--from`"
    ):
        format_of("-")
    with pytest.raises(
        InvalidParameter, match=r"^- has no suffix that implies its format\. Give the format with `--to`"
    ):
        format_of("-", writing=True)


def test_on_error_is_stop_or_skip(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="^on_error must be 'stop' or 'skip'; got 'ignore'"):
        read_all(put(tmp_path / "a.txt", "a\n"), on_error="ignore")


@pytest.mark.parametrize("ending", ["jsonl", "csv", "txt", "svm", "arff", "parquet"])
def test_files_that_cannot_be_opened(tmp_path: Path, ending: str) -> None:
    with pytest.raises(InvalidData, match=r"Cannot read .*absent\.\w+: No such file or directory\.$"):
        read_all(tmp_path / f"absent.{ending}")
    (tmp_path / f"folder.{ending}").mkdir()
    with pytest.raises(InvalidData, match=r"folder\.\w+ is a directory. Give a file"):
        read_all(tmp_path / f"folder.{ending}")
    with pytest.raises(InvalidData, match="Cannot read .*: embedded null byte"):
        read_all(f"a\0b.{ending}")


@pytest.mark.parametrize(
    ("name", "content"), [("a.jsonl", '{"text": "a"}\n'), ("a.csv", "text\na\n"), ("a.svm", "0 1:1\n")]
)
def test_packed_files_that_end_early(tmp_path: Path, name: str, content: str) -> None:
    packed = gzip.compress(content.encode() * 1000)
    for damaged in (packed[:-4], packed[: len(packed) // 2], packed[:20] + b"\xff" * 9 + packed[29:]):
        path = tmp_path / f"{name}.gz"
        path.write_bytes(damaged)
        for on_error in ("stop", "skip"):
            with pytest.raises(InvalidData, match=r"\.gz( is a truncated or damaged gzip file|:) .*\.$"):
                read_all(path, on_error=on_error)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.txt", "a.svm", "a.arff", "a.jsonl.gz"])
def test_empty_files(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidData, match=r"contains no documents(: it is empty)?\.$"):
        read_all(put(tmp_path / name, ""))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"0 1:1\n")))
    with open_documents("-", ReadOptions(format="libsvm")) as documents:
        assert documents.name == "standard input"
        assert [plain(document) for document in documents] == [plain(vector({0: 1.0}, ("0",)))]
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InvalidData, match="^Cannot read standard input: it is closed"):
        read_all("-")
