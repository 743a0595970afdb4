"""Classifier chains against the enumeration of every set."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from setwise.abilities import FindsMode, GivesMarginals, GivesSizeMarginals, Samples, ScoresSets, require
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter, NotConverged
from setwise.labels import LabelMatrix, Support
from setwise.learners import fit_labels
from setwise.models.pcc import ClassifierChain
from tests.learners.problems import random_features, random_labels, same_bits
from tests.models.chains import expected_log_prob, made_chain, random_chain
from tests.oracles.chain import every_set
from tests.oracles.logistic import recompute_violation

SEEDS = st.integers(0, 2**32 - 1)


def corpus_of(random_state: int = 0, n: int = 80, d: int = 10, n_labels: int = 5) -> tuple[sp.csr_array, Any]:
    """Documents whose last label is mostly the first one."""
    random = np.random.default_rng([random_state, n, d])
    X = random_features(random, n, d, "float64", density=0.5)
    y = random_labels(random, X, n_labels, share=0.35)
    y[:, -1] = np.where(random.random(n) < 0.9, y[:, 0], 1 - y[:, 0])
    return sp.csr_array(X), y


class TestLogProb:
    def test_two_labels_by_hand(self) -> None:
        """p(a) = 1/2; p(b | not a) = 1/4, p(b | a) = 3/4."""
        model = made_chain([[0, 1]], np.zeros((1, 2, 1)), [[[0, 0], [2 * np.log(3), 0]]], [[0, -np.log(3)]])
        probability = np.exp(model.log_prob([[1.0]], [[], ["label 0"], ["label 1"], ["label 0", "label 1"]]))
        assert probability == pytest.approx(np.array([[3, 1, 1, 3]]) / 8, abs=1e-15)

    @settings(max_examples=60)
    @given(SEEDS, st.integers(1, 8), st.integers(1, 3), st.sampled_from([0.1, 1.0, 10.0]), st.integers(1, 19))
    def test_is_that_of_the_oracle_and_sums_to_one(
        self, random_state: int, n_labels: int, n_chains: int, spoken: float, n_documents: int
    ) -> None:
        random = np.random.default_rng(random_state)
        model = random_chain(random, n_labels, n_chains, spoken=spoken)
        X, sets = random.normal(size=(n_documents, 3)), every_set(n_labels)
        log_prob = model.log_prob(X, sets)
        assert log_prob == pytest.approx(expected_log_prob(model, X, sets), rel=1e-13, abs=1e-12)
        assert np.exp(log_prob).sum(axis=1) == pytest.approx(1.0, abs=1e-12)

    @pytest.mark.parametrize("scale", [1.0, 300.0, 5000.0])
    @pytest.mark.parametrize("spoken", [1.0, 25.0, 400.0])
    def test_scores_and_feedback_of_any_size(self, scale: float, spoken: float) -> None:
        """Odds would overflow beyond a logit of 709."""
        random = np.random.default_rng(int(scale + spoken))
        model = random_chain(random, 6, 2, scale=scale, spoken=spoken)
        X, sets = random.normal(size=(21, 3)), every_set(6)
        log_prob = model.log_prob(X, sets)
        assert np.isfinite(log_prob).all()
        assert log_prob == pytest.approx(expected_log_prob(model, X, sets), rel=1e-12, abs=1e-12 + 1e-14 * scale)

    @settings(max_examples=20)
    @given(SEEDS, st.integers(1, 6))
    def test_without_feedback_it_is_binary_relevance(self, random_state: int, n_labels: int) -> None:
        random = np.random.default_rng(random_state)
        model = random_chain(random, n_labels, spoken=0.0)
        X, sets = random.normal(size=(5, 3)), every_set(n_labels)
        scores = X @ model.coef_.toarray().T + model.intercept_
        independent = scores @ sets.T - np.logaddexp(0.0, scores).sum(axis=1, keepdims=True)
        assert model.log_prob(X, sets) == pytest.approx(independent, abs=1e-12)

    @pytest.mark.parametrize("spoken", [1.0, 400.0])
    def test_neither_other_documents_nor_other_sets_nor_threads_change_a_bit(self, spoken: float) -> None:
        random = np.random.default_rng(3)
        model = random_chain(random, 7, 2, spoken=spoken)
        X, sets = sp.csr_array(random.normal(size=(20, 3))), every_set(7)
        whole = model.log_prob(X, sets)
        shuffled = random.permutation(len(sets))
        assert np.array_equal(model.log_prob(X, sets[shuffled]), whole[:, shuffled])
        assert np.array_equal(np.vstack([model.log_prob(X[[i]], sets) for i in range(20)]), whole)
        assert np.array_equal(np.hstack([model.log_prob(X, sets[[s]]) for s in range(len(sets))]), whole)
        assert np.array_equal(model.log_prob(X, np.vstack([sets, sets])), np.hstack([whole, whole]))
        assert np.array_equal(model.set_params(n_jobs=2).log_prob(X, sets), whole)

    def test_sets_come_in_every_form(self) -> None:
        model = random_chain(np.random.default_rng(4), 3)
        X, sets = np.eye(3), np.array([[0, 0, 0], [1, 0, 1]])
        expected = model.log_prob(X, sets)
        for form in (sp.coo_array(sets), [[], ["label 2", "label 0"]], LabelMatrix.of(sets, model.classes_)):
            assert np.array_equal(model.log_prob(X, form), expected)

    def test_documents_without_features_have_the_intercepts(self) -> None:
        model = random_chain(np.random.default_rng(5), 4)
        nothing = sp.csr_array((2, 3))
        expected = expected_log_prob(model, np.zeros((2, 3)), every_set(4))
        assert model.log_prob(nothing, every_set(4)) == pytest.approx(expected, abs=1e-13)

    def test_what_does_not_fit_is_refused(self) -> None:
        model = random_chain(np.random.default_rng(6), 4)
        with pytest.raises(InvalidData, match="X must have the 3 features of the fit; got 2"):
            model.log_prob(np.eye(2), every_set(4))
        with pytest.raises(InvalidData, match="sets must have one column a name; got 3 columns and 4 names"):
            model.log_prob(np.eye(3), every_set(3))
        with pytest.raises(NotFittedError):
            ClassifierChain().log_prob(np.eye(3), every_set(3))


class TestMode:
    @settings(max_examples=40)
    @given(SEEDS, st.integers(1, 6), st.integers(1, 3))
    def test_a_beam_that_is_wide_enough_finds_the_best_of_all(
        self, random_state: int, n_labels: int, n_chains: int
    ) -> None:
        random = np.random.default_rng(random_state)
        model = random_chain(random, n_labels, n_chains, spoken=2.0, beam_width=2**n_labels)
        X, sets = random.normal(size=(9, 3)), every_set(n_labels)
        modes, expected = model.mode(X), expected_log_prob(model, X, sets)
        assert modes.exact.all()
        assert modes.log_prob == pytest.approx(expected.max(axis=1), abs=1e-12)
        assert np.array_equal(modes.sets.toarray(), sets[expected.argmax(axis=1)])

    @settings(max_examples=60)
    @given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.integers(1, 12))
    def test_what_a_narrow_beam_calls_exact_is(
        self, random_state: int, n_labels: int, n_chains: int, width: int
    ) -> None:
        random = np.random.default_rng(random_state)
        model = random_chain(random, n_labels, n_chains, scale=0.7, spoken=3.0, beam_width=width)
        X, sets = random.normal(size=(9, 3)), every_set(n_labels)
        modes, best = model.mode(X), expected_log_prob(model, X, sets).max(axis=1)
        assert (modes.log_prob <= best + 1e-12).all()
        assert modes.log_prob[modes.exact] == pytest.approx(best[modes.exact], abs=1e-12)
        chosen = [expected_log_prob(model, X[[i]], modes.sets[[i]].toarray())[0, 0] for i in range(9)]
        assert modes.log_prob == pytest.approx(np.array(chosen), abs=1e-12)

    def test_a_beam_of_one_can_be_led_astray_and_says_so(self) -> None:
        """Label 0 has p = 0.6, and with it label 1 is as likely as not; without it, label 1 is all but certain."""
        feedback = [[[0, 0], [-20, 0]]]
        model = made_chain([[0, 1]], np.zeros((1, 2, 1)), feedback, [[np.log(1.5), 20.0]], beam_width=1)
        narrow = model.mode([[0.0]])
        assert narrow.sets.toarray().tolist() == [[1, 0]]
        assert np.exp(narrow.log_prob[0]) == pytest.approx(0.3)
        assert not narrow.exact[0]
        wide = model.set_params(beam_width=2).mode([[0.0]])
        assert wide.sets.toarray().tolist() == [[0, 1]]
        assert np.exp(wide.log_prob[0]) == pytest.approx(0.4)
        assert wide.exact[0]

    def test_a_search_that_prunes_can_still_be_proved_exact(self) -> None:
        scores = np.linspace(-9, 9, 30)
        model = made_chain([np.arange(30)], np.zeros((1, 30, 1)), np.zeros((1, 30, 30)), [scores])
        modes = model.mode([[0.0]])
        assert modes.exact.all()
        assert np.array_equal(modes.sets.toarray()[0], scores > 0)

    @pytest.mark.parametrize("n_chains", [1, 3])
    def test_of_sets_as_probable_the_first_in_label_order_is_chosen(self, n_chains: int) -> None:
        orders = [[2, 0, 1], [1, 2, 0], [0, 1, 2]][:n_chains]
        zeros = np.zeros((n_chains, 3))
        tied = made_chain(orders, zeros[..., None], np.zeros((n_chains, 3, 3)), zeros, beam_width=8)
        assert tied.mode([[0.0]]).sets.toarray().tolist() == [[0, 0, 0]]

    def test_a_tie_is_broken_by_labels_not_by_the_order_of_the_chain(self) -> None:
        """{0} and {1} share the lead; the first set of the chain, in the order of its own labels, is {1}."""
        model = made_chain([[1, 0]], np.zeros((1, 2, 1)), [[[0, -80.0], [0, 0]]], [[40.0, 0.0]])
        assert model.mode([[0.0]]).sets.toarray().tolist() == [[1, 0]]
        swapped = made_chain([[0, 1]], np.zeros((1, 2, 1)), [[[0, 0], [-80.0, 0]]], [[0.0, 40.0]])
        assert swapped.mode([[0.0]]).sets.toarray().tolist() == [[1, 0]]

    def test_neither_other_documents_nor_threads_change_a_bit(self) -> None:
        random = np.random.default_rng(7)
        model = random_chain(random, 12, 2, scale=0.5, beam_width=6)
        X = random.normal(size=(20, 3))
        whole = model.mode(X)
        assert 0 < whole.exact.sum() < 20
        for i in range(20):
            alone = model.mode(X[[i]])
            assert np.array_equal(alone.sets.toarray()[0], whole.sets.toarray()[i])
            assert (alone.log_prob[0], alone.exact[0]) == (whole.log_prob[i], whole.exact[i])
        both = model.set_params(n_jobs=2).mode(X)
        assert np.array_equal(both.sets.toarray(), whole.sets.toarray())
        assert np.array_equal(both.log_prob, whole.log_prob)
        assert np.array_equal(both.exact, whole.exact)

    def test_a_width_beyond_all_numbers_is_a_width(self) -> None:
        model = random_chain(np.random.default_rng(8), 4, beam_width=10**12)
        assert model.mode(np.eye(3)).exact.all()

    @pytest.mark.parametrize("width", [0, -1, 1.5, True, "wide"])
    def test_a_width_that_is_none_is_refused(self, width: Any) -> None:
        model = random_chain(np.random.default_rng(8), 4).set_params(beam_width=width)
        with pytest.raises(InvalidParameter, match="beam_width must be a whole number from 1 up; got"):
            model.mode(np.eye(3))
        with pytest.raises(InvalidParameter, match="beam_width must be a whole number from 1 up; got"):
            ClassifierChain(beam_width=width).fit(*corpus_of())


class TestSample:
    @pytest.mark.parametrize("n_chains", [1, 3])
    def test_sets_come_as_often_as_they_are_probable(self, n_chains: int) -> None:
        random = np.random.default_rng(9)
        model, sets, n = random_chain(random, 4, n_chains, spoken=2.0), every_set(4), 40_000
        X = random.normal(size=(2, 3))
        drawn = model.sample(X, n, random_state=1).toarray() @ (2 ** np.arange(3, -1, -1))
        for i, expected in enumerate(np.exp(expected_log_prob(model, X, sets))):
            share = np.bincount(drawn[i * n : (i + 1) * n], minlength=16) / n
            assert (np.abs(share - expected) <= 5 * np.sqrt(expected * (1 - expected) / n)).all()

    def test_rows_are_canonical(self) -> None:
        drawn = random_chain(np.random.default_rng(10), 6, 2).sample(np.eye(3), 7, random_state=0)
        assert drawn.shape == (21, 6)
        assert drawn.has_canonical_format
        assert (drawn.data == 1).all()

    @pytest.mark.parametrize("n_chains", [1, 2])
    def test_neither_other_documents_nor_more_samples_change_a_draw(self, n_chains: int) -> None:
        random = np.random.default_rng(11)
        model, X = random_chain(random, 6, n_chains), random.normal(size=(4, 3))
        few, many = (model.sample(X, n, random_state=5).toarray().reshape(4, n, 6) for n in (70, 200))
        assert np.array_equal(many[:, :70], few)
        assert np.array_equal(model.sample(X[:2], 70, random_state=5).toarray(), few[:2].reshape(-1, 6))
        assert not np.array_equal(model.sample(X, 70, random_state=6).toarray(), few.reshape(-1, 6))

    def test_certain_labels_are_always_drawn(self) -> None:
        model = made_chain([[0, 1]], np.zeros((1, 2, 1)), np.zeros((1, 2, 2)), [[800.0, -800.0]])
        assert model.sample([[0.0]], 300, random_state=0).toarray().tolist() == [[1, 0]] * 300

    def test_nonsense_is_refused(self) -> None:
        model = random_chain(np.random.default_rng(12), 2)
        with pytest.raises(InvalidParameter, match="n must be a whole number from 1 up; got 0"):
            model.sample(np.eye(3), 0, random_state=0)
        with pytest.raises(InvalidParameter, match="random_state must be a whole number from 0"):
            model.sample(np.eye(3), 1, random_state=-1)


class TestFit:
    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
    def test_each_label_is_fitted_on_the_features_and_the_labels_before_it(self, l1_ratio: float) -> None:
        X, y = corpus_of(1)
        model = ClassifierChain(strength=0.01, l1_ratio=l1_ratio, tol=1e-10, n_jobs=1).fit(X, y)
        (order,) = model.order_
        coef, feedback = model.coef_.toarray(), model.feedback_.toarray()
        for place, label in enumerate(order):
            before = order[:place]
            seen = np.hstack([X.toarray(), y[:, before]])
            weights = np.concatenate([coef[label], feedback[label, before]])
            violation = recompute_violation(seen, y[:, label], weights, model.intercept_[label], 0.01, l1_ratio)
            assert violation <= 1e-10
            assert model.fits_[0].violation[label] == pytest.approx(violation, abs=1e-13)
            alone = fit_labels(seen, y[:, [label]], strength=0.01, l1_ratio=l1_ratio, tol=1e-10, n_jobs=1)
            assert weights == pytest.approx(alone.coef.toarray()[0], abs=1e-6)
            assert not feedback[label, order[place:]].any()
        first, second = (label for label in order if label in (0, 4))
        assert feedback[second, first] > 0.5  # the two that mostly agree

    def test_strong_penalties_leave_frequencies(self) -> None:
        X, y = corpus_of(2)
        model = ClassifierChain(strength=10.0, l1_ratio=1.0).fit(X, y)
        assert model.coef_.nnz == model.feedback_.nnz == 0
        share = y.mean(axis=0)
        assert model.intercept_ == pytest.approx(np.log(share / (1 - share)), abs=1e-9)

    def test_dense_and_whole_numbers_are_the_same_documents(self) -> None:
        X, y = corpus_of(3)
        X = sp.csr_array((X != 0).astype(np.float64))
        sparse = ClassifierChain(n_jobs=1).fit(X, y)
        for form in (X.toarray(), X.astype(np.int8), X.astype(np.bool_), X.astype(np.float32).tocsc()):
            other = ClassifierChain(n_jobs=1).fit(form, y)
            assert same_bits(other.fits_[0], sparse.fits_[0])

    def test_orders(self) -> None:
        X, y = corpus_of(4)
        y[:, 3] = y[::-1, 1]  # a tie in frequency
        names = ["e", "d", "c", "b", "a"]
        labels = LabelMatrix.of(y, names)
        assert ClassifierChain(order="given").fit(X, labels).order_.tolist() == [[0, 1, 2, 3, 4]]
        by_count = sorted(range(5), key=lambda label: (-y[:, label].sum(), label))
        assert ClassifierChain().fit(X, labels).order_.tolist() == [by_count]
        assert ClassifierChain(order=["b", "a", "e", "c", "d"]).fit(X, labels).order_.tolist() == [[3, 4, 0, 2, 1]]
        assert ClassifierChain(order=np.array(names)).fit(X, labels).order_.tolist() == [[0, 1, 2, 3, 4]]
        few, many = (ClassifierChain(order="random", n_orders=n, random_state=3).fit(X, labels).order_ for n in (2, 4))
        assert np.array_equal(many[:2], few)
        assert (np.sort(many, axis=1) == np.arange(5)).all()
        assert len({tuple(order) for order in many.tolist()}) > 1
        other = ClassifierChain(order="random", n_orders=4, random_state=4).fit(X, labels).order_
        assert not np.array_equal(other, many)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            (
                {"order": "fast"},
                "order must be 'frequency', 'given', 'random' or a list of all label names; got 'fast'",
            ),
            ({"order": 3}, "order must be 'frequency', 'given', 'random' or a list of all label names; got 3"),
            ({"order": None}, "order must be 'frequency'.*; got None"),
            ({"order": ["0", "1"]}, "order must name all 5 labels; got 2, without '2'"),
            ({"order": ["0", "1", "1", "2", "3"]}, "order must name each label once; got '1' twice"),
            ({"order": ["0", "1", "2", "3", "z"]}, "order must name labels of y alone; got 'z'"),
            ({"order": [0, 1, 2, 3, 4]}, "order must name labels of y alone; got 0"),
            ({"n_orders": 0}, "n_orders must be a whole number from 1 up; got 0"),
            ({"n_orders": 2}, "n_orders must be 1 unless order is 'random'; got 2 and order 'frequency'"),
            ({"order": "random", "random_state": -1}, "random_state must be a whole number from 0 to"),
            ({"strength": -1}, "strength must be a finite number, zero or above; got -1"),
            ({"l1_ratio": 2}, r"l1_ratio must lie in \[0, 1\]; got 2"),
            ({"tol": 0}, "tol must be None or a positive finite number; got 0"),
            ({"max_iter": -1}, "max_iter must be a whole number, zero or above; got -1"),
            ({"n_jobs": 0}, "n_jobs must be None"),
        ],
        ids=str,
    )
    def test_bad_parameters_are_told_in_one_sentence(self, parameters: dict[str, Any], message: str) -> None:
        with pytest.raises(InvalidParameter, match=message):
            ClassifierChain(**parameters).fit(*corpus_of())

    def test_documents_and_labels_must_match(self) -> None:
        X, y = corpus_of()
        with pytest.raises(InvalidData, match="X has 80 rows but y has 79"):
            ClassifierChain().fit(X, y[1:])
        with pytest.raises(InvalidData, match="X must hold finite numbers"):
            ClassifierChain().fit(np.full((80, 2), np.nan), y)

    def test_averaged_orders_are_the_mean_of_their_chains(self) -> None:
        X, y = corpus_of(5)
        model = ClassifierChain(strength=0.005, order="random", n_orders=3, random_state=1, n_jobs=1).fit(X, y)
        assert len(model.fits_) == 3
        alone = []
        for order in model.order_:
            names = [model.classes_[label] for label in order]
            alone.append(ClassifierChain(strength=0.005, order=names, n_jobs=1).fit(X, y))
        sets = every_set(5)
        mean = np.mean([np.exp(one.log_prob(X, sets)) for one in alone], axis=0)
        assert np.exp(model.log_prob(X, sets)) == pytest.approx(mean, abs=1e-13)
        assert all(same_bits(one.fits_[0], fits) for one, fits in zip(alone, model.fits_, strict=True))

    def test_threads_give_the_same_bits(self) -> None:
        X, y = corpus_of(6)
        one, two = (ClassifierChain(order="random", n_orders=2, n_jobs=n).fit(X, y) for n in (1, 2))
        assert all(same_bits(*pair) for pair in zip(one.fits_, two.fits_, strict=True))

    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
    def test_labels_that_never_change_are_constants(self, l1_ratio: float) -> None:
        X, y = corpus_of(7)
        y[:, 1], y[:, 2] = 0.0, 1.0
        model, sets = ClassifierChain(strength=0.002, l1_ratio=l1_ratio).fit(X, y), every_set(5)
        assert model.order_[0, 0] == 2
        assert model.order_[0, -1] == 1
        probability = np.exp(model.log_prob(X, sets))
        assert probability.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        assert probability[:, (sets[:, 1] == 1) | (sets[:, 2] == 0)].max() < 1e-14
        for found in (model.mode(X).sets.toarray(), model.sample(X, 20, random_state=0).toarray()):
            assert not found[:, 1].any()
            assert found[:, 2].all()

    def test_documents_without_features_and_without_labels(self) -> None:
        X, y = corpus_of(8)
        X, y = X.toarray(), y.copy()
        X[:10], y[5:15] = 0.0, 0.0
        model = ClassifierChain(strength=0.002).fit(X, y)
        assert np.isfinite(model.log_prob(X, Support.of(LabelMatrix.of(y)).sets)).all()
        featureless = ClassifierChain(strength=0.002).fit(sp.csr_array((80, 3)), y)
        assert featureless.coef_.nnz == 0
        assert featureless.feedback_.nnz > 0

    def test_names_go_in(self) -> None:
        model = ClassifierChain().fit(np.eye(4), [["b"], ["a", "b"], [], ["c"]])
        assert model.classes_ == ("a", "b", "c")
        assert model.n_features_in_ == 4
        assert model.log_prob(np.eye(4), [["b", "a"], []]).shape == (4, 2)

    def test_inputs_and_parameters_stay_as_they_are(self) -> None:
        X, y = corpus_of(9)
        X_before, Y_before = X.copy(), y.copy()
        model = ClassifierChain(order=["0", "2", "1", "4", "3"])
        parameters = clone(model).get_params()
        model.fit(X, y)
        assert model.get_params() == parameters
        assert np.array_equal(X.toarray(), X_before.toarray())
        assert np.array_equal(y, Y_before)

    def test_too_few_iterations_are_told(self) -> None:
        with pytest.warns(NotConverged, match="did not reach the violation asked for") as told:
            ClassifierChain(strength=1e-4, max_iter=1).fit(*corpus_of(10))
        assert told[0].filename == __file__


class TestCallback:
    @pytest.mark.parametrize("parameters", [{}, {"order": "random", "n_orders": 2}], ids=str)
    def test_a_watched_fit_takes_the_steps_of_one_that_is_not(self, parameters: dict[str, Any]) -> None:
        X, y = corpus_of(11)
        seen: list[Any] = []
        model = ClassifierChain(strength=0.002, n_jobs=1, **parameters)
        plain = clone(model).fit(X, y)
        sets = every_set(5)
        model.fit(X, y, callback=lambda iteration, now: seen.append((iteration, now.log_prob(X, sets))))
        assert all(same_bits(*pair) for pair in zip(plain.fits_, model.fits_, strict=True))
        assert [iteration for iteration, _ in seen] == list(range(1, len(seen) + 1))
        assert len(seen) == max(int(fits.n_iter.max()) for fits in plain.fits_)
        assert np.array_equal(seen[-1][1], plain.log_prob(X, sets))
        assert not np.array_equal(seen[0][1], seen[-1][1])

    def test_true_ends_the_training_there_and_warns_of_nothing(self) -> None:
        X, y = corpus_of(12)
        model = ClassifierChain(strength=1e-4)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(X, y, callback=lambda iteration, _: iteration == 2)
        assert model.fits_[0].n_iter.max() == 2
        with pytest.warns(NotConverged):
            two = ClassifierChain(strength=1e-4, max_iter=2).fit(X, y)
        assert np.array_equal(model.log_prob(X, every_set(5)), two.log_prob(X, every_set(5)))

    def test_a_watched_fit_that_ends_too_soon_is_told(self) -> None:
        with pytest.warns(NotConverged):
            ClassifierChain(strength=1e-4, max_iter=1).fit(*corpus_of(12), callback=lambda *_: None)


class TestManners:
    def test_state_is_plain_data_and_comes_back_to_the_bit(self) -> None:
        X, y = corpus_of(13)
        model = ClassifierChain(strength=0.002, order="random", n_orders=2).fit(X, y)
        state = model.state()
        json.dumps([state.parameters, state.values])
        assert all(isinstance(array, np.ndarray) for array in state.arrays.values())
        again, sets = ClassifierChain.from_state(state), every_set(5)
        assert np.array_equal(again.log_prob(X, sets), model.log_prob(X, sets))
        assert np.array_equal(again.mode(X).sets.toarray(), model.mode(X).sets.toarray())
        assert np.array_equal(again.sample(X, 3, 0).toarray(), model.sample(X, 3, 0).toarray())
        assert not hasattr(again, "fits_")

    def test_abilities(self) -> None:
        model = ClassifierChain()
        assert isinstance(model, ScoresSets)
        assert isinstance(model, FindsMode)
        assert isinstance(model, Samples)
        assert not isinstance(model, GivesMarginals)
        assert not isinstance(model, GivesSizeMarginals)
        with pytest.raises(Incompatible, match="ClassifierChain to have `marginals`"):
            require(model, "marginals", by="A threshold")
