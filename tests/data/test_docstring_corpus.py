"""The corpus of docstrings, read from source files that are not imported."""

from __future__ import annotations

from collections import Counter

import pytest

from setwise.data import Docstring, collect_docstrings
from setwise.data.docstring_corpus import MIN_CHARACTERS, MIN_DOCUMENTS


@pytest.fixture(scope="module")
def docstrings() -> list[Docstring]:
    return collect_docstrings()


def test_it_is_large_and_every_label_has_documents(docstrings: list[Docstring]) -> None:
    assert len(docstrings) > 8000
    counts = Counter(label for one in docstrings for label in one.labels)
    assert min(counts.values()) >= MIN_DOCUMENTS
    assert {"python", "numpy", "scipy", "sklearn", "class", "method", "function", "has an example", "raises"} <= set(
        counts
    )
    assert len(counts) > 120
    assert len({one.labels for one in docstrings}) > 700
    assert all(one.labels and len(one.text) >= MIN_CHARACTERS for one in docstrings)


def test_labels_are_module_kind_and_content(docstrings: list[Docstring]) -> None:
    by_name = {one.name: one for one in docstrings}
    svd = by_name["scipy.linalg._decomp_svd.svd"]
    assert {"scipy", "scipy.linalg", "function", "returns", "raises", "has an example"} <= set(svd.labels)
    assert "python.json" not in svd.labels
    fit = by_name["sklearn.linear_model._logistic.LogisticRegression.fit"]
    assert {"sklearn", "sklearn.linear_model", "method"} <= set(fit.labels)


@pytest.mark.slow
def test_the_order_is_the_same_each_time(docstrings: list[Docstring]) -> None:
    assert [one.name for one in collect_docstrings()] == [one.name for one in docstrings]
