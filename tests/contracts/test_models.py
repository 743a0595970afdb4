"""What every registered model must do. A new model joins by its line in the registry.

The tests take the model from the fixture ``estimator``, so another module can run them on a model of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from setwise.exceptions import Incompatible, InvalidData
from setwise.models import BUDGETS, MODELS, LabelModel, ModelState, entry_of
from setwise.posterior import ABILITIES, LazyPosterior, Posterior, require
from tests.contracts.conftest import N_LABELS, NAMES, Documents
from tests.oracles.sets import every_set, marginals_by_sums, size_marginals_by_sums

STRENGTH = 0.01
_NOTHING_LEFT_OUT = {"negligible": 0.0, "least_count": 0.0, "smoothing": 0.0}
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "br": {"logistic": {}, "squared hinge": {"loss": "squared_hinge"}},
    "pcc": {
        "one order": {"beam_width": 32},
        "three orders": {"beam_width": 32, "order": "random", "n_orders": 3},
        "squared hinge": {"beam_width": 32, "loss": "squared_hinge"},
    },
    "cbm": {
        "elastic net": {"n_components": 3, **_NOTHING_LEFT_OUT},
        "L2": {"n_components": 4, "l1_ratio": 0.0, **_NOTHING_LEFT_OUT},
    },
    "lsf": {"binary": {}, "multinomial": {"form": "multinomial"}},
    "fgfm": {
        "found": {},
        "connected": {"false_discovery_rate": 0.5},
        "connected, multinomial": {"false_discovery_rate": 0.5, "form": "multinomial"},
        "single labels": {"false_discovery_rate": 0.0},
    },
    "powerset": {"elastic net": {}, "L2": {"l1_ratio": 0.0}},
    "crf": {"pairs": {}, "no pairs": {"pairs": False}, "elastic net": {"l1_ratio": 0.5}},
    "mlp": {"mini-batches": {"n_hidden": 20}, "one batch": {"n_hidden": 20, "batch_size": 1000}},
    "spen": {
        "mini-batches": {"n_hidden": 20, "max_iter": 10},
        # Few steps: later ones change where the descent ends, and with that the loss.
        "one batch": {"n_hidden": 20, "max_iter": 5, "batch_size": 1000, "mlp_max_iter": 100},
    },
}
"""Parameters to test beside the defaults, by model; a model that is not listed is tested with its defaults."""

N_DRAWN = 4000
SIGMAS = 5.0
ROUNDING = 1e-12

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")


def registered() -> Iterator[Any]:
    """Yield every registered model, in each of its variants."""
    for name, entry in MODELS.items():
        for variant, parameters in VARIANTS.get(name, {"": {}}).items():
            model = entry.model().set_params(strength=STRENGTH, **parameters)
            yield pytest.param(model, id=f"{name}, {variant}".rstrip(", "))


@pytest.fixture(params=registered())
def estimator(request: pytest.FixtureRequest) -> Any:
    """Return a model that is not fitted."""
    return clone(request.param)


def needs(model: Any, *abilities: str) -> None:
    try:
        require(model, *abilities, by="this test")
    except Incompatible as refusal:
        pytest.skip(str(refusal))


def needs_whole_batches(estimator: Any, documents: Documents) -> None:
    """Skip where steps are taken on parts of the documents: their gradients are right only on average."""
    if getattr(estimator, "batch_size", np.inf) < documents.X.shape[0]:
        pytest.skip("training takes random mini-batches; the variant with one batch is tested")


def answers(model: Any, X: Any) -> dict[str, NDArray[Any]]:
    return answers_of(model.posterior(X))


def answers_of(posterior: Posterior) -> dict[str, NDArray[Any]]:
    """Ask a posterior everything that it answers; arrays have one row per document."""
    abilities = posterior.abilities
    found: dict[str, NDArray[Any]] = {}
    if "log_prob" in abilities:
        found["log_prob"] = posterior.log_prob(every_set(N_LABELS))
    if "marginals" in abilities:
        found["marginals"] = posterior.marginals()
    if "size_marginals" in abilities:
        sizes = posterior.size_marginals()
        found |= {"joint": sizes.joint, "empty": sizes.empty}
    if "mode" in abilities:
        modes = posterior.mode()
        found |= {"mode": modes.sets.toarray(), "mode_log_prob": modes.log_prob, "mode_exact": modes.exact}
    return found


def assert_same_bits(first: dict[str, NDArray[Any]], second: dict[str, NDArray[Any]]) -> None:
    assert first.keys() == second.keys()
    for key, value in first.items():
        assert_array_equal(value, second[key], err_msg=key)


def with_sizes(found: dict[str, NDArray[Any]], n_sizes: int) -> dict[str, NDArray[Any]]:
    """Pad or cut the size marginals: a document by itself may need fewer sizes than a batch."""
    if "joint" not in found:
        return found
    assert not found["joint"][:, :, n_sizes:].any()
    joint = np.pad(found["joint"], ((0, 0), (0, 0), (0, max(0, n_sizes - found["joint"].shape[2]))))
    return {**found, "joint": joint[:, :, :n_sizes]}


class TestDeclaration:
    def test_the_class_declares_known_abilities(self, estimator: LabelModel) -> None:
        assert estimator.abilities
        assert estimator.abilities <= ABILITIES.keys()
        entry = entry_of(estimator)
        assert entry is not None
        assert entry.title

    def test_the_posterior_has_the_abilities_of_the_model(self, model: Any, documents: Documents) -> None:
        assert model.posterior(documents.new).abilities == model.abilities

    def test_other_questions_are_refused_with_a_hint(self, model: Any, documents: Documents) -> None:
        posterior = model.posterior(documents.new)
        arguments = {"log_prob": ([[0] * N_LABELS],), "sample": (1, 0), "rescaled": (1.0, 0.0)}
        for ability in ABILITIES.keys() - model.abilities - {"marginals"}:
            with pytest.raises(Incompatible, match=f"^{type(model).__name__} has no `{ability}`. Hint: "):
                getattr(posterior, ability)(*arguments.get(ability, ()))

    def test_every_budget_has_a_grid_of_its_own_parameters(self, estimator: LabelModel, model: Any) -> None:
        entry = entry_of(estimator)
        assert entry is not None
        for budget in BUDGETS:
            paths = entry.grid(estimator, budget, 0.1)
            assert paths
            for setting in (setting for path in paths for setting in path.settings):
                clone(estimator).set_params(**setting.values)._check_parameters()

    def test_each_label_has_weights_to_inspect(self, model: Any) -> None:
        weights = model.label_weights()
        assert weights.shape == (N_LABELS, model.n_features_in_)
        assert np.isfinite(weights.data).all()
        assert model.size().n_bytes > 0


class TestAnswers:
    def test_batch_equals_one_by_one(self, model: Any, documents: Documents) -> None:
        whole = answers(model, documents.new)
        for i in range(documents.new.shape[0]):
            single = answers(model, documents.new[i : i + 1])
            n_sizes = whole["joint"].shape[2] if "joint" in whole else 0
            assert_same_bits({key: value[i : i + 1] for key, value in whole.items()}, with_sizes(single, n_sizes))

    def test_posterior_of_some_documents_is_part_of_the_whole(self, model: Any, documents: Documents) -> None:
        posterior = model.posterior(documents.new)
        rows = np.array([4, 0, 7])
        whole, some = answers_of(posterior), answers_of(posterior.take(rows))
        n_sizes = whole["joint"].shape[2] if "joint" in whole else 0
        assert_same_bits({key: value[rows] for key, value in whole.items()}, with_sizes(some, n_sizes))
        assert posterior.take(rows).n_samples == 3
        assert [block.n_samples for block in posterior.blocks(4)] == [4, 4, 1]

    def test_documents_beyond_memory_are_scored_in_blocks(
        self, model: Any, documents: Documents, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = answers(model, documents.new)
        monkeypatch.setattr("setwise.posterior.SCORES_AT_ONCE", 2 * model._n_scores)
        assert isinstance(model.posterior(documents.new), LazyPosterior)
        n_sizes = whole["joint"].shape[2] if "joint" in whole else 0
        assert_same_bits(whole, with_sizes(answers(model, documents.new), n_sizes))

    def test_dense_and_sparse_documents_agree(self, model: Any, documents: Documents) -> None:
        dense = answers(model, documents.new.toarray())
        for key, value in answers(model, documents.new).items():
            assert_allclose(dense[key], value, atol=1e-9, err_msg=key)

    def test_order_of_sets_does_not_matter(self, model: Any, documents: Documents) -> None:
        needs(model, "log_prob")
        order = np.random.default_rng(0).permutation(2**N_LABELS)
        sets = every_set(N_LABELS)
        assert_array_equal(
            model.posterior(documents.new).log_prob(sets[order]),
            model.posterior(documents.new).log_prob(sets)[:, order],
        )
        assert_array_equal(
            model.posterior(documents.new).log_prob(sets[order[:3]]),
            model.posterior(documents.new).log_prob(sets)[:, order[:3]],
        )

    def test_probabilities_sum_to_one(self, model: Any, documents: Documents) -> None:
        needs(model, "log_prob")
        assert_allclose(
            np.exp(model.posterior(documents.new).log_prob(every_set(N_LABELS))).sum(axis=1), 1.0, atol=1e-10
        )

    def test_marginals_are_sums_over_sets(self, model: Any, documents: Documents) -> None:
        needs(model, "log_prob", "marginals")
        probability = np.exp(model.posterior(documents.new).log_prob(every_set(N_LABELS)))
        assert_allclose(
            model.posterior(documents.new).marginals(), marginals_by_sums(probability, every_set(N_LABELS)), atol=1e-10
        )

    def test_size_marginals_are_sums_over_sets(self, model: Any, documents: Documents) -> None:
        needs(model, "log_prob", "size_marginals")
        found = model.posterior(documents.new).size_marginals()
        probability = np.exp(model.posterior(documents.new).log_prob(every_set(N_LABELS)))
        joint, empty = size_marginals_by_sums(probability, every_set(N_LABELS), found.joint.shape[2])
        assert_allclose(found.joint, joint, atol=1e-10)
        assert_allclose(found.empty, empty, atol=1e-10)

    def test_marginals_are_sums_over_sizes(self, model: Any, documents: Documents) -> None:
        needs(model, "marginals", "size_marginals")
        assert_allclose(
            model.posterior(documents.new).marginals(),
            model.posterior(documents.new).size_marginals().marginals,
            atol=1e-10,
        )

    @pytest.mark.parametrize("non_empty", [False, True])
    def test_mode_is_the_most_probable_set(self, model: Any, documents: Documents, non_empty: bool) -> None:
        needs(model, "mode")
        modes = model.posterior(documents.new).mode(non_empty=non_empty)
        log_prob = model.posterior(documents.new).log_prob(every_set(N_LABELS)[int(non_empty) :])  # the first is empty
        assert modes.exact.all()
        assert not non_empty or modes.sets.toarray().any(axis=1).all()
        assert_allclose(modes.log_prob, log_prob.max(axis=1), atol=ROUNDING)
        own = [
            model.posterior(documents.new[i : i + 1]).log_prob(modes.sets[[i]])[0, 0]
            for i in range(documents.new.shape[0])
        ]
        assert_allclose(own, log_prob.max(axis=1), atol=ROUNDING)

    def test_samples_are_as_frequent_as_they_are_probable(self, model: Any, documents: Documents) -> None:
        needs(model, "sample")
        drawn = (
            model.posterior(documents.new[:3]).sample(N_DRAWN, random_state=1).toarray().reshape(3, N_DRAWN, N_LABELS)
        )
        number = drawn @ (1 << np.arange(N_LABELS))
        probability = np.exp(model.posterior(documents.new[:3]).log_prob(every_set(N_LABELS)))
        for document in range(3):
            p = probability[document]
            share = np.bincount(number[document], minlength=2**N_LABELS) / N_DRAWN
            spread = np.sqrt(p * (1.0 - p) / N_DRAWN)
            assert (np.abs(share - p) <= SIGMAS * spread + 1.0 / N_DRAWN).all()

    def test_samples_depend_on_seed_and_document_alone(self, model: Any, documents: Documents) -> None:
        needs(model, "sample")
        drawn = model.posterior(documents.new).sample(50, random_state=3).toarray()
        assert_array_equal(drawn, model.posterior(documents.new).sample(50, random_state=3).toarray())
        assert_array_equal(drawn[:100], model.posterior(documents.new[:2]).sample(50, random_state=3).toarray())
        assert_array_equal(drawn[200:250], model.posterior(documents.new[4:5]).sample(50, random_state=3).toarray())
        assert (drawn != model.posterior(documents.new).sample(50, random_state=4).toarray()).any()


class TestTraining:
    def test_same_data_same_bits_whatever_the_threads(
        self, estimator: LabelModel, model: Any, documents: Documents
    ) -> None:
        first = answers(model, documents.new)
        assert_same_bits(
            first, answers(clone(estimator).set_params(n_jobs=1).fit(documents.X, documents.y), documents.new)
        )
        assert_same_bits(
            first, answers(clone(estimator).set_params(n_jobs=2).fit(documents.X, documents.y), documents.new)
        )

    def test_inputs_and_parameters_stay_as_they_are(self, estimator: LabelModel, documents: Documents) -> None:
        X, y, new = documents.X.copy(), sp.csr_array(documents.y), documents.new.copy()
        parts = [part.copy() for matrix in (X, y, new) for part in (matrix.data, matrix.indices, matrix.indptr)]
        fresh = clone(estimator)
        parameters = dict(fresh.get_params())
        answers(fresh.fit(X, y), new)
        kept = [part for matrix in (X, y, new) for part in (matrix.data, matrix.indices, matrix.indptr)]
        for before, after in zip(parts, kept, strict=True):
            assert_array_equal(before, after)
        assert fresh.get_params() == parameters

    def test_a_weight_of_two_is_a_document_twice(self, estimator: LabelModel, documents: Documents) -> None:
        needs_whole_batches(estimator, documents)
        weight = 1.0 + (np.arange(documents.X.shape[0]) % 3 == 0)
        twice = np.repeat(np.arange(documents.X.shape[0]), weight.astype(np.int64))
        weighted = clone(estimator).fit(documents.X, documents.y, weight)
        repeated = clone(estimator).fit(documents.X[twice], documents.y[twice])
        plain = clone(estimator).fit(documents.X, documents.y)
        assert weighted.objective_ == pytest.approx(repeated.objective_, abs=2e-4)
        assert abs(weighted.objective_ - plain.objective_) > 1e-3

    def test_no_iteration_hurts(self, estimator: LabelModel, documents: Documents) -> None:
        needs_whole_batches(estimator, documents)
        objectives: list[float] = []
        clone(estimator).fit(documents.X, documents.y, callback=lambda _, model: objectives.append(model.objective_))
        assert len(objectives) > 1
        assert np.diff(objectives).max() <= ROUNDING

    def test_callback_ends_training(self, estimator: LabelModel, documents: Documents) -> None:
        seen: list[int] = []

        def stop_at_two(iteration: int, model: Any) -> bool:
            assert answers(model, documents.new)
            seen.append(iteration)
            return iteration == 2

        clone(estimator).fit(documents.X, documents.y, callback=stop_at_two)
        assert seen == [1, 2]

    def test_labels_by_name(self, estimator: LabelModel, model: Any, documents: Documents) -> None:
        named = [[NAMES[label] for label in np.flatnonzero(row)] for row in documents.y]
        by_name = clone(estimator).fit(documents.X, named)
        assert by_name.classes_ == tuple(NAMES)
        assert_same_bits(answers(model, documents.new), answers(by_name, documents.new))
        if "log_prob" in model.abilities:
            some = [[], ["chess"], ["art", "biology"]]
            indicator = [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [1, 1, 0, 0, 0]]
            assert_array_equal(
                by_name.posterior(documents.new).log_prob(some), model.posterior(documents.new).log_prob(indicator)
            )


class TestState:
    def test_saved_and_loaded_model_gives_the_same_bits(self, model: Any, documents: Documents, tmp_path: Path) -> None:
        state = model.state()
        np.savez(tmp_path / "arrays.npz", **state.arrays)
        (tmp_path / "rest.json").write_text(json.dumps([state.model, state.parameters, state.values]))
        kind, parameters, values = json.loads((tmp_path / "rest.json").read_text())
        with np.load(tmp_path / "arrays.npz") as arrays:
            loaded = type(model).from_state(ModelState(kind, parameters, values, dict(arrays), state.members))
        assert_same_bits(answers(model, documents.new), answers(loaded, documents.new))
        assert loaded.classes_ == model.classes_

    def test_state_of_another_model_is_refused(self, model: Any) -> None:
        state = model.state()
        with pytest.raises(InvalidData, match="The state belongs to Other, not to"):
            type(model).from_state(ModelState("Other", state.parameters, state.values, state.arrays))
        with pytest.raises(InvalidData, match="is missing from the state"):
            type(model).from_state(ModelState(state.model, state.parameters, {}, {}))


class TestBadInput:
    def test_unfitted(self, estimator: LabelModel, documents: Documents) -> None:
        for ask in (lambda: estimator.posterior(documents.new), estimator.label_weights, estimator.state):
            with pytest.raises(NotFittedError):
                ask()

    def test_wrong_number_of_features(self, model: Any) -> None:
        with pytest.raises(InvalidData, match="12 features"):
            model.posterior(np.zeros((2, 3)))

    def test_sets_of_other_labels(self, model: Any, documents: Documents) -> None:
        needs(model, "log_prob")
        with pytest.raises(InvalidData, match="sets"):
            model.posterior(documents.new).log_prob([[1, 0]])
        with pytest.raises(InvalidData, match="sets"):
            model.posterior(documents.new).log_prob([["nowhere"]])

    def test_training_data_that_disagree(self, estimator: LabelModel, documents: Documents) -> None:
        with pytest.raises(InvalidData, match="X has 80 rows but y has 79"):
            clone(estimator).fit(documents.X, documents.y[:-1])


class TestOddData:
    def test_constant_labels_and_empty_documents(self, estimator: LabelModel, documents: Documents) -> None:
        X, y = documents.X.tolil(), documents.y.copy()
        X[5] = 0.0
        y[:, 1], y[:, 2] = 1, 0
        fitted = clone(estimator).fit(X.tocsr(), y)
        if "marginals" in fitted.abilities and "log_prob" in fitted.abilities:  # without a joint, sizes need not add up
            marginals = fitted.posterior(documents.new).marginals()
            assert (marginals[:, 1] > 0.99).all()
            assert (marginals[:, 2] < 0.01).all()
        for key, value in answers(fitted, documents.new).items():
            assert not np.isnan(value).any(), key

    def test_one_document_and_one_label(self, estimator: LabelModel) -> None:
        fitted = clone(estimator).fit(np.ones((1, 1)), [[1]])
        found = fitted.posterior(np.ones((1, 1))).size_marginals() if "size_marginals" in fitted.abilities else None
        assert found is None or found.joint[0, 0, 0] > 0.99
        two = clone(estimator).fit(np.array([[0.0], [1.0]]), [[0], [1]])
        assert np.isfinite(getattr(two, "objective_", 0.0))
