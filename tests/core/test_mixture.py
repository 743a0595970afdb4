"""The kernels for mixtures of independent labels, against sums over every set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.special import expit, log_softmax

from setwise import _core
from tests.oracles.mixture import every_set, leave_one_out_joint, set_log_prob, size_marginals

Array = NDArray[np.float64]

ODD_LOGITS = [0.0, -0.0, 1e-300, 0.5, -0.5, 36.0, -36.0, 700.0, -700.0, 1e6, -1e6]


@st.composite
def mixtures(draw: st.DrawFn, max_labels: int = 6) -> tuple[Array, Array]:
    """Logits and gates with ties, huge values and closed components."""
    shape = draw(st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, max_labels)))
    values = st.one_of(st.sampled_from(ODD_LOGITS), st.floats(-8.0, 8.0))
    logits = draw(hnp.arrays(np.float64, shape, elements=values))
    gates = st.one_of(st.just(-np.inf), st.sampled_from([0.0, -50.0]), st.floats(-3.0, 3.0))
    raw = draw(hnp.arrays(np.float64, shape[:2], elements=gates))
    raw[np.isneginf(raw).all(axis=1), 0] = 0.0
    return logits, log_softmax(raw, axis=1)


def random_mixture(seed: int, n: int, n_components: int, n_labels: int, shift: float = -1.0) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    logits = random.normal(shift, 2.5, size=(n, n_components, n_labels))
    return logits, log_softmax(2.0 * random.normal(size=(n, n_components)), axis=1)


def log_prob(logits: Array, log_gate: Array, sets: Any, n_threads: int = 1) -> Array:
    rows = sp.csr_array(sets)
    label_sets = _core.LabelSets(rows.shape[1], rows.indptr.astype(np.int64), rows.indices.astype(np.int32))
    return _core.mixture_log_prob(logits, log_gate, label_sets, n_threads)


def mode(
    logits: Array, log_gate: Array, max_steps: int = 0, n_threads: int = 1, non_empty: bool = False
) -> tuple[Array, Array, NDArray[np.bool_]]:
    indptr, indices, found, exact = _core.mixture_mode(logits, log_gate, max_steps, n_threads, non_empty)
    shape = (logits.shape[0], logits.shape[2])
    return sp.csr_array((np.ones(indices.size), indices, indptr), shape=shape).toarray(), found, exact


def rounding(logits: Array) -> Array:
    """What the sums of a document's logits may lose, documents by one."""
    return np.asarray(1e-15 * (1.0 + np.abs(logits).sum(axis=2).max(axis=1))[:, None] * logits.shape[2])


@given(mixtures())
def test_log_prob_is_that_of_the_formula(mixture: tuple[Array, Array]) -> None:
    logits, log_gate = mixture
    sets = every_set(logits.shape[2])
    expected = set_log_prob(logits, log_gate, sets)
    assert (np.abs(log_prob(logits, log_gate, sets) - expected) <= rounding(logits) + 1e-13 * np.abs(expected)).all()


