from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from setwise.data import Corpus, find_corpus
from setwise.exceptions import InvalidData


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tiny = tmp_path / "tiny"
    tiny.mkdir()
    (tiny / "labels.txt").write_text("news\nsport\n", encoding="utf-8")
    (tiny / "features.txt").write_text("ball\nvote\nüber\n", encoding="utf-8")
    (tiny / "train.svm.gz").write_bytes(gzip.compress(b"0 2:1\n"))
    return tmp_path


def test_the_environment_variable_names_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETWISE_DATA", str(folder))
    corpus = find_corpus("tiny")
    assert corpus.label_names == ("news", "sport")
    assert corpus.feature_names == ("ball", "vote", "über")
    X, y = corpus.read("train")
    assert X.shape == (1, 3)
    assert y.shape == (1, 2)


def test_the_default_folder_is_used_without_the_variable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SETWISE_DATA", raising=False)
    assert find_corpus("tiny", default_folder=folder).folder == folder / "tiny"


def test_a_missing_corpus_is_an_error_with_a_hint(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETWISE_DATA", str(folder))
    with pytest.raises(InvalidData, match=r"Corpus 'big' not found: .*big is not a folder. Set SETWISE_DATA"):
        find_corpus("big")
    with pytest.raises(InvalidData, match=r"Cannot read .*test\.svm\.gz"):
        find_corpus("tiny").read("test")


def test_bibtex_is_the_corpus_of_the_paper(corpus: Callable[[str], Corpus]) -> None:
    bibtex = corpus("bibtex")
    X, y = bibtex.read("train")
    assert X.shape == (4880, 1836)
    assert y.shape == (4880, 159)
    assert len(set(bibtex.label_names)) == 159
