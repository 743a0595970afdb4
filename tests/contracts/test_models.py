"""What every model keeps, whatever it is. A new model joins by one line in MODELS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from setwise.abilities import require
from setwise.exceptions import Incompatible, InvalidData
from setwise.models.base import ModelState
from setwise.models.br import BinaryRelevance
from setwise.models.cbm import BernoulliMixture
from setwise.models.crf import PairwiseCRF
from setwise.models.lsf import LabelSizeFactors
from setwise.models.pcc import ClassifierChain
from tests.oracles.sets import every_set, marginals_by_sums, size_marginals_by_sums

MODELS: dict[str, Any] = {
    "br": BinaryRelevance(strength=0.01),
    "pcc": ClassifierChain(strength=0.01, beam_width=32),
    "pcc, three orders": ClassifierChain(strength=0.01, order="random", n_orders=3, beam_width=32),
    "cbm": BernoulliMixture(n_components=3, strength=0.01, negligible=0.0, least_count=0.0, smoothing=0.0),
    "cbm, L2": BernoulliMixture(
        n_components=4, strength=0.01, l1_ratio=0.0, negligible=0.0, least_count=0.0, smoothing=0.0
    ),
    "lsf, binary": LabelSizeFactors("binary", strength=0.01),
    "lsf, multinomial": LabelSizeFactors("multinomial", strength=0.01),
    "crf": PairwiseCRF(strength=0.01),
    "crf without pairs": PairwiseCRF(strength=0.01, pairs=False),
    "crf with an elastic net": PairwiseCRF(strength=0.01, l1_ratio=0.5),
}

N_LABELS = 5
NAMES = ["art", "biology", "chess", "dance", "economy"]
N_DRAWN = 4000
SIGMAS = 5.0
ROUNDING = 1e-12

pytestmark = [
    pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged"),
    pytest.mark.parametrize("name", MODELS),
]


class Toy:
    """Documents whose labels depend on their words and on one another; label "economy" is in a single document."""

    def __init__(self) -> None:
        rng = np.random.default_rng(7)
        self.X = sp.random_array((80, 12), density=0.4, rng=rng, format="csr")
        logits = 3.0 * (self.X @ rng.normal(size=(12, N_LABELS)))
        y = (logits + rng.logistic(size=logits.shape) > 0.5).astype(np.int64)
        y[:, 1] |= y[:, 0]
        y[:, 2] &= 1 - y[:, 3]
        y[:, 4] = 0
        y[3, 4] = 1
        self.y = y
        self.new = sp.random_array((9, 12), density=0.4, rng=rng, format="csr")


@pytest.fixture(scope="module")
def toy() -> Toy:
    return Toy()


_fitted: dict[str, Any] = {}


@pytest.fixture
def model(name: str, toy: Toy) -> Any:
    """The fitted model, once for all tests: none of them changes it."""
    if name not in _fitted:
        _fitted[name] = clone(MODELS[name]).fit(toy.X, toy.y)
    return _fitted[name]


def needs(model: Any, ability: str) -> None:
    try:
        require(model, ability, by="this test")
    except Incompatible as refusal:
        pytest.skip(str(refusal))


def answers(model: Any, X: Any) -> dict[str, NDArray[Any]]:
    """Everything the model can be asked, as arrays with a row a document."""
    found: dict[str, NDArray[Any]] = {}
    if hasattr(model, "log_prob"):
        found["log_prob"] = model.log_prob(X, every_set(N_LABELS))
    if hasattr(model, "marginals"):
        found["marginals"] = model.marginals(X)
    if hasattr(model, "size_marginals"):
        sizes = model.size_marginals(X)
        found |= {"joint": sizes.joint, "empty": sizes.empty}
    if hasattr(model, "mode"):
        modes = model.mode(X)
        found |= {"mode": modes.sets.toarray(), "mode_log_prob": modes.log_prob, "mode_exact": modes.exact}
    return found


def assert_same_bits(first: dict[str, NDArray[Any]], second: dict[str, NDArray[Any]]) -> None:
    assert first.keys() == second.keys()
    for key, value in first.items():
        assert_array_equal(value, second[key], err_msg=key)


class TestAnswers:
    def test_batch_equals_one_by_one(self, model: Any, toy: Toy) -> None:
        whole = answers(model, toy.new)
        for i in range(toy.new.shape[0]):
            single = answers(model, toy.new[i : i + 1])
            if "joint" in whole:  # a document by itself may need fewer sizes
                assert not whole["joint"][i, :, single["joint"].shape[2] :].any()
                single["joint"] = np.pad(single["joint"], ((0, 0), (0, 0), (0, N_LABELS)))[
                    :, :, : whole["joint"].shape[2]
                ]
            assert_same_bits({key: value[i : i + 1] for key, value in whole.items()}, single)

    def test_dense_and_sparse_documents_agree(self, model: Any, toy: Toy) -> None:
        dense = answers(model, toy.new.toarray())
        for key, value in answers(model, toy.new).items():
            assert_allclose(dense[key], value, atol=1e-9, err_msg=key)

    def test_order_of_sets_does_not_matter(self, model: Any, toy: Toy) -> None:
        needs(model, "log_prob")
        order = np.random.default_rng(0).permutation(2**N_LABELS)
        sets = every_set(N_LABELS)
        assert_array_equal(model.log_prob(toy.new, sets[order]), model.log_prob(toy.new, sets)[:, order])
        assert_array_equal(model.log_prob(toy.new, sets[order[:3]]), model.log_prob(toy.new, sets)[:, order[:3]])

    def test_probabilities_sum_to_one(self, model: Any, toy: Toy) -> None:
        needs(model, "log_prob")
        assert_allclose(np.exp(model.log_prob(toy.new, every_set(N_LABELS))).sum(axis=1), 1.0, atol=1e-10)

    def test_marginals_are_sums_over_sets(self, model: Any, toy: Toy) -> None:
        needs(model, "log_prob")
        needs(model, "marginals")
        probability = np.exp(model.log_prob(toy.new, every_set(N_LABELS)))
        assert_allclose(model.marginals(toy.new), marginals_by_sums(probability, every_set(N_LABELS)), atol=1e-10)

    def test_size_marginals_are_sums_over_sets(self, model: Any, toy: Toy) -> None:
        needs(model, "log_prob")
        needs(model, "size_marginals")
        found = model.size_marginals(toy.new)
        probability = np.exp(model.log_prob(toy.new, every_set(N_LABELS)))
        joint, empty = size_marginals_by_sums(probability, every_set(N_LABELS), found.joint.shape[2])
        assert_allclose(found.joint, joint, atol=1e-10)
        assert_allclose(found.empty, empty, atol=1e-10)

    def test_marginals_are_sums_over_sizes(self, model: Any, toy: Toy) -> None:
        needs(model, "marginals")
        needs(model, "size_marginals")
        assert_allclose(model.marginals(toy.new), model.size_marginals(toy.new).marginals, atol=1e-10)

    def test_mode_is_the_most_probable_set(self, model: Any, toy: Toy) -> None:
        needs(model, "mode")
        modes = model.mode(toy.new)
        log_prob = model.log_prob(toy.new, every_set(N_LABELS))
        assert modes.exact.all()
        assert_allclose(modes.log_prob, log_prob.max(axis=1), atol=ROUNDING)
        own = [model.log_prob(toy.new[i : i + 1], modes.sets[[i]])[0, 0] for i in range(toy.new.shape[0])]
        assert_allclose(own, log_prob.max(axis=1), atol=ROUNDING)

    def test_samples_are_as_frequent_as_they_are_probable(self, model: Any, toy: Toy) -> None:
        needs(model, "sample")
        drawn = model.sample(toy.new[:3], N_DRAWN, random_state=1).toarray().reshape(3, N_DRAWN, N_LABELS)
        number = drawn @ (1 << np.arange(N_LABELS))
        probability = np.exp(model.log_prob(toy.new[:3], every_set(N_LABELS)))
        for document in range(3):
            p = probability[document]
            share = np.bincount(number[document], minlength=2**N_LABELS) / N_DRAWN
            spread = np.sqrt(p * (1.0 - p) / N_DRAWN)
            assert (np.abs(share - p) <= SIGMAS * spread + 1.0 / N_DRAWN).all()

    def test_samples_depend_on_seed_and_document_alone(self, model: Any, toy: Toy) -> None:
        needs(model, "sample")
        drawn = model.sample(toy.new, 50, random_state=3).toarray()
        assert_array_equal(drawn, model.sample(toy.new, 50, random_state=3).toarray())
        assert_array_equal(drawn[:100], model.sample(toy.new[:2], 50, random_state=3).toarray())
        assert_array_equal(drawn[200:250], model.sample(toy.new[4:5], 50, random_state=3).toarray())
        assert (drawn != model.sample(toy.new, 50, random_state=4).toarray()).any()


class TestTraining:
    def test_same_data_same_bits_whatever_the_threads(self, name: str, model: Any, toy: Toy) -> None:
        first = answers(model, toy.new)
        assert_same_bits(first, answers(clone(MODELS[name]).set_params(n_jobs=1).fit(toy.X, toy.y), toy.new))
        assert_same_bits(first, answers(clone(MODELS[name]).set_params(n_jobs=2).fit(toy.X, toy.y), toy.new))

    def test_inputs_and_parameters_stay_as_they_are(self, name: str, toy: Toy) -> None:
        X, y, new = toy.X.copy(), sp.csr_array(toy.y), toy.new.copy()
        parts = [part.copy() for matrix in (X, y, new) for part in (matrix.data, matrix.indices, matrix.indptr)]
        fresh = clone(MODELS[name])
        parameters = dict(fresh.get_params())
        answers(fresh.fit(X, y), new)
        kept = [part for matrix in (X, y, new) for part in (matrix.data, matrix.indices, matrix.indptr)]
        for before, after in zip(parts, kept, strict=True):
            assert_array_equal(before, after)
        assert fresh.get_params() == parameters

    def test_no_iteration_hurts(self, name: str, toy: Toy) -> None:
        objectives: list[float] = []
        clone(MODELS[name]).fit(toy.X, toy.y, callback=lambda _, model: objectives.append(model.objective_))
        assert len(objectives) > 1
        assert np.diff(objectives).max() <= ROUNDING

    def test_callback_ends_training(self, name: str, toy: Toy) -> None:
        seen: list[int] = []

        def stop_at_two(iteration: int, model: Any) -> bool:
            assert answers(model, toy.new)
            seen.append(iteration)
            return iteration == 2

        clone(MODELS[name]).fit(toy.X, toy.y, callback=stop_at_two)
        assert seen == [1, 2]

    def test_labels_by_name(self, name: str, model: Any, toy: Toy) -> None:
        named = [[NAMES[label] for label in np.flatnonzero(row)] for row in toy.y]
        by_name = clone(MODELS[name]).fit(toy.X, named)
        assert by_name.classes_ == tuple(NAMES)
        assert_same_bits(answers(model, toy.new), answers(by_name, toy.new))
        if hasattr(model, "log_prob"):
            some = [[], ["chess"], ["art", "biology"]]
            indicator = [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [1, 1, 0, 0, 0]]
            assert_array_equal(by_name.log_prob(toy.new, some), model.log_prob(toy.new, indicator))


class TestState:
    def test_saved_and_loaded_model_gives_the_same_bits(self, model: Any, toy: Toy, tmp_path: Path) -> None:
        state = model.state()
        np.savez(tmp_path / "arrays.npz", **state.arrays)
        (tmp_path / "rest.json").write_text(json.dumps([state.model, state.parameters, state.values]))
        kind, parameters, values = json.loads((tmp_path / "rest.json").read_text())
        with np.load(tmp_path / "arrays.npz") as arrays:
            loaded = type(model).from_state(ModelState(kind, parameters, values, dict(arrays)))
        assert_same_bits(answers(model, toy.new), answers(loaded, toy.new))
        assert loaded.classes_ == model.classes_

    def test_state_of_another_model_is_refused(self, model: Any) -> None:
        state = model.state()
        with pytest.raises(InvalidData, match="one of"):
            type(model).from_state(ModelState("Other", state.parameters, state.values, state.arrays))
        with pytest.raises(InvalidData, match="must hold"):
            type(model).from_state(ModelState(state.model, state.parameters, {}, {}))


class TestBadInput:
    def test_unfitted(self, name: str, toy: Toy) -> None:
        for ability in ("log_prob", "marginals", "mode", "size_marginals", "sample"):
            method = getattr(clone(MODELS[name]), ability, None)
            extra = {"log_prob": ([[0] * N_LABELS],), "sample": (1, 0)}.get(ability, ())
            if method is not None:
                with pytest.raises(NotFittedError):
                    method(toy.new, *extra)

    def test_wrong_number_of_features(self, model: Any) -> None:
        ask = model.log_prob if hasattr(model, "log_prob") else lambda X, _: model.size_marginals(X)
        with pytest.raises(InvalidData, match="12 features"):
            ask(np.zeros((2, 3)), [[0] * N_LABELS])

    def test_sets_of_other_labels(self, model: Any, toy: Toy) -> None:
        needs(model, "log_prob")
        with pytest.raises(InvalidData, match="sets"):
            model.log_prob(toy.new, [[1, 0]])
        with pytest.raises(InvalidData, match="sets"):
            model.log_prob(toy.new, [["nowhere"]])

    def test_training_data_that_disagree(self, name: str, toy: Toy) -> None:
        with pytest.raises(InvalidData, match="one row|rows but"):
            clone(MODELS[name]).fit(toy.X, toy.y[:-1])


class TestOddData:
    def test_constant_labels_and_empty_documents(self, name: str, toy: Toy) -> None:
        X, y = toy.X.tolil(), toy.y.copy()
        X[5] = 0.0
        y[:, 1], y[:, 2] = 1, 0
        fitted = clone(MODELS[name]).fit(X.tocsr(), y)
        if hasattr(fitted, "marginals") and hasattr(fitted, "log_prob"):  # without a joint, sizes need not add up
            marginals = fitted.marginals(toy.new)
            assert (marginals[:, 1] > 0.99).all()
            assert (marginals[:, 2] < 0.01).all()
        for key, value in answers(fitted, toy.new).items():
            assert not np.isnan(value).any(), key

    def test_one_document_and_one_label(self, name: str) -> None:
        fitted = clone(MODELS[name]).fit(np.ones((1, 1)), [[1]])
        found = fitted.size_marginals(np.ones((1, 1))) if hasattr(fitted, "size_marginals") else None
        assert found is None or found.joint[0, 0, 0] > 0.99
        two = clone(MODELS[name]).fit(np.array([[0.0], [1.0]]), [[0], [1]])
        assert np.isfinite(getattr(two, "objective_", 0.0))
