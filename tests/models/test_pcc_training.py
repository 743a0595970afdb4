"""The training of classifier chains: orders, weights, callbacks and state."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from setwise.exceptions import Incompatible, InvalidData, InvalidParameter, NotConverged
from setwise.labels import LabelMatrix, Support
from setwise.learners import fit_labels
from setwise.models import ClassifierChain
from setwise.posterior import require
from tests.learners.problems import VIOLATIONS, same_bits
from tests.models.chains import corpus_of
from tests.oracles.chain import every_set


class TestFit:
    @pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
    def test_each_label_is_fitted_on_the_features_and_the_labels_before_it(self, l1_ratio: float, loss: Any) -> None:
        X, y = corpus_of(1)
        options = {"strength": 0.01, "l1_ratio": l1_ratio, "tol": 1e-10, "n_jobs": 1, "loss": loss}
        model = ClassifierChain(**options).fit(X, y)
        (order,) = model.order_
        coef, feedback = model.coef_.toarray(), model.feedback_.toarray()
        for place, label in enumerate(order):
            before = order[:place]
            seen = np.hstack([X.toarray(), y[:, before]])
            weights = np.concatenate([coef[label], feedback[label, before]])
            violation = VIOLATIONS[loss](seen, y[:, label], weights, model.intercept_[label], 0.01, l1_ratio)
            assert violation <= 1e-10
            assert model.fits_[0].violation[label] == pytest.approx(violation, abs=1e-13)
            alone = fit_labels(seen, y[:, [label]], **options)
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
        in_order: Any = np.array(names)
        assert ClassifierChain(order=in_order).fit(X, labels).order_.tolist() == [[0, 1, 2, 3, 4]]
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
            ({"order": ["0", "1"]}, "order must list all 5 labels; '2' is missing"),
            ({"order": ["0", "1", "1", "2", "3"]}, "order must list each label once; got '1' twice"),
            ({"order": ["0", "1", "2", "3", "z"]}, "order must list labels of y; got 'z'"),
            ({"order": [0, 1, 2, 3, 4]}, "order must list labels of y; got 0"),
            ({"n_orders": 0}, "n_orders must be an integer of at least 1; got 0"),
            ({"n_orders": 2}, "n_orders must be 1 unless order is 'random'; got 2 and order 'frequency'"),
            ({"order": "random", "random_state": -1}, "random_state must be None, an integer between 0 and"),
            ({"strength": -1}, "strength must be a finite number of at least 0; got -1"),
            ({"l1_ratio": 2}, r"l1_ratio must be a number between 0 and 1; got 2"),
            ({"tol": 0}, "tol must be None or a finite number above 0; got 0"),
            ({"max_iter": -1}, "max_iter must be an integer of at least 0; got -1"),
            ({"n_jobs": 0}, "n_jobs must be None"),
        ],
        ids=str,
    )
    def test_bad_parameters_are_refused_in_one_sentence(self, parameters: dict[str, Any], message: str) -> None:
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
        mean = np.mean([np.exp(one.posterior(X).log_prob(sets)) for one in alone], axis=0)
        assert np.exp(model.posterior(X).log_prob(sets)) == pytest.approx(mean, abs=1e-13)
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
        probability = np.exp(model.posterior(X).log_prob(sets))
        assert probability.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        assert probability[:, (sets[:, 1] == 1) | (sets[:, 2] == 0)].max() < 1e-14
        for found in (
            model.posterior(X).mode().sets.toarray(),
            model.posterior(X).sample(20, random_state=0).toarray(),
        ):
            assert not found[:, 1].any()
            assert found[:, 2].all()

    def test_documents_without_features_and_without_labels(self) -> None:
        X, y = corpus_of(8)
        X, y = X.toarray(), y.copy()
        X[:10], y[5:15] = 0.0, 0.0
        model = ClassifierChain(strength=0.002).fit(X, y)
        assert np.isfinite(model.posterior(X).log_prob(Support.of(LabelMatrix.of(y)).sets)).all()
        featureless = ClassifierChain(strength=0.002).fit(sp.csr_array((80, 3)), y)
        assert featureless.coef_.nnz == 0
        assert featureless.feedback_.nnz > 0

    def test_names_go_in(self) -> None:
        model = ClassifierChain().fit(np.eye(4), [["b"], ["a", "b"], [], ["c"]])
        assert model.classes_ == ("a", "b", "c")
        assert model.n_features_in_ == 4
        assert model.posterior(np.eye(4)).log_prob([["b", "a"], []]).shape == (4, 2)

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
        with pytest.warns(NotConverged, match="did not converge") as caught:
            ClassifierChain(strength=1e-4, max_iter=1).fit(*corpus_of(10))
        assert caught[0].filename == __file__


class TestCallback:
    @pytest.mark.parametrize("parameters", [{}, {"order": "random", "n_orders": 2}], ids=str)
    def test_a_watched_fit_takes_the_steps_of_one_that_is_not(self, parameters: dict[str, Any]) -> None:
        X, y = corpus_of(11)
        seen: list[Any] = []
        model = ClassifierChain(strength=0.002, n_jobs=1, **parameters)
        plain = clone(model).fit(X, y)
        sets = every_set(5)
        model.fit(X, y, callback=lambda iteration, now: seen.append((iteration, now.posterior(X).log_prob(sets))))
        assert all(same_bits(*pair) for pair in zip(plain.fits_, model.fits_, strict=True))
        assert [iteration for iteration, _ in seen] == list(range(1, len(seen) + 1))
        assert len(seen) == max(int(fits.n_iter.max()) for fits in plain.fits_)
        assert np.array_equal(seen[-1][1], plain.posterior(X).log_prob(sets))
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
        assert np.array_equal(model.posterior(X).log_prob(every_set(5)), two.posterior(X).log_prob(every_set(5)))

    def test_a_watched_fit_that_ends_too_soon_is_told(self) -> None:
        with pytest.warns(NotConverged):
            ClassifierChain(strength=1e-4, max_iter=1).fit(*corpus_of(12), callback=lambda *_: None)


class TestEstimator:
    def test_state_is_plain_data_and_comes_back_to_the_bit(self) -> None:
        X, y = corpus_of(13)
        model = ClassifierChain(strength=0.002, order="random", n_orders=2).fit(X, y)
        state = model.state()
        json.dumps([state.parameters, state.values])
        assert all(isinstance(array, np.ndarray) for array in state.arrays.values())
        again, sets = ClassifierChain.from_state(state), every_set(5)
        assert np.array_equal(again.posterior(X).log_prob(sets), model.posterior(X).log_prob(sets))
        assert np.array_equal(again.posterior(X).mode().sets.toarray(), model.posterior(X).mode().sets.toarray())
        assert np.array_equal(again.posterior(X).sample(3, 0).toarray(), model.posterior(X).sample(3, 0).toarray())
        assert not hasattr(again, "fits_")

    def test_abilities(self) -> None:
        model = ClassifierChain()
        assert model.abilities == {"log_prob", "mode", "sample"}
        with pytest.raises(Incompatible, match="ClassifierChain to have `marginals`"):
            require(model, "marginals", by="A threshold")
