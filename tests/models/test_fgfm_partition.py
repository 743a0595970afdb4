"""The tests of dependence between labels, the pairs that are chosen, and the subsets that they connect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.special import erfc

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.models import fgfm_dependence
from setwise.models.fgfm_dependence import LEAST_DOCUMENTS, PairTests, document_folds, pair_tests
from setwise.models.fgfm_partition import connected_subsets, dependent_pairs, named_subsets
from tests.strategies import indicators

Labels = NDArray[np.int64]

N_PLANTED = 3


def planted_corpus(random_state: int, intercept: float = -1.0) -> tuple[sp.csr_array, Labels]:
    """Return documents whose labels share features; only labels 0 and 1, 2 and 3, 4 and 5 depend on one another too."""
    random = np.random.default_rng(random_state)
    X = sp.csr_array(random.normal(size=(800, 20)) * (random.random((800, 20)) < 0.5))
    scores = X @ (random.normal(size=(20, 14)) * (random.random((20, 14)) < 0.3)) + intercept
    y = (scores + random.logistic(size=scores.shape) > 0).astype(np.int64)
    for first in range(0, 2 * N_PLANTED, 2):
        copied = random.random(800) < 0.4
        y[copied, first + 1] = y[copied, first]
    return X, y


def statistics(X: Any, y: Any, sample_weight: Any = None, seed: int = 0, n_jobs: int = 1) -> PairTests:
    return pair_tests(X, LabelMatrix.of(y), sample_weight, 3, seed, n_jobs)


class TestDependence:
    def test_planted_pairs_are_found_and_hardly_any_other(self) -> None:
        """Twelve corpora with 3 of 91 pairs dependent: at a rate of 0.05, about two of 38 pairs found are false."""
        planted = {(first, first + 1) for first in range(0, 2 * N_PLANTED, 2)}
        n_true = n_false = 0
        for random_state in range(12):
            found = {(a, b) for a, b in dependent_pairs(statistics(*planted_corpus(random_state)), 0.05).tolist()}
            n_true += len(found & planted)
            n_false += len(found - planted)
        assert n_true == 12 * N_PLANTED
        assert n_false <= 5  # a Poisson number of mean 2 exceeds 5 with probability 0.02

    @pytest.mark.parametrize("intercept", [-3.0, -1.0, 1.0])
    def test_statistics_of_independent_labels_are_standard_normal_or_smaller(self, intercept: float) -> None:
        z = []
        for random_state in range(6):
            tests = statistics(*planted_corpus(random_state, intercept))
            first, second = np.triu_indices(tests.labels.size, k=1)
            independent = (tests.labels[first] >= 2 * N_PLANTED) | (tests.labels[second] >= 2 * N_PLANTED)
            z.append(tests.z[first, second][independent])
        every = np.concatenate(z)
        assert abs(every.mean()) < 0.2
        assert every.std() < 1.15
        assert (np.abs(every) > 1.96).mean() < 0.08

    def test_labels_that_share_features_alone_would_be_dependent_without_them(self) -> None:
        random = np.random.default_rng(5)
        X = random.normal(size=(1500, 3))
        scores = np.tile(3.0 * (X[:, :1] - X[:, 1:2]), (1, 2))
        y = (scores + random.logistic(size=scores.shape) > 0).astype(np.int64)
        assert np.asarray(np.corrcoef(y.T))[0, 1] > 0.4
        assert abs(statistics(X, y).z[0, 1]) < 3.0
        noise = sp.csr_array(random.normal(size=(1500, 3)))
        assert statistics(noise, y).z[0, 1] > 10.0

    def test_the_sign_tells_labels_that_exclude_one_another(self) -> None:
        X, y = planted_corpus(0)
        y[:, 7] &= 1 - y[:, 6]
        z = statistics(X, y).z
        assert z[6, 7] < -5.0
        assert z[0, 1] > 5.0
        assert_array_equal(z, z.T)

    def test_rare_labels_that_meet_by_chance_are_no_evidence(self) -> None:
        X, y = planted_corpus(0)
        y[:, 10:12] = 0
        y[:LEAST_DOCUMENTS, 10] = 1
        y[LEAST_DOCUMENTS - 1 : 2 * LEAST_DOCUMENTS - 1, 11] = 1  # one document has both
        y[:, 12] = 0
        y[: LEAST_DOCUMENTS - 1, 12] = 1
        y[:, 13] = 1
        tests = statistics(X, y)
        assert tests.labels.tolist() == list(range(12))
        assert abs(tests.z[10, 11]) <= 1.0

    def test_rare_labels_that_never_meet_are_no_evidence(self) -> None:
        """Of 40 documents each among 2000, 0.8 are expected to have both: none is nothing to be surprised at."""
        X, y = np.random.default_rng(0).normal(size=(2000, 3)), np.zeros((2000, 2), dtype=np.int64)
        y[:40, 0] = 1
        y[40:80, 1] = 1
        assert -1.0 < statistics(X, y).z[0, 1] < 0.0

    def test_weights_count_documents(self) -> None:
        X, y = planted_corpus(1)
        weight = 1.0 + (np.arange(800) % 4 == 0)
        weight[700:] = 0.0
        repeated = np.repeat(np.arange(800), weight.astype(np.int64))
        weighted, plain = statistics(X, y, weight), statistics(X[repeated], y[repeated])
        assert_array_equal(weighted.labels, plain.labels)
        assert_allclose(weighted.z, plain.z, rtol=0, atol=1e-3)  # the solver's tolerance
        assert np.abs(weighted.z - statistics(X, y).z).max() > 0.1

    def test_threads_and_the_order_of_documents_do_not_matter_but_the_seed_does(self) -> None:
        X, y = planted_corpus(2)
        one = statistics(X, y)
        assert_array_equal(one.z, statistics(X, y, n_jobs=2).z)
        order = np.random.default_rng(0).permutation(800)
        assert_allclose(one.z, statistics(X[order], y[order]).z, rtol=0, atol=1e-3)
        assert np.abs(one.z - statistics(X, y, seed=1).z).max() > 0.01

    def test_too_many_labels_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fgfm_dependence, "MOST_TESTED", 13)
        with pytest.raises(InvalidData, match=r"^At most 13 labels can be tested for dependence; got 14\. Hint: pass"):
            statistics(*planted_corpus(0))

    def test_equal_documents_are_in_one_fold(self) -> None:
        X = np.random.default_rng(0).normal(size=(300, 4))
        twice = sp.csr_array(np.concatenate([X, X]))
        fold_of = document_folds(twice, 3, 0)
        assert_array_equal(fold_of[:300], fold_of[300:])
        assert_array_equal(fold_of, document_folds(sp.csr_array(twice.tocoo()), 3, 0))
        assert np.bincount(fold_of, minlength=3).min() > 150
        assert (fold_of != document_folds(twice, 3, 1)).any()

    @settings(max_examples=40)
    @given(y=indicators(max_samples=24), random_state=st.integers(0, 100), some=st.booleans())
    def test_odd_labels_have_finite_statistics(self, y: Labels, random_state: int, some: bool) -> None:
        random = np.random.default_rng(random_state)
        X = sp.csr_array(random.integers(0, 2, size=(len(y), 3)) * (1.0 if some else 0.0))
        tests = statistics(np.repeat(X.toarray(), 3, axis=0), np.repeat(y, 3, axis=0))
        assert tests.z.shape == (tests.labels.size, tests.labels.size)
        assert np.isfinite(tests.z).all()
        assert some or not tests.z.any()  # equal documents have no folds


class TestPairs:
    def test_benjamini_and_hochberg_by_the_definition(self) -> None:
        random = np.random.default_rng(0)
        for rate in (0.01, 0.1, 0.5):
            z = np.triu(random.normal(size=(8, 8)) * 3.0, 1)
            tests = PairTests(np.arange(8), z + z.T)
            p = np.sort(erfc(np.abs(z[np.triu_indices(8, 1)]) / np.sqrt(2.0)))
            n_chosen = max((j for j in range(1, 29) if p[j - 1] <= rate * j / 28), default=0)
            found = dependent_pairs(tests, rate)
            assert len(found) == n_chosen > 0
            strength = np.abs(z[found[:, 0], found[:, 1]])
            assert (np.diff(strength) <= 0).all()
            assert strength.min() >= np.sort(np.abs(z[np.triu_indices(8, 1)]))[-n_chosen]

    def test_the_rates_at_the_ends(self) -> None:
        z = np.array([[0.0, 50.0, 0.0], [50.0, 0.0, 0.1], [0.0, 0.1, 0.0]])
        tests = PairTests(np.array([1, 4, 6]), z)
        assert dependent_pairs(tests, 0.0).tolist() == []
        assert dependent_pairs(tests, 0.05).tolist() == [[1, 4]]
        assert dependent_pairs(tests, 1.0).tolist() == [[1, 4], [4, 6], [1, 6]]
        assert dependent_pairs(PairTests(np.zeros(0, dtype=np.int64), np.zeros((0, 0))), 1.0).shape == (0, 2)


class TestSubsets:
    def test_connected_labels_are_a_subset(self) -> None:
        pairs = np.array([[5, 2], [0, 6], [2, 3]])
        assert connected_subsets(7, pairs, None).tolist() == [0, 1, 2, 2, 3, 2, 0]

    def test_the_strongest_pairs_come_first_where_subsets_are_small(self) -> None:
        pairs = np.array([[5, 2], [2, 3], [3, 4], [0, 4], [0, 1]])
        assert connected_subsets(6, pairs, 2).tolist() == [0, 0, 1, 2, 2, 1]
        assert connected_subsets(6, pairs, 3).tolist() == [0, 0, 1, 1, 0, 1]
        assert connected_subsets(6, pairs, 1).tolist() == list(range(6))
        assert connected_subsets(6, pairs, 6).tolist() == [0] * 6

    @given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30), st.integers(1, 9))
    def test_no_subset_is_larger_than_allowed(self, pairs: list[tuple[int, int]], largest: int) -> None:
        subset_of = connected_subsets(9, np.array(pairs, dtype=np.int64).reshape(-1, 2), largest)
        assert np.bincount(subset_of).max() <= largest
        assert (np.bincount(subset_of) > 0).all()

    def test_subsets_by_name(self) -> None:
        assert named_subsets([["c", "a"], ("d",)], ("a", "b", "c", "d")).tolist() == [0, 1, 0, 2]
        assert named_subsets([], ("a", "b")).tolist() == [0, 1]

    @pytest.mark.parametrize(
        ("partition", "message"),
        [
            ([["a"], "b"], "partition must be a list of lists of label names; got 'b' in it."),
            ([["a"], []], "partition must be a list of lists of label names; got [] in it."),
            ([["a", "x"]], "partition must list labels of y; got 'x'."),
            ([["a", 1]], "partition must list labels of y; got 1."),
            ([["a"], ["b", "a"]], "partition must list each label once; got 'a' twice."),
        ],
        ids=str,
    )
    def test_invalid_partitions_are_refused_in_one_sentence(self, partition: Any, message: str) -> None:
        with pytest.raises(InvalidParameter) as refusal:
            named_subsets(partition, ("a", "b"))
        assert str(refusal.value) == message
