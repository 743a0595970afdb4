"""Sparse matrices whose index arrays lie: an error in one sentence, never a crash; and nobody's matrix is changed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from setwise import SetClassifier, decide
from setwise.exceptions import InvalidData
from setwise.learners import fit_labels
from setwise.metrics import instance_f1
from setwise.models import BernoulliMixture, BinaryRelevance

N, D, L = 40, 30, 3


def features(format: str = "csr") -> Any:
    return sp.random_array((N, D), density=0.2, format=format, rng=np.random.default_rng(0))


def labels() -> Any:
    return (np.random.default_rng(1).random((N, L)) < 0.4).astype(int)


def damaged(damage: str, format: str = "csr") -> Any:
    matrix = features(format)
    match damage:
        case "index too large":
            matrix.indices[3] = 10**8
        case "index below zero":
            matrix.indices[3] = -5
        case "start too large":
            matrix.indptr[5] = 10**8
        case "starts fall":
            matrix.indptr[5] = matrix.indptr[7] + 1
        case "end too large":
            matrix.indptr[-1] += 1000
    return matrix


DAMAGES = ("index too large", "index below zero", "start too large", "starts fall", "end too large")
FITTED = SetClassifier(BinaryRelevance(), "support", "gfm", calibration=None).fit(features(), labels())

USES = {
    "fit a classifier": lambda bad: SetClassifier(budget="quick").fit(bad, labels()),
    "predict": lambda bad: FITTED.predict(bad),
    "fit a learner": lambda bad: fit_labels(bad, labels(), strength=0.01),
    "fit a model": lambda bad: BernoulliMixture(2).fit(bad, labels()),
    "score sets": lambda bad: FITTED.model_.posterior(bad).log_prob(labels()),
    "labels to fit to": lambda bad: BinaryRelevance().fit(features(), bad),
    "labels to compare": lambda bad: instance_f1(bad, bad),
    "probabilities to decide by": lambda bad: decide(bad, np.eye(D, dtype=int)),
}


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_a_damaged_sparse_matrix_is_an_error(use: Any, damage: str, format: str) -> None:
    with pytest.raises(InvalidData, match="damaged sparse matrix"):
        use(damaged(damage, format))


def test_coordinates_out_of_range_are_an_error() -> None:
    matrix = features("coo")
    matrix.coords[1][3] = D + 5
    with pytest.raises(InvalidData, match=f"index {D + 5}, outside 0 to {D - 1}"):
        fit_labels(matrix, labels(), strength=0.01)


def test_a_damaged_matrix_does_not_end_the_process() -> None:
    """In a process of its own: what this guards against takes the tests with it."""
    program = (
        "from tests.learners.test_damaged_matrices import damaged, labels\n"
        "from setwise import SetClassifier\n"
        "try: SetClassifier(budget='quick').fit(damaged('index too large'), labels())\n"
        "except Exception as error: print(type(error).__name__)\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (found.returncode, found.stdout.strip()) == (0, "InvalidData")


@pytest.mark.parametrize("model", [BinaryRelevance(), BernoulliMixture(2, max_iter=2)], ids=["br", "cbm"])
def test_fit_leaves_a_matrix_with_repeated_and_unsorted_entries_as_it_was(model: Any) -> None:
    entries = np.array([2.0, 1.0, 3.0] * N), np.array([5, 2, 5] * N), np.arange(0, 3 * N + 1, 3)
    matrix = sp.csr_array(tuple(part.copy() for part in entries), shape=(N, D))
    model.fit(matrix, labels())
    for before, after in zip(entries, (matrix.data, matrix.indices, matrix.indptr), strict=True):
        np.testing.assert_array_equal(before, after)
