from __future__ import annotations

from collections.abc import Callable

import pytest

from setwise.data import Corpus, CorpusStatistics, Names, TextDocument, open_documents, statistics
from setwise.labels import LabelMatrix, Support
from tests.data.examples import VECTOR_NAMES, VECTORS, vector


def test_worked_example_of_texts() -> None:
    documents = [
        TextDocument("a", ("x", "y")),
        TextDocument(" \n", ("y", "x")),
        TextDocument("c", ()),
        TextDocument("d", ("x",)),
        TextDocument("e", None),
    ]
    assert statistics(documents) == CorpusStatistics(
        labels=2,
        label_sets=3,
        features=None,
        instances=5,
        cardinality=5 / 4,
        instances_per_label=5 / 2,
        unseen_labels=0,
        without_labels=1,
        unlabeled=1,
        empty=1,
    )


def test_worked_example_of_vectors() -> None:
    counted = statistics(VECTORS, VECTOR_NAMES)
    assert (counted.labels, counted.features, counted.label_sets, counted.empty) == (3, 3, 4, 1)
    assert statistics([vector({6: 1.0}), vector({2: 1.0})]).features == 7
    assert statistics([vector({}, ("a",))], Names(("a", "b"))).unseen_labels == 1


def test_without_labels_what_speaks_of_them_does_not_apply() -> None:
    counted = statistics([TextDocument("a")])
    assert (counted.labels, counted.label_sets, counted.cardinality, counted.instances_per_label) == (None,) * 4
    counted = statistics([TextDocument("a", ())])
    assert (counted.labels, counted.label_sets, counted.cardinality, counted.instances_per_label) == (0, 1, 0.0, None)


def test_label_sets_are_counted_as_the_support_counts_them() -> None:
    labels = [("a",), (), ("b", "a"), ("a", "b"), ()]
    counted = statistics(TextDocument("", names) for names in labels)
    assert counted.label_sets == Support.of(LabelMatrix.of(labels)).n_sets


@pytest.mark.parametrize(("name", "sets"), [("bibtex", 2058), ("tmc2007_500", 1172)])
def test_corpora_of_the_paper(corpus: Callable[[str], Corpus], name: str, sets: int) -> None:
    """Table 1: label sets in training."""
    with open_documents(corpus(name).folder / "train.svm.gz") as documents:
        counted = statistics(documents, documents.names)
    assert counted.label_sets == sets
    assert counted.labels == len(corpus(name).label_names)
