"""Corpora as they are stored, and their variants."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from reproduction.run import Part, Parts, corpora, features
from setwise.exceptions import InvalidData, InvalidParameter
from tests.reproduction.tiny import write_corpus

Documents = list[tuple[float, ...]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_corpus(tmp_path)


def documents(name: str, folder: Path) -> tuple[Documents, Documents]:
    """Return the training and the test documents, features and labels side by side."""

    def rows(part: Part) -> Documents:
        return [tuple(row) for row in np.hstack([part.X.toarray(), part.y.toarray()])]

    train = Parts(name, folder).train()
    return rows(train), rows(Parts(name, folder).test(train))


def test_another_split_has_the_same_documents_in_other_parts(folder: Path) -> None:
    train, test = documents("tiny", folder)
    first, second = documents("tiny@split1", folder), documents("tiny@split2", folder)
    for new_train, new_test in (first, second):
        assert (len(new_train), len(new_test)) == (len(train), len(test))
        assert sorted([*new_train, *new_test]) == sorted([*train, *test])
    assert len({tuple(sorted(part[1])) for part in (first, second, (train, test))}) == 3
    assert documents("tiny@split1", folder) == first


def test_fewer_features_are_those_of_most_training_documents(folder: Path) -> None:
    whole, few = Parts("tiny", folder), Parts("tiny@5", folder)
    train = whole.train()
    counts = (train.X.toarray() != 0).sum(axis=0)
    columns = [column for column in range(12) if sorted(-counts).index(-counts[column]) < 5]
    assert few.train().X.shape == (120, 5)
    assert np.array_equal(few.train().X.toarray(), train.X.toarray()[:, columns])
    assert np.array_equal(few.test(few.train()).X.toarray(), whole.test(train).X.toarray()[:, columns])
    assert np.array_equal(few.train().y.toarray(), train.y.toarray())


def test_word_counts_are_weighted_by_training_documents(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_counts(folder / "tiny")
    monkeypatch.setattr(corpora, "COUNTS", ("tiny",))
    for name in ("tiny", "tiny@split3"):
        whole = Parts(name, folder)
        train = whole.train()
        assert train.weighting is not None
        for part in (train, whole.test(train)):
            assert np.allclose((part.X.toarray() ** 2).sum(axis=1), 1.0)
    train = Parts("tiny", folder).train()
    assert train.weighting is not None
    once, thrice = train.X.toarray()[2, [0, 3]] / train.weighting.idf_[[0, 3]]
    assert thrice / once == pytest.approx(1 + np.log(3))  # a second occurrence counts less than the first
    with pytest.raises(InvalidParameter, match="needs the weighting of its train part"):
        features("tiny", "test", folder=folder)


def write_counts(folder: Path) -> None:
    for part in ("train", "test"):
        with gzip.open(folder / f"{part}.svm.gz", "wt") as file:
            file.writelines(f"{number % 5} 1:1 {2 + number % 11}:{1 + number % 3}\n" for number in range(20))


@pytest.mark.parametrize("name", ["tiny@0", "tiny@split", "tiny@x", "tiny@-5"])
def test_other_variants_are_refused(folder: Path, name: str) -> None:
    with pytest.raises(InvalidParameter, match="A variant must be 'split' and a seed, or a number of features"):
        Parts(name, folder).train()


def test_a_missing_corpus_is_an_error(folder: Path) -> None:
    with pytest.raises(InvalidData, match="not found"):
        Parts("nowhere@split1", folder).stored()


def test_digests_differ_where_documents_do(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = write_corpus(tmp_path_factory.mktemp("other"), random_state=1)
    assert Parts("tiny", folder).digest() == Parts("tiny@split1", folder).digest() != Parts("tiny", other).digest()


def test_texts_become_words_of_enough_training_documents(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_texts(folder / "tiny")
    monkeypatch.setattr(corpora, "MIN_DF", {"tiny": 3})
    whole = Parts("tiny", folder)
    train = whole.train()
    test = whole.test(train)
    assert train.weighting is not None
    assert train.weighting.get_feature_names_out().tolist() == ["fox", "red"]
    assert train.X.shape == (4, 2)
    assert test.X.shape == (1, 2)
    assert np.allclose((test.X.toarray() ** 2).sum(axis=1), 1.0)
    assert train.y.toarray().tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert whole.size()[1] == 5
    with pytest.raises(InvalidParameter, match="needs the weighting of its train part"):
        features("tiny", "test", folder=folder)
    with pytest.raises(InvalidParameter, match="has no variants"):
        Parts("tiny@split1", folder).train()


def write_texts(folder: Path) -> None:
    names = (folder / "labels.txt").read_text().split()
    train = [("red fox", names[:1]), ("red hen", names[1:2]), ("Red fox!", names[:2]), ("fox", [])]
    for part, documents in {"train": train, "test": [("a red hen", names[:1])]}.items():
        with gzip.open(folder / f"{part}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps({"text": text, "labels": labels}) + "\n" for text, labels in documents)
