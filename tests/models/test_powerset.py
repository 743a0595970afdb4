"""PowerSet: the multinomial over training sets, and pruned sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from setwise.labels import LabelMatrix, Support
from setwise.learners import fit_classes
from setwise.models import PairwiseCRF, PowerSet
from setwise.models.powerset import _with_subsets
from tests.models.corpora import small_corpus
from tests.oracles.sets import every_set

X, y = small_corpus(n=90)


def one_hot(labels: np.ndarray) -> sp.csr_array:
    """The set of each document as a class."""
    support = Support.of(LabelMatrix.of(labels))
    return sp.csr_array(np.eye(support.n_sets)[support.set_of])


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_it_is_the_multinomial_learner_on_the_sets(l1_ratio: float) -> None:
    model = PowerSet(0.01, l1_ratio, tol=1e-7, max_iter=5000).fit(X, y)
    fit = fit_classes(X, one_hot(y), strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
    assert model.objective_ == pytest.approx(fit.objective, abs=1e-8)
    assert model.violation_ <= 1e-7
    scores = fit.scores(X)
    expected = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    assert_allclose(model.posterior(X).log_prob(Support.of(LabelMatrix.of(y)).sets), expected, atol=1e-4)


def test_documents_of_one_label_each_make_it_a_field_without_pairs() -> None:
    single = np.eye(3, dtype=np.int64)[np.arange(90) % 3]
    options: dict[str, Any] = {"tol": 1e-9, "max_iter": 5000}
    power = PowerSet(0.02, 0.0, **options).fit(X, single)
    field = PairwiseCRF(0.02, 0.0, pairs=False, **options).fit(X, single)
    sets = every_set(3)
    assert_allclose(power.posterior(X).log_prob(sets), field.posterior(X).log_prob(sets), atol=1e-6)


def test_unseen_sets_have_no_probability() -> None:
    model = PowerSet(0.01).fit(X, [["a"], ["b"], ["a", "c"]] * 30)
    assert model.posterior(X).log_prob([["c"], ["a", "b"], []]).max() == -np.inf


class TestPrunedSets:
    LABELS = LabelMatrix.of(
        [["a"]] * 4 + [["b"]] * 3 + [["a", "b"]] * 3 + [["a", "b", "c"]] + [["c"]] + [["b", "d"]] + [["a", "d"]] * 3
    )

    def test_a_rare_set_counts_as_its_largest_frequent_subsets(self) -> None:
        support = Support.of(self.LABELS)
        kept = support.at_least(3)
        rows, sets, weight = _with_subsets(support, kept, np.ones(16), 2)
        names = kept.sets.name_lists()
        of_document = {int(row): [names[s] for s in sets[rows == row]] for row in np.unique(rows)}
        assert of_document[10] == [["a", "b"], ["a"]]  # of a, b, c: the largest, then the most frequent
        assert of_document[12] == [["b"]]
        assert 11 not in of_document  # c has no frequent subset
        assert_array_equal(weight[rows == 10], [0.5, 0.5])
        assert np.unique(weight[rows != 10]).tolist() == [1.0]
        assert len(names) == 4

    def test_one_subset_per_rare_set(self) -> None:
        support = Support.of(self.LABELS)
        rows, sets, weight = _with_subsets(support, support.at_least(3), np.ones(16), 1)
        assert np.unique(rows).size == rows.size == weight.sum() == 15

    def test_only_frequent_sets_have_probability(self) -> None:
        documents = sp.csr_array(np.random.default_rng(0).random((16, 5)))
        model = PowerSet(0.01, min_count=3).fit(documents, self.LABELS)
        assert model.sets_.shape[0] == 4
        assert model.counts_.tolist() == [4, 3, 3, 3]
        log_prob = model.posterior(documents).log_prob([["a", "b"], ["a", "b", "c"], ["c"]])
        assert np.isfinite(log_prob[:, 0]).all()
        assert (log_prob[:, 1:] == -np.inf).all()

    def test_it_is_the_fit_to_the_documents_that_stand_in(self) -> None:
        documents = sp.csr_array(np.random.default_rng(0).random((16, 5)))
        support = Support.of(self.LABELS)
        kept = support.at_least(3)
        rows, sets, weight = _with_subsets(support, kept, np.ones(16), 2)
        pruned = PowerSet(0.01, min_count=3, tol=1e-8).fit(documents, self.LABELS)
        plain = PowerSet(0.01, tol=1e-8).fit(documents[rows], kept.sets.take(sets), weight)
        assert pruned.objective_ == pytest.approx(plain.objective_, abs=1e-9)
