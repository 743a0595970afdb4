"""The door to the chain kernels refuses whatever would make them read or write beyond an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from setwise import _core
from tests.learners.test_door import i32, i64

CHAIN = {"indptr": i64(0, 2, 3, 3), "indices": i32(1, 2, 2), "values": np.array([1.0, -1.0, 2.0])}
SETS = {"indptr": i64(0, 0, 2), "indices": i32(0, 2)}
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


@pytest.mark.parametrize(
    "change",
    [
        {"scores": np.zeros((4, 2))},
        {"scores": np.zeros((4, 4))},
        {"indptr": i64()},
        {"indptr": i64(0, 0, 3)},
        {"indptr": i64(0, 3, 2)},
        {"indices": i32(0, 3)},
        {"indices": i32(-1, 2)},
        {"indices": i32(2, 0)},
        {"indices": i32(1, 1)},
    ],
    ids=str,
)
def test_sets_and_scores_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    chain = _core.Chain(**CHAIN)
    asked = {"scores": SCORES} | SETS | {"n_jobs": 1} | change
    with pytest.raises(ValueError, match=r"\w"):
        chain.log_prob(**asked)
    with pytest.raises(ValueError, match=r"\w"):
        chain.log_prob_each(**asked, document=i32(0, 1))


@pytest.mark.parametrize("document", [i32(0), i32(0, 4), i32(-1, 0)], ids=str)
def test_documents_that_are_not_there_are_refused(document: Any) -> None:
    with pytest.raises(ValueError, match="document"):
        _core.Chain(**CHAIN).log_prob_each(SCORES, **SETS, document=document, n_jobs=1)


def test_beams_and_samples_of_a_wrong_shape_are_refused() -> None:
    chain = _core.Chain(**CHAIN)
    with pytest.raises(ValueError, match="width"):
        chain.beams(SCORES, 0, 1)
    with pytest.raises(ValueError, match="scores"):
        chain.beams(np.zeros((4, 2)), 3, 1)
    with pytest.raises(ValueError, match="shape"):
        chain.samples(np.zeros(2), np.zeros((5, 3)))
    with pytest.raises(ValueError, match="shape"):
        chain.samples(np.zeros(3), np.zeros((5, 2)))


def test_what_is_sound_goes_through() -> None:
    chain = _core.Chain(**{name: np.array(value) for name, value in CHAIN.items()})
    assert chain.log_prob(SCORES, **SETS, n_jobs=1).shape == (4, 2)
    assert chain.log_prob(np.zeros((0, 3)), **SETS, n_jobs=1).shape == (0, 2)
    assert chain.log_prob(SCORES, i64(0), i32(), 1).shape == (4, 0)
    nothing = _core.Chain(i64(0), i32(), np.zeros(0))
    assert nothing.log_prob(np.zeros((2, 0)), i64(0, 0), i32(), 1).tolist() == [[0.0], [0.0]]
    indptr, indices = chain.samples(np.full(3, 50.0), np.full((2, 3), 0.5))
    assert indptr.tolist() == [0, 3, 6]
    assert indices.tolist() == [0, 1, 2, 0, 1, 2]
