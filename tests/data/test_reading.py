from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.data import FORMATS, Names, batches, feature_matrix, open_documents, read_dataset
from setwise.data.formats import ReadOptions, format_of
from setwise.exceptions import InvalidData, InvalidParameter
from tests.data.examples import TEXTS, VECTOR_NAMES, VECTORS, plain, put, read_all, vector, write_all


def test_a_dataset_of_texts(tmp_path):
    write_all(tmp_path / "docs.jsonl", TEXTS)
    data = read_dataset(tmp_path / "docs.jsonl")
    assert [document.text for document in TEXTS] == data.X
    assert data.y == [["weather"], ["politics", "sport"], [], ["größe"]]
    assert data.ids == ["a", "b", "c", "d"]
    assert (data.n_documents, data.names, data.problems.n_skipped) == (4, Names(), 0)


def test_a_dataset_of_vectors(tmp_path):
    write_all(tmp_path / "docs.svm", VECTORS, VECTOR_NAMES)
    data = read_dataset(tmp_path / "docs.svm")
    assert isinstance(data.X, sp.csr_array)
    np.testing.assert_array_equal(
        data.X.toarray(), np.float32([[0.5, 0, -0.2], [0, 1, 0], [0, 0, 0], [1e-30, 3e30, 0]])
    )
    assert (data.X.dtype, data.X.indices.dtype) == (np.float32, np.int32)
    assert data.X.has_canonical_format
    assert data.y == [["news", "sport"], [], ["größe in cm"], ["sport"]]
    assert data.names == VECTOR_NAMES


def test_the_width_of_a_dataset(tmp_path):
    path = put(tmp_path / "docs.svm", "0 2:1\n")
    assert read_dataset(path).X.shape == (1, 2)
    assert read_dataset(path, n_features=7).X.shape == (1, 7)
    with pytest.raises(InvalidData, match="Features must lie between 1 and 1; got 2"):
        read_dataset(path, n_features=1)


def test_labels_are_asked_for_or_not(tmp_path):
    path = put(tmp_path / "docs.jsonl", '{"text": "a", "labels": []}\n{"text": "b"}\n')
    with pytest.raises(InvalidData, match=r"must give the labels of every document; document 2 of 2 has none\."):
        read_dataset(path)
    assert read_dataset(path, labelled=False).y is None
    assert read_dataset(put(path, '{"text": "a", "labels": ["x"]}\n'), labelled=False).y == [["x"]]


def test_what_was_skipped_is_told(tmp_path):
    path = put(tmp_path / "docs.jsonl", '{"text": "a", "labels": []}\n{\n')
    data = read_dataset(path, ReadOptions(on_error="skip"))
    assert (data.n_documents, data.problems.n_skipped) == (1, 1)
    with pytest.raises(InvalidData, match="must hold at least one document; all were skipped, .*line 1, column 2: a"):
        read_dataset(put(path, "{\n"), ReadOptions(on_error="skip"))


def test_batches():
    assert list(batches(iter("abcde"), 2)) == [["a", "b"], ["c", "d"], ["e"]]
    assert feature_matrix([vector({}), vector({3: 1.0})], 5).shape == (2, 5)
    assert feature_matrix([]).shape == (0, 0)


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.jsonl", "jsonl"), ("b/A.JSONL.GZ", "jsonl"), ("x.y.csv", "csv"), ("a.svm.gz", "libsvm"), ("a.arff", "meka")],
)
def test_formats_by_ending(path, name):
    assert format_of(path).name == name


def test_formats_by_name_and_unknown_ones():
    assert format_of("docs.data", "csv") is FORMATS["csv"]
    assert format_of("-", "csv") is FORMATS["csv"]
    with pytest.raises(
        InvalidParameter, match=r"^docs\.doc must end in one of \.jsonl, .*\.arff, with or without \.gz"
    ):
        format_of("docs.doc")
    with pytest.raises(InvalidParameter, match=r"^format must be one of jsonl, .*, mulan; got 'word'\.$"):
        format_of("docs.csv", "word")
    with pytest.raises(InvalidParameter, match=r"^format must be given for - \(`--from`\)"):
        format_of("-")
    with pytest.raises(InvalidParameter, match=r"^format must be given for - \(`--to`\)"):
        format_of("-", writing=True)


def test_on_error_is_stop_or_skip(tmp_path):
    with pytest.raises(InvalidParameter, match="^on_error must be 'stop' or 'skip'; got 'ignore'"):
        read_all(put(tmp_path / "a.txt", "a\n"), on_error="ignore")


@pytest.mark.parametrize("ending", ["jsonl", "csv", "txt", "svm", "arff", "parquet"])
def test_files_that_cannot_be_opened(tmp_path, ending):
    with pytest.raises(InvalidData, match=r"absent\.\w+ must be a file that can be read; No such file or directory\.$"):
        read_all(tmp_path / f"absent.{ending}")
    (tmp_path / f"folder.{ending}").mkdir()
    with pytest.raises(InvalidData, match=r"folder\.\w+ is a directory; give a file"):
        read_all(tmp_path / f"folder.{ending}")
    with pytest.raises(InvalidData, match="must be a file that can be read; embedded null byte"):
        read_all(f"a\0b.{ending}")


@pytest.mark.parametrize(
    ("name", "content"), [("a.jsonl", '{"text": "a"}\n'), ("a.csv", "text\na\n"), ("a.svm", "0 1:1\n")]
)
def test_packed_files_that_end_early(tmp_path, name, content):
    packed = gzip.compress(content.encode() * 1000)
    for damaged in (packed[:-4], packed[: len(packed) // 2], packed[:20] + b"\xff" * 9 + packed[29:]):
        path = tmp_path / f"{name}.gz"
        path.write_bytes(damaged)
        for on_error in ("stop", "skip"):
            with pytest.raises(InvalidData, match=r"\.gz must be a (whole gzip file|file that can be read); .*\.$"):
                read_all(path, on_error=on_error)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.txt", "a.svm", "a.arff", "a.jsonl.gz"])
def test_empty_files(tmp_path, name):
    with pytest.raises(InvalidData, match=r"must hold at least one document; it (holds none|is empty)\.$"):
        read_all(put(tmp_path / name, ""))


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"0 1:1\n")))
    with open_documents("-", ReadOptions(format="libsvm")) as documents:
        assert documents.name == "standard input"
        assert [plain(document) for document in documents] == [plain(vector({0: 1.0}, ("0",)))]
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InvalidData, match="^standard input must be open to be read; it is closed"):
        read_all("-")
