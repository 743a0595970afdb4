"""RAkEL: its labelsets, and identities with the multinomial learner, PowerSet and BR."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from setwise.exceptions import InvalidParameter
from setwise.learners import fit_classes
from setwise.models import BinaryRelevance, PowerSet, RandomLabelsets
from tests.models.corpora import small_corpus

X, y = small_corpus(n=90)
N_LABELS = y.shape[1]


def test_one_labelset_of_all_labels_has_the_marginals_of_the_powerset() -> None:
    rakel = RandomLabelsets(0.01, 0.5, labelset_size=N_LABELS, tol=1e-9).fit(X, y)
    power = PowerSet(0.01, 0.5, tol=1e-8, max_iter=5000).fit(X, y)
    assert_array_equal(rakel.labelsets_, [np.arange(N_LABELS)])
    assert_allclose(rakel.posterior(X).marginals(), power.posterior(X).marginals(), atol=1e-5)


def test_labelsets_of_one_label_are_br() -> None:
    """Two classes are the binary learner with its squared term halved."""
    rakel = RandomLabelsets(0.02, 0.0, labelset_size=1, n_labelsets=N_LABELS, tol=1e-9).fit(X, y)
    br = BinaryRelevance(0.01, 0.0, tol=1e-9).fit(X, y)
    assert_allclose(rakel.posterior(X).marginals(), br.posterior(X).marginals(), atol=1e-6)


def test_a_label_has_the_mean_probability_of_its_labelsets() -> None:
    model = RandomLabelsets(0.01, labelset_size=2, n_labelsets=7, random_state=3).fit(X, y)
    total, count = np.zeros((len(y), N_LABELS)), np.zeros(N_LABELS)
    for labelset in model.labelsets_:
        found, of_document = np.unique(y[:, labelset], axis=0, return_inverse=True)
        fit = fit_classes(X, np.eye(len(found))[of_document.ravel()], strength=0.01, l1_ratio=0.5)
        scores = fit.scores(X)
        chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        total[:, labelset] += chances @ found
        count[labelset] += 1
    assert_allclose(model.posterior(X).marginals(), total / count, atol=1e-10)


@pytest.mark.parametrize(("n_labels", "size", "number"), [(5, 3, 4), (6, 3, 12), (7, 2, 14), (4, 4, 9), (2, 3, 5)])
def test_labelsets_are_distinct_labels_and_cover_all(n_labels: int, size: int, number: int) -> None:
    for seed in range(20):
        drawn = RandomLabelsets(labelset_size=size, n_labelsets=number, random_state=seed)._draw(n_labels)
        assert all(np.unique(one).size == one.size == min(size, n_labels) for one in drawn)
        assert np.unique(drawn).size == n_labels
        assert len(drawn) == (1 if size >= n_labels else number)


def test_the_seed_chooses_the_labelsets() -> None:
    first, again, other = (RandomLabelsets(random_state=seed, labelset_size=2)._draw(9) for seed in (0, 0, 1))
    assert_array_equal(first, again)
    assert (first != other).any()


def test_too_few_labelsets_are_refused() -> None:
    with pytest.raises(InvalidParameter, match=f"n_labelsets must be at least {-(-N_LABELS // 3)}"):
        RandomLabelsets(n_labelsets=1).fit(X, y)
