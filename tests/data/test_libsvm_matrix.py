from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.data import Corpus, read_libsvm
from setwise.exceptions import InvalidData


def written(folder: Path, text: str, name: str = "docs.svm") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["docs.svm", "docs.svm.gz"])
def test_worked_example(tmp_path: Path, name: str) -> None:
    text = "0,2 1:0.5 3:-2e-1\n 2:1\n1\n\n2:4\n1,1 3:1 1:1\n"
    X, y = read_libsvm(written(tmp_path, text, name))
    np.testing.assert_array_equal(
        X.toarray(), np.array([[0.5, 0, -0.2], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 4, 0], [1, 0, 1]], np.float32)
    )
    np.testing.assert_array_equal(y.toarray(), [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0]])
    assert X.dtype == np.float32
    assert X.has_canonical_format
    assert y.has_canonical_format
    assert X.indices.dtype == y.indices.dtype == np.int32


def test_line_ends_may_be_those_of_windows_and_the_last_may_be_missing(tmp_path: Path) -> None:
    X, y = read_libsvm(written(tmp_path, "0 1:1\r\n1 2:1"))
    np.testing.assert_array_equal(X.toarray(), np.eye(2))
    np.testing.assert_array_equal(y.toarray(), np.eye(2))


def test_given_widths_are_kept(tmp_path: Path) -> None:
    X, y = read_libsvm(written(tmp_path, "0 1:1\n"), n_features=5, n_labels=4)
    assert X.shape == (1, 5)
    assert y.shape == (1, 4)


DOCUMENTS = st.lists(
    st.tuples(
        st.sets(st.integers(0, 9)),
        st.dictionaries(st.integers(1, 30), st.floats(-1e6, 1e6, width=32).filter(bool), max_size=6),
    ),
    min_size=1,
    max_size=8,
)


@given(DOCUMENTS)
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, documents: list[tuple[set[int], dict[int, float]]]
) -> None:
    lines = [
        " ".join([",".join(map(str, labels)), *(f"{feature}:{value!r}" for feature, value in entries.items())])
        for labels, entries in documents
    ]
    X, y = read_libsvm(written(tmp_path_factory.mktemp("svm"), "\n".join(lines) + "\n"), 30, 10)
    for document, (labels, entries) in enumerate(documents):
        assert set(y[[document]].indices.tolist()) == labels
        row = X[[document]]
        assert dict(zip((row.indices + 1).tolist(), row.data.tolist(), strict=True)) == entries


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1:1\n1 2:x\n", r"line 2, column 3: an entry must be `feature:value` with a finite number; got '2:x'\.$"),
        ("0 1:nan\n", "line 1, column 3: an entry must be .* finite number; got '1:nan'"),
        ("0 1:1:2\n", "got '1:1:2'"),
        ("0 1\n", "line 1, column 3: an entry must be .*; got '1'"),
        ("0 -1:2\n", "got '-1:2'"),
        ("a,b 1:1\n", "line 1, column 1: labels must be whole numbers separated by commas; got 'a'"),
        ("0,,1 1:1\n", "got '0,,1'"),
        ("-1 1:1\n", "got '-1'"),
        ("0 1:1\n\x00\x01\n", "line 2, column 1: labels must be whole numbers"),
        (" 0 1:1\n", "line 1, column 2: an entry must be `feature:value` with a finite number; got '0'"),
        ("0 0:1\n", "line 1, column 3: features must lie between 1 and 3; got 0"),
        ("\n0 4:1\n", "line 2, column 3: features must lie between 1 and 3; got 4"),
        ("0\n\n1,7 1:1\n", "line 3, column 1: labels must lie between 0 and 4; got 7"),
        ("0 1:1 1:2\n", "line 1: a feature must occur once per document; got 1 twice"),
        ("0 1:1e39\n", "line 1: a value must be at most 3.4e\\+38 \\(single precision\\); got a larger one"),
        ("0 %s:1\n" % ("9" * 400), "line 1, column 3: features must lie between 1 and 3; got 9{40}"),
        ("9" * 5000 + " 1:1\n", "line 1, column 1: labels must lie between 0 and 4; got 9{20}"),
        ("0 1:" + "1" * 100000 + "x\n", "line 1, column 3: an entry must be"),
        ("", "contains no documents: it is empty"),
    ],
)
def test_a_bad_file_is_refused_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InvalidData, match=message) as refused:
        read_libsvm(path, n_features=3, n_labels=5)
    assert str(refused.value).startswith(str(path))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"Cannot read .*: No such file"):
        read_libsvm(tmp_path / "absent.svm")
    with pytest.raises(InvalidData, match="is a directory. Give a file"):
        read_libsvm(tmp_path)
    plain = tmp_path / "plain.svm.gz"
    plain.write_bytes(b"0 1:1\n")
    with pytest.raises(InvalidData, match="Cannot read .*: Not a gzipped file"):
        read_libsvm(plain)
    cut = tmp_path / "cut.svm.gz"
    cut.write_bytes(gzip.compress(b"0 1:1\n" * 1000)[:-20])
    with pytest.raises(InvalidData, match="is a truncated or damaged gzip file"):
        read_libsvm(cut)


def test_news_corpus_is_read_in_a_moment(corpus: Callable[[str], Corpus]) -> None:
    found = corpus("rcv1sub1")
    start = perf_counter()
    X, y = found.read("train")
    assert perf_counter() - start < 3.0
    assert X.shape == (3000, 47236)
    assert y.shape == (3000, 103)
