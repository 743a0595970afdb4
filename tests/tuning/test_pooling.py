"""The pool: weights are the most likely ones, and are fitted on other documents than they are judged by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from setwise.labels import LabelMatrix
from setwise.models import BinaryRelevance, ClassifierChain, Ensemble, Member, PairwiseCRF
from setwise.prediction import Candidate, HeldOut, Recipe, TuningTargets, select_recipe, tune_recipe
from setwise.tuning import PoolAdjustment, Validation, joint_held_out, simplex_weights
from tests.models.corpora import small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=150)
PART = Validation(share=0.4).parts(X, LabelMatrix.of(y))[0]
MODELS = [BinaryRelevance(0.01), PairwiseCRF(0.02), ClassifierChain(0.003)]
TRAINED = [model.fit(PART.X, PART.y) for model in MODELS]
HELD = [PART.held_out(one) for one in TRAINED]


def log_likelihood_of(weights: Any, rows: Any) -> float:
    return float(np.log(np.exp(rows) @ weights).sum())


class TestWeights:
    @given(st.lists(st.tuples(*[st.floats(-6.0, 0.0)] * 3), min_size=1, max_size=12))
    @settings(max_examples=40, deadline=None)
    def test_no_point_of_a_grid_is_more_likely(self, rows: list[tuple[float, ...]]) -> None:
        log_likelihood = np.array(rows)
        weights = simplex_weights(log_likelihood)
        assert weights.min() >= 0.0
        assert weights.sum() == pytest.approx(1.0)
        grid = [(a / 20, b / 20, 1 - (a + b) / 20) for a in range(21) for b in range(21 - a)]
        best = max(log_likelihood_of(np.array(point), log_likelihood) for point in grid)
        assert log_likelihood_of(weights, log_likelihood) >= best - 1e-9

    @given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.floats(0.1, 30.0))
    @settings(max_examples=60, deadline=None)
    def test_the_optimality_conditions_hold(self, seed: int, n_members: int, spread: float) -> None:
        """The mean responsibility of a member, over its weight, is 1 where it has a weight, and at most 1 elsewhere."""
        rows = -spread * np.random.default_rng(seed).random((200, n_members))
        weights = simplex_weights(rows)
        likelihood = np.exp(rows - rows.max(axis=1, keepdims=True))
        ratio = (likelihood / (likelihood @ weights)[:, None]).mean(axis=0)
        assert ratio.max() <= 1.0 + 1e-6
        assert_allclose(weights * (ratio - 1.0), 0.0, atol=1e-6)

    def test_members_that_agree_share_their_weight(self) -> None:
        rows = np.log([[0.9, 0.9, 0.1], [0.2, 0.2, 0.6], [0.5, 0.5, 0.4]])
        pair, alone = simplex_weights(rows), simplex_weights(rows[:, 1:])
        assert pair[:2].sum() == pytest.approx(alone[0], abs=1e-4)

    def test_a_model_that_is_always_better_takes_all(self) -> None:
        assert_allclose(simplex_weights(np.log([[0.9, 0.1]] * 5)), [1.0, 0.0], atol=1e-4)

    def test_rows_without_any_probability_say_nothing(self) -> None:
        known = np.log([[0.9, 0.1], [0.2, 0.6], [0.5, 0.4]])
        with_unknown = np.vstack([known, np.full((2, 2), -np.inf)])
        assert_array_equal(simplex_weights(with_unknown), simplex_weights(known))
        assert_array_equal(simplex_weights(np.full((2, 2), -np.inf)), [0.5, 0.5])


@pytest.mark.parametrize(("over", "members"), [("support", [0, 1, 2]), ("all", [0, 0])])
def test_each_member_is_calibrated_on_its_own(over: Any, members: list[int]) -> None:
    pool = PoolAdjustment(over).fit(joint_held_out([[HELD[m]] for m in members]))
    recipe = Recipe("support" if over == "support" else "exact", "gfm")
    for member, calibration in zip(members, pool.calibrations, strict=True):
        tuned = tune_recipe(recipe, TuningTargets("likelihood"), [HELD[member]])
        assert calibration == (tuned.calibration if over == "support" else tuned.scaling)


def test_the_pool_is_at_least_as_likely_as_its_members() -> None:
    joint = joint_held_out([[one] for one in HELD])
    pool = PoolAdjustment().fit(joint)
    own = PART.support.index_of(PART.y_held)
    seen = np.flatnonzero(own >= 0)

    def likelihood(part: HeldOut) -> float:
        return float(part.posterior.log_prob(PART.support.sets)[seen, own[seen]].sum())

    alone = []
    for m in range(len(HELD)):
        single = replace(pool, weights=np.eye(len(HELD))[m])
        alone.append(likelihood(single(joint[0])))
    assert likelihood(pool(joint[0])) >= max(alone) - 1e-6


def test_the_pooled_posterior_is_that_of_the_ensemble() -> None:
    joint = joint_held_out([[one] for one in HELD])
    pool = PoolAdjustment().fit(joint)
    ensemble = Ensemble.of_fitted(pool.weighted([Member(one) for one in TRAINED]), PART.support)
    assert_allclose(
        pool(joint[0]).posterior.log_prob(PART.support.sets),
        ensemble.posterior(PART.X_held).log_prob(PART.support.sets),
        atol=1e-12,
    )


def test_equal_weights_are_those_of_every_member() -> None:
    joint = joint_held_out([[held] for held in HELD])
    pool = PoolAdjustment("support", "equal").fit(joint)
    assert_array_equal(pool.weights, np.full(3, 1 / 3))
    assert pool.calibrations == PoolAdjustment("support").fit(joint).calibrations


def test_members_of_no_weight_are_dropped() -> None:
    pool = PoolAdjustment().fit(joint_held_out([[one] for one in HELD]))
    light = replace(pool, weights=np.array([0.0, 0.75, 0.25]))
    assert light.kept == [1, 2]
    members = light.weighted([Member(one) for one in TRAINED])
    assert [member.model for member in members] == TRAINED[1:]
    assert [member.weight for member in members] == [0.75, 0.25]


def test_a_document_is_decided_by_a_pool_that_never_saw_its_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []
    fit = PoolAdjustment.fit
    joint = joint_held_out([[one] for one in HELD])
    # The posterior of a document identifies it, whatever fold it is in.
    keys = {row.tobytes(): i for i, row in enumerate(HELD[0].posterior.marginals())}

    def recorded(self: PoolAdjustment, parts: Any) -> Any:
        seen.append({keys[row.tobytes()] for row in parts[0].posterior.members[0].marginals()})
        return fit(self, parts)

    monkeypatch.setattr(PoolAdjustment, "fit", recorded)
    select_recipe([Candidate("paper", Recipe("support", "gfm"))], joint, adjustment=PoolAdjustment(), n_folds=3)
    whole, *folds = seen
    assert len(folds) == 3
    assert whole == set(range(PART.y_held.n_samples))
    held = [whole - rest for rest in folds]
    assert set.union(*held) == whole
    assert sum(map(len, held)) == len(whole)
