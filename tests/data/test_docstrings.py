"""The corpus of docstrings: read from sources, never run."""

from __future__ import annotations

from collections import Counter

import pytest

from setwise.data.docstrings import LEAST_DOCUMENTS, SHORTEST, Docstring, collect_docstrings


@pytest.fixture(scope="module")
def found() -> list[Docstring]:
    return collect_docstrings()


def test_it_is_large_and_every_label_has_documents(found: list[Docstring]) -> None:
    assert len(found) > 8000
    counts = Counter(label for one in found for label in one.labels)
    assert min(counts.values()) >= LEAST_DOCUMENTS
    assert {"python", "numpy", "scipy", "sklearn", "class", "method", "function", "has an example", "raises"} <= set(
        counts
    )
    assert len(counts) > 120
    assert len({one.labels for one in found}) > 700
    assert all(one.labels and len(one.text) >= SHORTEST for one in found)


def test_labels_are_place_and_kind(found: list[Docstring]) -> None:
    by_name = {one.name: one for one in found}
    svd = by_name["scipy.linalg._decomp_svd.svd"]
    assert {"scipy", "scipy.linalg", "function", "returns", "raises", "has an example"} <= set(svd.labels)
    assert "python.json" not in svd.labels
    fit = by_name["sklearn.linear_model._logistic.LogisticRegression.fit"]
    assert {"sklearn", "sklearn.linear_model", "method"} <= set(fit.labels)


def test_the_order_is_the_same_each_time(found: list[Docstring]) -> None:
    assert [one.name for one in collect_docstrings()] == [one.name for one in found]
