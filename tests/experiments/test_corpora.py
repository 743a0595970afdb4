"""Corpora as they are stored, and varied."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.experiments import corpora
from setwise.experiments.corpora import Parts
from tests.experiments.tiny import write_corpus


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_corpus(tmp_path)


def documents(name: str, folder: Path) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """The training and the test documents, features and labels side by side."""
    train = Parts(name, folder).train()
    test = Parts(name, folder).test(train)
    return tuple(  # type: ignore[return-value]
        [tuple(row) for row in np.hstack([part.X.toarray(), part.y.toarray()])] for part in (train, test)
    )


def test_a_split_anew_has_the_same_documents_in_other_places(folder: Path) -> None:
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
    kept = [column for column in range(12) if sorted(-counts).index(-counts[column]) < 5]
    assert few.train().X.shape == (120, 5)
    assert np.array_equal(few.train().X.toarray(), train.X.toarray()[:, kept])
    assert np.array_equal(few.test(few.train()).X.toarray(), whole.test(train).X.toarray()[:, kept])
    assert np.array_equal(few.train().y.toarray(), train.y.toarray())


def test_counts_of_words_are_weighed_by_training_documents(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert thrice / once == pytest.approx(1 + np.log(3))  # a second occurrence says less than the first
    with pytest.raises(InvalidParameter, match="must be given the weighting"):
        corpora.features("tiny", "test", folder=folder)


def write_counts(folder: Path) -> None:
    for part in ("train", "test"):
        with gzip.open(folder / f"{part}.svm.gz", "wt") as file:
            file.writelines(f"{number % 5} 1:1 {2 + number % 11}:{1 + number % 3}\n" for number in range(20))


@pytest.mark.parametrize("name", ["tiny@0", "tiny@split", "tiny@x", "tiny@-5"])
def test_other_variations_are_refused(folder: Path, name: str) -> None:
    with pytest.raises(InvalidParameter, match="A corpus must be varied by"):
        Parts(name, folder).train()


def test_missing_corpora_are_told(folder: Path) -> None:
    with pytest.raises(InvalidData, match="must be a folder"):
        Parts("nowhere@split1", folder).stored()


def test_digests_differ_where_documents_do(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = write_corpus(tmp_path_factory.mktemp("other"), seed=1)
    assert Parts("tiny", folder).digest() == Parts("tiny@split1", folder).digest() != Parts("tiny", other).digest()