@given(mixtures())
def test_size_marginals_are_those_of_every_set(mixture: tuple[Array, Array]) -> None:
    logits, log_gate = mixture
    joint, empty = _core.mixture_size_marginals(logits, log_gate, logits.shape[2], 1)
    expected, expected_empty = size_marginals(logits, log_gate)
    np.testing.assert_allclose(joint, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(empty, expected_empty, rtol=1e-12, atol=1e-300)
    assert (joint >= 0.0).all()


@given(mixtures(), st.booleans())
def test_no_set_is_more_probable_than_the_mode(mixture: tuple[Array, Array], non_empty: bool) -> None:
    logits, log_gate = mixture
    chosen, found, exact = mode(logits, log_gate, non_empty=non_empty)
    sets = every_set(logits.shape[2])
    every = set_log_prob(logits, log_gate, sets)
    if non_empty:
        assert chosen.any(axis=1).all()
        every[:, 0] = -np.inf  # the empty set
    assert exact.all()
    np.testing.assert_allclose(found, every.max(axis=1), rtol=1e-12, atol=1e-12)
    places = (chosen @ (2 ** np.arange(logits.shape[2])[::-1])).astype(int)
    np.testing.assert_allclose(every[np.arange(len(every)), places], found, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
@pytest.mark.parametrize("n_components", [1, 3, 12])
def test_all_three_on_ordinary_mixtures(n_components: int, shift: float) -> None:
    logits, log_gate = random_mixture(1, 21, n_components, 8, shift)
    sets = every_set(8)
    every = set_log_prob(logits, log_gate, sets)
    np.testing.assert_allclose(log_prob(logits, log_gate, sets), every, rtol=1e-13, atol=1e-13)
    joint, empty = _core.mixture_size_marginals(logits, log_gate, 8, 1)
    np.testing.assert_allclose(joint, size_marginals(logits, log_gate)[0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(empty, np.exp(every[:, 0]), rtol=1e-13)
    chosen, found, exact = mode(logits, log_gate)
    assert np.array_equal(chosen, sets[every.argmax(axis=1)])
    np.testing.assert_allclose(found, every.max(axis=1), rtol=0, atol=1e-13)
    assert exact.all()


@pytest.mark.parametrize(
    "make",
    {
        "rare labels": lambda random: random.normal(-5.0, 2.0, 300),
        "even odds": lambda random: np.zeros(300),
        "near even odds": lambda random: random.normal(0.0, 0.3, 300),
        "frequent labels": lambda random: random.normal(4.0, 2.0, 300),
        "both kinds": lambda random: random.choice([-1.0, 1.0], 300) * random.exponential(5.0, 300),
        "constants among them": lambda random: random.choice([*ODD_LOGITS, 0.3, -2.0], 300),
    }.items(),
    ids=lambda item: item[0],
)
def test_sizes_of_hundreds_of_labels(make: Any) -> None:
    logits = make[1](np.random.default_rng(2))
    joint, empty = _core.mixture_size_marginals(logits[None, None], np.zeros((1, 1)), 300, 1)
    for label in (0, 1, int(logits.argmin()), int(logits.argmax()), int(np.abs(logits).argmin())):
        np.testing.assert_allclose(joint[0, label], leave_one_out_joint(logits, label), rtol=0, atol=1e-12)
    np.testing.assert_allclose(joint[0].sum(axis=1), expit(logits), rtol=0, atol=1e-12)
    sizes = joint[0].sum(axis=0) / np.arange(1, 301)
    assert sizes.sum() + empty[0] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("max_size", [0, 1, 5, 11])
def test_max_size_cuts_what_is_returned_and_nothing_else(max_size: int) -> None:
    logits, log_gate = random_mixture(3, 9, 3, 11, shift=1.0)
    whole, empty = _core.mixture_size_marginals(logits, log_gate, 11, 1)
    cut, cut_empty = _core.mixture_size_marginals(logits, log_gate, max_size, 1)
    assert np.array_equal(cut, whole[:, :, :max_size])
    assert np.array_equal(cut_empty, empty)


def test_threads_batches_and_the_order_of_sets_leave_every_bit() -> None:
    logits, log_gate = random_mixture(4, 37, 5, 19)
    sets = np.random.default_rng(5).integers(0, 2, (50, 19))
    sets[7] = 0
    order = np.random.default_rng(6).permutation(50)
    whole = log_prob(logits, log_gate, sets)
    joint, empty = _core.mixture_size_marginals(logits, log_gate, 19, 1)
    modes = mode(logits, log_gate)
    for n_threads in (2, 3, 8):
        assert np.array_equal(log_prob(logits, log_gate, sets, n_threads), whole)
        again = _core.mixture_size_marginals(logits, log_gate, 19, n_threads)
        assert all(np.array_equal(a, b) for a, b in zip(again, (joint, empty), strict=True))
        assert all(np.array_equal(a, b) for a, b in zip(mode(logits, log_gate, 0, n_threads), modes, strict=True))
    assert np.array_equal(log_prob(logits, log_gate, sets[order]), whole[:, order])
    for rows in (slice(0, 1), slice(5, 16), slice(36, 37), slice(10, 10)):
        assert np.array_equal(log_prob(logits[rows], log_gate[rows], sets), whole[rows])
        assert np.array_equal(_core.mixture_size_marginals(logits[rows], log_gate[rows], 19, 1)[0], joint[rows])
        cut = mode(logits[rows], log_gate[rows])
        assert all(np.array_equal(a, b[rows]) for a, b in zip(cut, modes, strict=True))


def test_a_closed_component_has_no_part() -> None:
    logits, log_gate = random_mixture(7, 10, 3, 6)
    closed = np.insert(log_gate, 1, -np.inf, axis=1)
    more = np.insert(logits, 1, 50.0, axis=1)
    sets = every_set(6)
    np.testing.assert_allclose(log_prob(more, closed, sets), log_prob(logits, log_gate, sets), rtol=1e-14)
    one, other = (_core.mixture_size_marginals(*m, 6, 1) for m in ((more, closed), (logits, log_gate)))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(mode(more, closed), mode(logits, log_gate), strict=True))


def test_documents_whose_gates_are_all_closed_have_nothing() -> None:
    logits, log_gate = np.ones((1, 2, 3)), np.full((1, 2), -np.inf)
    assert np.isneginf(log_prob(logits, log_gate, every_set(3))).all()
    joint, empty = _core.mixture_size_marginals(logits, log_gate, 3, 1)
    assert not joint.any()
    assert not empty.any()
    chosen, found, exact = mode(logits, log_gate)
    assert not chosen.any()
    assert np.isneginf(found).all()
    assert exact.all()


def test_one_component_is_independent_labels() -> None:
    logits = np.array([[[0.3, -0.2, 0.0, 1e6, -1e6]]])
    chosen, found, exact = mode(logits, np.zeros((1, 1)), max_steps=1)
    assert chosen.tolist() == [[1, 0, 0, 1, 0]]
    assert found[0] == pytest.approx(-np.logaddexp(0, -np.abs([0.3, 0.2, 0.0])).sum(), abs=1e-15)
    assert exact.all()


@pytest.mark.parametrize("n_components", [1, 3])
def test_without_the_empty_set_an_improbable_set_keeps_its_log_probability(n_components: int) -> None:
    logits = np.tile([-2e6, -1e6, -3e6], (1, n_components, 1))
    chosen, found, exact = mode(logits, np.log(np.full((1, n_components), 1 / n_components)), non_empty=True)
    assert chosen.tolist() == [[0, 1, 0]]
    assert found[0] == pytest.approx(-1e6, rel=1e-14)
    assert exact.all()
    assert mode(logits[:, :1], np.zeros((1, 1)), max_steps=1, non_empty=True)[0].any()


def test_the_mode_of_a_mixture_may_be_no_components_mode() -> None:
    """Two halves that each prefer two of three labels agree best on the label they share."""
    logits = np.array([[[3.0, 0.1, -3.0], [3.0, -3.0, 0.1]]])
    chosen, _, exact = mode(logits, np.log(np.full((1, 2), 0.5)))
    assert chosen.tolist() == [[1, 0, 0]]
    assert exact.all()


def test_ties_end_the_search_and_take_no_label_more() -> None:
    logits, log_gate = np.zeros((1, 3, 200)), np.log(np.full((1, 3), 1 / 3))
    chosen, found, exact = mode(logits, log_gate)
    assert not chosen.any()
    assert found[0] == pytest.approx(-200 * np.log(2.0), rel=1e-14)
    assert exact.all()


@pytest.mark.parametrize("first", [0, 1])
def test_of_listed_sets_that_tie_the_first_as_a_row_of_bits_is_taken(first: int) -> None:
    logits = np.array([[[2.0, -2.0], [-2.0, 2.0]]])[:, [first, 1 - first]]
    chosen, _, exact = mode(logits, np.log(np.full((1, 2), 0.5)))
    assert chosen.tolist() == [[0, 1]]
    assert exact.all()


def test_where_the_limit_ends_the_search_nothing_is_proved() -> None:
    logits, log_gate = random_mixture(8, 30, 10, 30, shift=0.0)
    log_gate[:] = np.log(0.1)
    chosen, found, exact = mode(logits, log_gate)
    assert exact.all()
    short, short_found, short_exact = mode(logits, log_gate, max_steps=3)
    assert exact.dtype == np.bool_
    assert 0 < short_exact.sum() < 15  # one is proved in three steps
    assert (short_found <= found).all()
    assert np.array_equal(short[short_exact], chosen[short_exact])
    scores = np.array([log_prob(logits[i : i + 1], log_gate[i : i + 1], short[i : i + 1])[0, 0] for i in range(30)])
    np.testing.assert_allclose(short_found, scores, rtol=0, atol=1e-12)


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_the_mode_of_flat_mixtures(seed: int) -> None:
    random = np.random.default_rng(seed)
    logits = random.normal(0.0, 0.5, (4, 6, 10))
    log_gate = log_softmax(0.3 * random.normal(size=(4, 6)), axis=1)
    every = set_log_prob(logits, log_gate, every_set(10))
    chosen, found, exact = mode(logits, log_gate)
    assert np.array_equal(chosen, every_set(10)[every.argmax(axis=1)])
    np.testing.assert_allclose(found, every.max(axis=1), rtol=0, atol=1e-12)
    assert exact.all()


CUBE, GATE = np.zeros((2, 3, 4)), np.zeros((2, 3))


@pytest.mark.parametrize(
    ("logits", "log_gate"),
    [(CUBE, GATE[:1]), (CUBE, GATE[:, :2].copy()), (CUBE[:, :0].copy(), GATE[:, :0].copy()), (CUBE[..., :0], GATE)],
    ids=["fewer documents", "fewer components", "no component", "no label"],
)
def test_shapes_that_do_not_match_are_refused(logits: Array, log_gate: Array) -> None:
    with pytest.raises(ValueError, match="logits"):
        log_prob(logits, log_gate, np.zeros((1, 4)))
    with pytest.raises(ValueError, match="logits"):
        _core.mixture_size_marginals(logits, log_gate, 0, 1)
    with pytest.raises(ValueError, match="logits"):
        _core.mixture_mode(logits, log_gate, 0, 1)


def test_sets_of_another_number_of_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="logits and sets differ"):
        log_prob(CUBE, GATE, np.zeros((1, 5)))


def test_sizes_steps_and_threads_out_of_range_are_refused() -> None:
    for max_size in (-1, 5):
        with pytest.raises(ValueError, match="max_size"):
            _core.mixture_size_marginals(CUBE, GATE, max_size, 1)
    with pytest.raises(ValueError, match="max_steps"):
        _core.mixture_mode(CUBE, GATE, -1, 1)
    with pytest.raises(ValueError, match="n_threads"):
        _core.mixture_mode(CUBE, GATE, 0, 0)


def test_no_sets_and_no_documents_give_empty_arrays() -> None:
    assert log_prob(CUBE, GATE, np.zeros((0, 4))).shape == (2, 0)
    assert log_prob(CUBE[:0], GATE[:0], np.zeros((3, 4))).shape == (0, 3)
    assert _core.mixture_size_marginals(CUBE[:0], GATE[:0], 2, 1)[0].shape == (0, 4, 2)
    assert _core.mixture_mode(CUBE[:0], GATE[:0], 0, 1)[0].tolist() == [0]
