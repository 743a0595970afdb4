"""The door to the chain kernels refuses whatever would make them read or write beyond an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from setwise import _core
from tests.learners.test_door import i32, i64

CHAIN = {"indptr": i64(0, 2, 3, 3), "indices": i32(1, 2, 2), "values": np.array([1.0, -1.0, 2.0])}
SETS = _core.LabelSets(3, i64(0, 0, 2), i32(0, 2))
TRIE = _core.ChainTrie(SETS, i32(0, 1, 2))
SCORES = np.zeros((4, 3))


@pytest.mark.parametrize(
    "change",
    [
        {"indptr": i64()},
        {"indptr": i64(0, 2, 3)},
        {"indptr": i64(0, 3, 2, 3)},
        {"indptr": i64(0, 2, 3, 4)},
        {"indices": i32(1, 3, 2)},
        {"indices": i32(-1, 2, 2)},
        {"indices": i32(2, 1, 2)},
        {"indices": i32(0, 2, 2)},  # to itself
        {"indices": i32(1, 2, 0)},  # backwards
        {"values": np.ones(2)},
    ],
    ids=str,
)
def test_feedback_of_a_broken_structure_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        _core.Chain(**(CHAIN | change))


@pytest.mark.parametrize("n_labels", [2, 4])
def test_scores_of_another_number_of_labels_are_refused(n_labels: int) -> None:
    chain, scores = _core.Chain(**CHAIN), np.zeros((4, n_labels))
    with pytest.raises(ValueError, match="scores must have one column per label"):
        _core.ChainPlan(chain, TRIE).log_prob(scores, 1)
    with pytest.raises(ValueError, match="scores must have one column per label"):
        chain.log_prob_each(scores, SETS, i32(0, 1), 1)


@pytest.mark.parametrize("n_labels", [2, 4])
def test_sets_of_another_number_of_labels_are_refused(n_labels: int) -> None:
    chain, sets = _core.Chain(**CHAIN), _core.LabelSets(n_labels, i64(0, 0, 2), i32(0, 1))
    with pytest.raises(ValueError, match="differ in their number of labels"):
        _core.ChainPlan(chain, _core.ChainTrie(sets, np.arange(n_labels, dtype=np.int32)))
    with pytest.raises(ValueError, match="differ in their number of labels"):
        chain.log_prob_each(SCORES, sets, i32(0, 1), 1)


@pytest.mark.parametrize("document", [i32(0), i32(0, 4), i32(-1, 0)], ids=str)
def test_documents_that_are_not_there_are_refused(document: Any) -> None:
    with pytest.raises(ValueError, match="document"):
        _core.Chain(**CHAIN).log_prob_each(SCORES, SETS, document, 1)


def test_beams_of_a_wrong_shape_are_refused() -> None:
    chain = _core.Chain(**CHAIN)
    with pytest.raises(ValueError, match="width"):
        chain.beams(SCORES, 0, 1)
    with pytest.raises(ValueError, match="scores"):
        chain.beams(np.zeros((4, 2)), 3, 1)


SAMPLES: dict[str, Any] = {
    "orders": np.array([[0, 1, 2], [2, 0, 1]], dtype=np.int32),
    "scores": [np.full((4, 3), 50.0)] * 2,
    "picked": i32(0, 1),
    "uniform": np.full((2, 3), 0.5),
    "n_threads": 1,
}


@pytest.mark.parametrize(
    "change",
    [
        {"chains": []},
        {"chains": [_core.Chain(i64(0), i32(), np.zeros(0))] * 2},
        {"orders": np.zeros((1, 3), dtype=np.int32)},
        {"orders": np.zeros((2, 2), dtype=np.int32)},
        {"orders": np.full((2, 3), 3, dtype=np.int32)},
        {"orders": np.full((2, 3), -1, dtype=np.int32)},
        {"scores": [np.zeros((4, 3))]},
        {"scores": [np.zeros((4, 3)), np.zeros((5, 3))]},
        {"scores": [np.zeros((4, 2))] * 2},
        {"picked": i32(0)},
        {"picked": i32(0, 2)},
        {"picked": i32(-1, 0)},
        {"uniform": np.zeros((2, 2))},
    ],
)
def test_samples_of_a_wrong_shape_are_refused(change: dict[str, Any]) -> None:
    options = {"chains": [_core.Chain(**CHAIN)] * 2} | SAMPLES
    assert _core.chain_samples(**options)[0].tolist() == list(range(0, 25, 3))
    with pytest.raises(ValueError, match=r"\w"):
        _core.chain_samples(**(options | change))


def test_what_is_sound_goes_through() -> None:
    chain = _core.Chain(**{name: np.array(value) for name, value in CHAIN.items()})
    assert _core.ChainPlan(chain, TRIE).log_prob(SCORES, 1).shape == (4, 2)
    assert _core.ChainPlan(chain, TRIE).log_prob(np.zeros((0, 3)), 1).shape == (0, 2)
    no_sets = _core.ChainTrie(_core.LabelSets(3, i64(0), i32()), i32(0, 1, 2))
    assert _core.ChainPlan(chain, no_sets).log_prob(SCORES, 1).shape == (4, 0)
    nothing = _core.Chain(i64(0), i32(), np.zeros(0))
    empty_sets = _core.ChainTrie(_core.LabelSets(0, i64(0, 0), i32()), i32())
    assert _core.ChainPlan(nothing, empty_sets).log_prob(np.zeros((2, 0)), 1).tolist() == [[0.0], [0.0]]
    indptr, indices = _core.chain_samples([chain] * 2, **SAMPLES)
    assert indptr.tolist() == list(range(0, 25, 3))
    assert indices.tolist() == [0, 1, 2] * 8


@pytest.mark.parametrize("size", [0.5, 60.0], ids=["small feedback", "large feedback"])
def test_documents_alone_and_side_by_side_have_the_same_bits(size: float) -> None:
    random = np.random.default_rng(3)
    n_labels = 30
    feedback = sp.csr_array(np.triu(size * random.normal(size=(n_labels, n_labels)), 1))
    chain = _core.Chain(feedback.indptr.astype(np.int64), feedback.indices.astype(np.int32), feedback.data)
    sets = sp.csr_array(random.random((400, n_labels)) < 0.15)
    label_sets = _core.LabelSets(n_labels, sets.indptr.astype(np.int64), sets.indices.astype(np.int32))
    trie = _core.ChainTrie(label_sets, random.permutation(n_labels).astype(np.int32))
    scores = random.normal(size=(19, n_labels))
    plan = _core.ChainPlan(chain, trie)
    together = plan.log_prob(scores, 2)
    for i in range(len(scores)):
        assert np.array_equal(plan.log_prob(scores[i : i + 1], 1)[0], together[i])
