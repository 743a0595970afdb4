"""Classifier chains against the enumeration of every set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.models import ClassifierChain
from tests.models.chains import corpus_of, expected_log_prob, made_chain, random_chain
from tests.oracles.chain import every_set

SEEDS = st.integers(0, 2**32 - 1)


class TestLogProb:
    def test_two_labels_by_hand(self) -> None:
        """p(a) = 1/2; p(b | not a) = 1/4, p(b | a) = 3/4."""
        model = made_chain([[0, 1]], np.zeros((1, 2, 1)), [[[0, 0], [2 * np.log(3), 0]]], [[0, -np.log(3)]])
        probability = np.exp(model.posterior([[1.0]]).log_prob([[], ["label 0"], ["label 1"], ["label 0", "label 1"]]))
        assert probability == pytest.approx(np.array([[3, 1, 1, 3]]) / 8, abs=1e-15)

    @settings(max_examples=60)
    @given(SEEDS, st.integers(1, 8), st.integers(1, 3), st.sampled_from([0.1, 1.0, 10.0]), st.integers(1, 19))
    def test_is_that_of_the_oracle_and_sums_to_one(
        self, random_state: int, n_labels: int, n_chains: int, spoken: float, n_documents: int
    ) -> None:
        random = np.random.default_rng(random_state)
        model = random_chain(random, n_labels, n_chains, spoken=spoken)
        X, sets = random.normal(size=(n_documents, 3)), every_set(n_labels)
        log_prob = model.posterior(X).log_prob(sets)
        assert log_prob == pytest.approx(expected_log_prob(model, X, sets), rel=1e-13, abs=1e-12)
        assert np.exp(log_prob).sum(axis=1) == pytest.approx(1.0, abs=1e-12)

    @pytest.mark.parametrize("scale", [1.0, 300.0, 5000.0])
    @pytest.mark.parametrize("spoken", [1.0, 25.0, 400.0])
    def test_scores_and_feedback_of_any_size(self, scale: float, spoken: float) -> None:
        """Odds would overflow beyond a logit of 709."""
        random = np.random.default_rng(int(scale + spoken))
        model = random_chain(random, 6, 2, scale=scale, spoken=spoken)
        X, sets = random.normal(size=(21, 3)), every_set(6)
        log_prob = model.posterior(X).log_prob(sets)
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
        assert model.posterior(X).log_prob(sets) == pytest.approx(independent, abs=1e-12)

    @pytest.mark.parametrize("spoken", [1.0, 400.0])
    def test_neither_other_documents_nor_other_sets_nor_threads_change_a_bit(self, spoken: float) -> None:
        random = np.random.default_rng(3)
        model = random_chain(random, 7, 2, spoken=spoken)
        X, sets = sp.csr_array(random.normal(size=(20, 3))), every_set(7)
        whole = model.posterior(X).log_prob(sets)
        shuffled = random.permutation(len(sets))
        assert np.array_equal(model.posterior(X).log_prob(sets[shuffled]), whole[:, shuffled])
        assert np.array_equal(np.vstack([model.posterior(X[[i]]).log_prob(sets) for i in range(20)]), whole)
        assert np.array_equal(np.hstack([model.posterior(X).log_prob(sets[[s]]) for s in range(len(sets))]), whole)
        assert np.array_equal(model.posterior(X).log_prob(np.vstack([sets, sets])), np.hstack([whole, whole]))
        assert np.array_equal(model.set_params(n_jobs=2).posterior(X).log_prob(sets), whole)

    def test_sets_come_in_every_form(self) -> None:
        model = random_chain(np.random.default_rng(4), 3)
        X, sets = np.eye(3), np.array([[0, 0, 0], [1, 0, 1]])
        expected = model.posterior(X).log_prob(sets)
        for form in (sp.coo_array(sets), [[], ["label 2", "label 0"]], LabelMatrix.of(sets, model.classes_)):
            assert np.array_equal(model.posterior(X).log_prob(form), expected)

    def test_documents_without_features_have_the_intercepts(self) -> None:
        model = random_chain(np.random.default_rng(5), 4)
        nothing = sp.csr_array((2, 3))
        expected = expected_log_prob(model, np.zeros((2, 3)), every_set(4))
        assert model.posterior(nothing).log_prob(every_set(4)) == pytest.approx(expected, abs=1e-13)

    def test_what_does_not_fit_is_refused(self) -> None:
        model = random_chain(np.random.default_rng(6), 4)
        with pytest.raises(InvalidData, match="X must have the 3 features of the fit; got 2"):
            model.posterior(np.eye(2)).log_prob(every_set(4))
        with pytest.raises(InvalidData, match="sets must have one column per name; got 3 columns and 4 names"):
            model.posterior(np.eye(3)).log_prob(every_set(3))
        with pytest.raises(NotFittedError):
            ClassifierChain().posterior(np.eye(3)).log_prob(every_set(3))


class TestMode:
    @settings(max_examples=40)
    @given(SEEDS, st.integers(1, 6), st.integers(1, 3))
    def test_a_beam_that_is_wide_enough_finds_the_best_of_all(
        self, random_state: int, n_labels: int, n_chains: int
    ) -> None:
        random = np.random.default_rng(random_state)
        model = random_chain(random, n_labels, n_chains, spoken=2.0, beam_width=2**n_labels)
        X, sets = random.normal(size=(9, 3)), every_set(n_labels)
        modes, expected = model.posterior(X).mode(), expected_log_prob(model, X, sets)
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
        modes, best = model.posterior(X).mode(), expected_log_prob(model, X, sets).max(axis=1)
        assert (modes.log_prob <= best + 1e-12).all()
        assert modes.log_prob[modes.exact] == pytest.approx(best[modes.exact], abs=1e-12)
        chosen = [expected_log_prob(model, X[[i]], modes.sets[[i]].toarray())[0, 0] for i in range(9)]
        assert modes.log_prob == pytest.approx(np.array(chosen), abs=1e-12)

    def test_a_beam_of_one_can_be_led_astray_and_says_so(self) -> None:
        """Label 0 has p = 0.6, and with it label 1 is as likely as not; without it, label 1 is all but certain."""
        feedback = [[[0, 0], [-20, 0]]]
        model = made_chain([[0, 1]], np.zeros((1, 2, 1)), feedback, [[np.log(1.5), 20.0]], beam_width=1)
        narrow = model.posterior([[0.0]]).mode()
        assert narrow.sets.toarray().tolist() == [[1, 0]]
        assert np.exp(narrow.log_prob[0]) == pytest.approx(0.3)
        assert not narrow.exact[0]
        wide = model.set_params(beam_width=2).posterior([[0.0]]).mode()
        assert wide.sets.toarray().tolist() == [[0, 1]]
        assert np.exp(wide.log_prob[0]) == pytest.approx(0.4)
        assert wide.exact[0]

    def test_a_search_that_prunes_can_still_be_proved_exact(self) -> None:
        scores = np.linspace(-9, 9, 30)
        model = made_chain([np.arange(30)], np.zeros((1, 30, 1)), np.zeros((1, 30, 30)), [scores])
        modes = model.posterior([[0.0]]).mode()
        assert modes.exact.all()
        assert np.array_equal(modes.sets.toarray()[0], scores > 0)

    @pytest.mark.parametrize("n_chains", [1, 3])
    def test_of_sets_as_probable_the_first_in_label_order_is_chosen(self, n_chains: int) -> None:
        orders = [[2, 0, 1], [1, 2, 0], [0, 1, 2]][:n_chains]
        zeros = np.zeros((n_chains, 3))
        tied = made_chain(orders, zeros[..., None], np.zeros((n_chains, 3, 3)), zeros, beam_width=8)
        assert tied.posterior([[0.0]]).mode().sets.toarray().tolist() == [[0, 0, 0]]

    def test_a_tie_is_broken_by_labels_not_by_the_order_of_the_chain(self) -> None:
        """{0} and {1} share the lead; the first set of the chain, in the order of its own labels, is {1}."""
        model = made_chain([[1, 0]], np.zeros((1, 2, 1)), [[[0, -80.0], [0, 0]]], [[40.0, 0.0]])
        assert model.posterior([[0.0]]).mode().sets.toarray().tolist() == [[1, 0]]
        swapped = made_chain([[0, 1]], np.zeros((1, 2, 1)), [[[0, 0], [-80.0, 0]]], [[0.0, 40.0]])
        assert swapped.posterior([[0.0]]).mode().sets.toarray().tolist() == [[1, 0]]

    def test_neither_other_documents_nor_threads_change_a_bit(self) -> None:
        random = np.random.default_rng(7)
        model = random_chain(random, 12, 2, scale=0.5, beam_width=6)
        X = random.normal(size=(20, 3))
        whole = model.posterior(X).mode()
        assert 0 < whole.exact.sum() < 20
        for i in range(20):
            alone = model.posterior(X[[i]]).mode()
            assert np.array_equal(alone.sets.toarray()[0], whole.sets.toarray()[i])
            assert (alone.log_prob[0], alone.exact[0]) == (whole.log_prob[i], whole.exact[i])
        both = model.set_params(n_jobs=2).posterior(X).mode()
        assert np.array_equal(both.sets.toarray(), whole.sets.toarray())
        assert np.array_equal(both.log_prob, whole.log_prob)
        assert np.array_equal(both.exact, whole.exact)

    def test_a_width_beyond_all_numbers_is_a_width(self) -> None:
        model = random_chain(np.random.default_rng(8), 4, beam_width=10**12)
        assert model.posterior(np.eye(3)).mode().exact.all()

    @pytest.mark.parametrize("width", [0, -1, 1.5, True, "wide"])
    def test_a_width_that_is_none_is_refused(self, width: Any) -> None:
        model = random_chain(np.random.default_rng(8), 4).set_params(beam_width=width)
        with pytest.raises(InvalidParameter, match="beam_width must be an integer of at least 1; got"):
            model.posterior(np.eye(3)).mode()
        with pytest.raises(InvalidParameter, match="beam_width must be an integer of at least 1; got"):
            ClassifierChain(beam_width=width).fit(*corpus_of())


class TestSample:
    @pytest.mark.parametrize("n_chains", [1, 3])
    def test_sets_come_as_often_as_they_are_probable(self, n_chains: int) -> None:
        random = np.random.default_rng(9)
        model, sets, n = random_chain(random, 4, n_chains, spoken=2.0), every_set(4), 40_000
        X = random.normal(size=(2, 3))
        drawn = model.posterior(X).sample(n, random_state=1).toarray() @ (2 ** np.arange(3, -1, -1))
        for i, expected in enumerate(np.exp(expected_log_prob(model, X, sets))):
            share = np.bincount(drawn[i * n : (i + 1) * n], minlength=16) / n
            assert (np.abs(share - expected) <= 5 * np.sqrt(expected * (1 - expected) / n)).all()

    def test_rows_are_canonical(self) -> None:
        drawn = random_chain(np.random.default_rng(10), 6, 2).posterior(np.eye(3)).sample(7, random_state=0)
        assert drawn.shape == (21, 6)
        assert drawn.has_canonical_format
        assert (drawn.data == 1).all()

    @pytest.mark.parametrize("n_chains", [1, 2])
    def test_neither_other_documents_nor_more_samples_change_a_draw(self, n_chains: int) -> None:
        random = np.random.default_rng(11)
        model, X = random_chain(random, 6, n_chains), random.normal(size=(4, 3))
        few, many = (model.posterior(X).sample(n, random_state=5).toarray().reshape(4, n, 6) for n in (70, 200))
        assert np.array_equal(many[:, :70], few)
        assert np.array_equal(model.posterior(X[:2]).sample(70, random_state=5).toarray(), few[:2].reshape(-1, 6))
        assert not np.array_equal(model.posterior(X).sample(70, random_state=6).toarray(), few.reshape(-1, 6))

    def test_certain_labels_are_always_drawn(self) -> None:
        model = made_chain([[0, 1]], np.zeros((1, 2, 1)), np.zeros((1, 2, 2)), [[800.0, -800.0]])
        assert model.posterior([[0.0]]).sample(300, random_state=0).toarray().tolist() == [[1, 0]] * 300

    def test_nonsense_is_refused(self) -> None:
        model = random_chain(np.random.default_rng(12), 2)
        with pytest.raises(InvalidParameter, match="n must be an integer of at least 1; got 0"):
            model.posterior(np.eye(3)).sample(0, random_state=0)
        with pytest.raises(InvalidParameter, match="random_state must be None, an integer between 0"):
            model.posterior(np.eye(3)).sample(1, random_state=-1)


class TestRescaledLogits:
    @settings(max_examples=30)
    @given(SEEDS, st.integers(1, 6), st.integers(1, 3))
    def test_every_logit_is_scaled_and_shifted(self, random_state: int, n_labels: int, n_chains: int) -> None:
        """The oracle gets the logits of each set one by one, and scales those."""
        random = np.random.default_rng(random_state)
        model = random_chain(random, n_labels, n_chains)
        X, sets = random.normal(size=(4, 3)), every_set(n_labels)
        scale, shift = random.uniform(0.2, 3.0, n_labels), random.normal(size=n_labels)
        log_prob = model.rescale_logits(scale, shift).posterior(X).log_prob(sets)
        scores = (X @ model.coef_.toarray().T + model.intercept_).reshape(4, n_chains, n_labels)
        feedback = model.feedback_.toarray().reshape(n_chains, n_labels, n_labels)
        chains = np.empty((4, n_chains, len(sets)))
        for m in range(n_chains):
            # Labels after l add nothing to its logit: their feedback is zero.
            logits = scale * (scores[:, m, None, :] + sets @ feedback[m].T) + shift
            chains[:, m] = -np.logaddexp(0.0, np.where(sets == 1, -logits, logits)).sum(axis=2)
        expected = np.logaddexp.reduce(chains, axis=1) - np.log(n_chains)
        assert log_prob == pytest.approx(expected, abs=1e-12, rel=1e-12)

    def test_the_model_itself_and_its_parameters_stay(self) -> None:
        X, y = corpus_of()
        model = ClassifierChain(strength=0.01, loss="squared_hinge").fit(X, y)
        before = model.posterior(X).log_prob(every_set(5))
        rescaled = model.rescale_logits(2.0, 0.0)
        assert np.array_equal(model.posterior(X).log_prob(every_set(5)), before)
        assert rescaled.get_params() == model.get_params()
        assert not np.array_equal(rescaled.posterior(X).log_prob(every_set(5)), before)
        again = ClassifierChain.from_state(rescaled.state())
        assert again.loss == "squared_hinge"
        assert np.array_equal(again.feedback_.toarray(), 2.0 * model.feedback_.toarray())
