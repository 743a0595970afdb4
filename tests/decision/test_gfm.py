"""GFM against the expected F of every set."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from setwise import _core
from setwise.decision import gfm
from setwise.exceptions import Incompatible, InvalidParameter
from setwise.labels import (
    Decision,
    IndependentSets,
    LabelMatrix,
    MostProbable,
    ScoredSets,
    SetDistribution,
    SizeMarginals,
)
from tests.decision.distributions import BETAS, distribution_of, distributions, loose_marginals, summed
from tests.oracles.fmeasure import expected_f_of_sets, expected_f_of_sizes
from tests.oracles.sets import every_set

ROUNDING = 1e-12


def labels_of(decided: Decision, document: int = 0) -> set[int]:
    return set(np.flatnonzero(decided.sets.toarray()[document]).tolist())


def test_paper_toy_example_predicts_an_unseen_set() -> None:
    """Section 3.2: p({1}) = .5, p({2}) = .4, p({3}) = .1  ->  {1, 2}, expected F1 0.6."""
    beliefs = distribution_of({(1,): 0.5, (2,): 0.4, (3,): 0.1}, n_labels=4)
    for form in (beliefs, summed(beliefs)):
        decided = gfm(form)
        assert labels_of(decided) == {1, 2}
        assert decided.value[0] == pytest.approx(0.6, abs=1e-15)


@given(distributions(), BETAS)
def test_no_set_expects_more_under_a_distribution_over_sets(beliefs: SetDistribution, beta: float) -> None:
    every, decided = every_set(beliefs.sets.shape[1]), gfm(beliefs, beta=beta)
    chosen = decided.sets.toarray()
    for i, probability in enumerate(beliefs.probability):
        expected = expected_f_of_sets(probability, beliefs.sets.indicator.toarray(), every, beta)
        assert decided.value[i] == pytest.approx(expected.max(), abs=ROUNDING)
        attained = expected_f_of_sets(probability, beliefs.sets.indicator.toarray(), chosen[i : i + 1], beta)
        assert decided.value[i] == pytest.approx(attained[0], abs=ROUNDING)
        best = np.flatnonzero(expected > expected.max() - ROUNDING)
        if best.size == 1:
            assert_array_equal(chosen[i], every[best[0]])


@given(distributions(), BETAS)
def test_sets_and_sizes_lead_to_the_same_choice(beliefs: SetDistribution, beta: float) -> None:
    one, other = gfm(beliefs, beta=beta), gfm(summed(beliefs), beta=beta)
    np.testing.assert_allclose(one.value, other.value, rtol=0, atol=1e-15)
    for i, probability in enumerate(beliefs.probability):
        pair = np.array([one.sets.toarray()[i], other.sets.toarray()[i]])
        values = expected_f_of_sets(probability, beliefs.sets.indicator.toarray(), pair, beta)
        assert (pair[0] == pair[1]).all() or values[0] == pytest.approx(values[1], abs=1e-14)


@pytest.mark.parametrize("beta", [0.25, 0.5, 1.0, 4.0])
def test_the_least_probability_there_is(beta: float) -> None:
    """Products of it with weights round to itself or to twice as much."""
    joint = np.zeros((1, 6, 6))
    joint[0, 0, 3] = np.nextafter(0.0, 1.0)
    decided = gfm(SizeMarginals(joint, np.zeros(1)), beta=beta)
    assert decided.value[0] <= 2e-323
    assert decided.sets.shape == (1, 6)


@given(loose_marginals(), BETAS)
def test_no_set_is_worth_more_under_marginals_that_do_not_fit_together(beliefs: SizeMarginals, beta: float) -> None:
    every, decided = every_set(beliefs.joint.shape[1]), gfm(beliefs, beta=beta)
    for i in range(len(beliefs.empty)):
        worth = expected_f_of_sizes(beliefs.joint[i], beliefs.empty[i], every, beta)
        mine = expected_f_of_sizes(beliefs.joint[i], beliefs.empty[i], decided.sets.toarray()[i : i + 1], beta)
        assert decided.value[i] == pytest.approx(worth.max(), abs=ROUNDING)
        assert mine[0] == pytest.approx(worth.max(), abs=ROUNDING)


@pytest.mark.parametrize(
    ("masses", "best", "value"),
    [
        ({(): 0.6, (0,): 0.4}, set(), 0.6),
        ({(): 0.3, (0, 1): 0.7}, {0, 1}, 0.7),
        ({(): 1.0, (0,): 0.0}, set(), 1.0),
        ({(): 0.0, (2,): 1.0}, {2}, 1.0),
        ({(): 0.5, (1,): 0.5}, set(), 0.5),  # the smaller of equals
        ({(0,): 0.5, (1,): 0.5}, {0, 1}, 2 / 3),
        ({(0,): 0.25, (1,): 0.25, (2,): 0.25, (3,): 0.25}, {0, 1, 2, 3}, 0.4),
        ({(0, 1): 0.5, (2, 3): 0.5}, {0, 1, 2, 3}, 2 / 3),
        ({(): 0.5, (3,): 0.25, (1,): 0.25}, set(), 0.5),
    ],
    ids=str,
)
def test_small_examples(masses: dict[tuple[int, ...], float], best: set[int], value: float) -> None:
    beliefs = distribution_of(masses, n_labels=4)
    for form in (beliefs, summed(beliefs)):
        decided = gfm(form)
        assert labels_of(decided) == best
        assert decided.value[0] == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("size", "masses", "empty", "best"),
    [
        (1, [0.0, 0.5, 0.5, 0.5], 0.75, set()),  # k labels are worth k / (1 + k): three tie with the empty set
        (1, [0.0, 0.5, 0.5, 0.5], 0.7, {1, 2, 3}),
        (1, [0.0, 0.5, 0.0, 0.25, 0.25], 0.0, {1}),  # one, two and three labels are all worth 1/2
        (2, [0.25, 0.75, 0.25, 0.75, 0.25], 0.0, {1, 3}),  # two are worth 3/4, three 7/10
        (2, [0.0, 0.0, 0.0], 0.0, set()),
    ],
    ids=str,
)
def test_ties_go_to_the_smaller_set(size: int, masses: list[float], empty: float, best: set[int]) -> None:
    joint = np.zeros((1, len(masses), size))
    joint[0, :, size - 1] = masses
    decided = gfm(SizeMarginals(joint, np.array([empty])))
    assert labels_of(decided) == best


@pytest.mark.parametrize(("twins", "best"), [([2, 3], {1, 2}), ([0, 3], {0, 1}), ([0, 2, 3], {0, 1})], ids=str)
def test_between_labels_of_one_worth_the_first_is_taken(twins: list[int], best: set[int]) -> None:
    """Label 1 alone is worth .9 * 2/11, with one of its twins .9 * 2/12 + .03 * 2/3 = .17, with two of them less."""
    joint = np.zeros((1, 4, 10))
    joint[0, 1, 9] = 0.9
    joint[0, twins, 0] = 0.03
    decided = gfm(SizeMarginals(joint, np.zeros(1)))
    assert labels_of(decided) == best
    assert decided.value[0] == pytest.approx(0.17, abs=1e-15)


@pytest.mark.parametrize("n_labels", [60, 300])
def test_the_size_of_a_set_has_no_limit(n_labels: int) -> None:
    beliefs = distribution_of({tuple(range(0, n_labels)): 1.0}, n_labels=n_labels + 5)
    decided = gfm(beliefs)
    assert labels_of(decided) == set(range(n_labels))
    assert decided.value[0] == pytest.approx(1.0, abs=1e-14)
    sizes = np.zeros((1, n_labels + 5, n_labels))
    sizes[0, :n_labels, -1] = 1.0
    assert labels_of(gfm(SizeMarginals(sizes, np.zeros(1)))) == set(range(n_labels))


def many_documents(n: int = 200, n_labels: int = 30, n_sets: int = 80) -> SetDistribution:
    random = np.random.default_rng(3)
    sets = (random.random((n_sets, n_labels)) < random.uniform(0.02, 0.5, (n_sets, 1))).astype(np.int64)
    sets[0] = 0
    return SetDistribution(LabelMatrix.of(sp.csr_array(sets)), random.dirichlet(np.full(n_sets, 0.1), size=n))


def forms() -> list[Any]:
    beliefs = many_documents()
    return [beliefs, summed(beliefs)]


def part_of(beliefs: Any, rows: slice) -> Any:
    if isinstance(beliefs, SetDistribution):
        return SetDistribution(beliefs.sets, beliefs.probability[rows])
    return SizeMarginals(beliefs.joint[rows], beliefs.empty[rows])


@pytest.mark.parametrize("beliefs", forms(), ids=lambda beliefs: type(beliefs).__name__)
def test_threads_and_batches_leave_every_bit(beliefs: Any) -> None:
    whole = gfm(beliefs)
    assert len({labels.tobytes() for labels in whole.sets.toarray()}) > 50
    for n_jobs in (2, 3, 8):
        again = gfm(beliefs, n_jobs=n_jobs)
        assert_array_equal(again.value, whole.value)
        assert_array_equal(again.sets.toarray(), whole.sets.toarray())
    for i in range(len(whole.value)):
        single = gfm(part_of(beliefs, slice(i, i + 1)))
        assert single.value[0] == whole.value[i]
        assert_array_equal(single.sets.toarray()[0], whole.sets.toarray()[i])
    assert gfm(part_of(beliefs, slice(0, 0))).sets.shape == (0, 30)


def test_beta_moves_the_choice_between_precision_and_recall() -> None:
    beliefs = many_documents()
    sizes = [np.diff(gfm(beliefs, beta=beta).sets.indptr).mean() for beta in (0.25, 1.0, 4.0)]
    assert sizes[0] < sizes[1] < sizes[2]


def test_what_was_given_stays_as_it_was() -> None:
    beliefs = many_documents(5)
    before = beliefs.probability.copy()
    gfm(beliefs)
    assert_array_equal(beliefs.probability, before)


def test_marginals_that_are_a_view_are_read_rightly() -> None:
    sizes = summed(many_documents(20))
    turned = SizeMarginals(np.asfortranarray(sizes.joint), sizes.empty[::1])
    assert_array_equal(gfm(turned).value, gfm(sizes).value)


@pytest.mark.parametrize("beta", [0.0, -1.0, np.inf, np.nan, "1", None, True], ids=repr)
def test_a_beta_that_weighs_nothing_is_refused(beta: Any) -> None:
    message = f"beta must be a number above 0 and at most 1e+100; got {beta!r}."
    with pytest.raises(InvalidParameter, match=f"^{re.escape(message)}$"):
        gfm(many_documents(1), beta=beta)


def test_a_beta_whose_square_is_infinite_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"^beta must be a number above 0 and at most 1e\+100; got 1e\+200\.$"):
        gfm(many_documents(1), beta=1e200)
    assert np.isfinite(gfm(many_documents(20), beta=1e100).value).all()


@pytest.mark.parametrize("scale", [1.0, 0.37, 0.0, -0.5])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_scores_lead_to_the_bits_of_their_probabilities(scale: float, n_jobs: int) -> None:
    random, sets = np.random.default_rng(3), many_documents(1).sets
    scores = random.normal(-30.0, 20.0, size=(203, sets.n_samples))
    scores[random.random(scores.shape) < 0.1] = -np.inf
    scores[:, 5] = -3.0  # no document rules all sets out
    beliefs = ScoredSets(sets, scores.copy(), scale, random.normal(size=sets.n_samples), n_jobs)
    decided = gfm(beliefs, n_jobs=n_jobs)
    assert_array_equal(beliefs.scores, scores)
    with np.errstate(invalid="ignore"):
        calibrated = np.where(scores == -np.inf, -np.inf, scale * scores + beliefs.bias)
    plain = np.exp(calibrated - calibrated.max(axis=1, keepdims=True))
    assert_allclose(beliefs.probability, plain / plain.sum(axis=1, keepdims=True), rtol=1e-12)
    expected = gfm(SetDistribution(sets, beliefs.probability))
    assert_array_equal(decided.sets.toarray(), expected.sets.toarray())
    assert_array_equal(decided.value, expected.value)
    alone = gfm(ScoredSets(sets, scores[77:78], scale, beliefs.bias))
    assert_array_equal(alone.sets.toarray(), decided.sets.toarray()[77:78])
    assert_array_equal(alone.value, decided.value[77:78])


@pytest.mark.parametrize("largest", [4.0, 40.0, 400.0])  # the last have products of odds beyond the normal numbers
@pytest.mark.parametrize("scale", [1.0, 0.37, 0.0, -0.5])
def test_logits_lead_to_the_sets_of_their_scores(scale: float, largest: float) -> None:
    random, sets = np.random.default_rng(3), many_documents(1).sets
    logits = random.normal(-2.0, 1.0, size=(203, sets.n_labels))
    wide = random.random(logits.shape) < 0.2
    logits[wide] = random.uniform(-largest, largest, size=wide.sum())
    scores, bias = logits @ sets.indicator.T.toarray(), random.normal(size=sets.n_samples)

    def refuse() -> NoReturn:
        raise AssertionError("GFM needs no scores")

    found = gfm(IndependentSets(sets, logits, refuse, scale, bias), n_jobs=2)
    expected = gfm(ScoredSets(sets, scores, scale, bias))
    assert_array_equal(found.sets.toarray(), expected.sets.toarray())
    assert_allclose(found.value, expected.value, rtol=0.0, atol=1e-13)
    alone = gfm(IndependentSets(sets, logits[77:78], refuse, scale, bias))
    assert_array_equal(alone.sets.toarray(), found.sets.toarray()[77:78])
    assert_array_equal(alone.value, found.value[77:78])
    beliefs = IndependentSets(sets, logits, lambda: scores, scale, bias)
    assert_array_equal(beliefs.probability, ScoredSets(sets, scores, scale, bias).probability)


LOGITS = st.one_of(
    st.floats(-6.0, 3.0),
    st.sampled_from([0.0, -0.0, 1.0, -28.0, -45.0, 45.0, -700.0, 290.0, 310.0, -1e4, 1e4, 5e-324, -1e-310]),
)


@settings(max_examples=150)
@given(data=st.data(), n_labels=st.integers(1, 5), scale=st.sampled_from([1.0, 0.5, 0.0, -1.0]), beta=BETAS)
def test_logits_of_any_size_lead_to_the_best_set(data: st.DataObject, n_labels: int, scale: float, beta: float) -> None:
    """Against the expected F of every set, with the probabilities of all sets in extended precision."""
    every = every_set(n_labels)
    chosen = data.draw(st.lists(st.sampled_from(range(len(every))), min_size=1, max_size=12, unique=True))
    logits = np.array(data.draw(st.lists(st.lists(LOGITS, min_size=n_labels, max_size=n_labels), min_size=1)))
    bias = np.array(data.draw(st.lists(st.sampled_from([0.0, 2.0, -90.0, 800.0]), min_size=12, max_size=12)))
    sets = LabelMatrix.of(sp.csr_array(every[chosen]))
    bias = bias[: len(chosen)]

    def refuse() -> NoReturn:
        raise AssertionError("GFM needs no scores")

    decided = gfm(IndependentSets(sets, logits, refuse, scale, bias), beta=beta)
    for i, row in enumerate(logits.astype(np.longdouble)):
        scores = scale * (every[chosen] @ row) + bias
        weights = np.exp(scores - scores.max())
        probability = (weights / weights.sum()).astype(np.float64)
        expected = expected_f_of_sets(probability, every[chosen], every, beta)
        mine = expected_f_of_sets(probability, every[chosen], decided.sets.toarray()[i : i + 1], beta)
        assert decided.value[i] == pytest.approx(expected.max(), abs=1e-11)  # scores of 1e4 have such rounding
        assert mine[0] == pytest.approx(expected.max(), abs=1e-11)
        alone = gfm(IndependentSets(sets, logits[i : i + 1], refuse, scale, bias), beta=beta)
        assert alone.value[0] == decided.value[i]
        assert_array_equal(alone.sets.toarray()[0], decided.sets.toarray()[i])


def test_conditioned_on_a_label_logits_lead_to_the_sets_of_their_scores() -> None:
    random, sets = np.random.default_rng(8), many_documents(1).sets
    logits = random.normal(-3.0, 1.0, size=(40, sets.n_labels))
    scores, bias = logits @ sets.indicator.T.toarray(), random.normal(size=sets.n_samples)
    found = gfm(IndependentSets(sets, logits, lambda: scores, 0.8, bias).non_empty())
    expected = gfm(ScoredSets(sets, scores, 0.8, bias).non_empty())
    assert np.diff(found.sets.indptr).min() >= 1
    assert_array_equal(found.sets.toarray(), expected.sets.toarray())
    assert_allclose(found.value, expected.value, rtol=0.0, atol=1e-13)


def test_modes_alone_are_refused() -> None:
    modes = MostProbable(sp.csr_array(np.eye(2, dtype=np.int64)), np.zeros(2), np.ones(2, dtype=bool))
    with pytest.raises(Incompatible, match=r"^GFM needs probabilities of sets.*Hint: use support, exact or sampled"):
        gfm(modes)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_columns", [0, 1, 3])
def test_the_core_refuses_probabilities_of_another_number_of_sets(n_columns: int) -> None:
    sets = _core.LabelSets(3, np.array([0, 1, 2], dtype=np.int64), np.array([0, 2], dtype=np.int32))
    with pytest.raises(ValueError, match="one column per set"):
        _core.maximize_expected_f_over_sets(np.ones((1, n_columns)), sets, 1.0, 1)
    with pytest.raises(ValueError, match="one column per set"):
        _core.maximize_expected_f_over_scores(np.ones((1, n_columns)), 1.0, np.zeros(n_columns), sets, 1.0, 1)
    with pytest.raises(ValueError, match="one value per set"):
        _core.maximize_expected_f_over_logits(np.ones((1, 3)), 1.0, np.zeros(n_columns), sets, 1.0, 1)
    with pytest.raises(ValueError, match="one column per label"):
        _core.maximize_expected_f_over_logits(np.ones((1, 2)), 1.0, np.zeros(2), sets, 1.0, 1)
    with pytest.raises(ValueError, match="one column per set"):
        _core.size_marginals_of_sets(np.ones((1, n_columns)), sets, 1, 1)


def test_the_core_refuses_shapes_and_numbers_out_of_range() -> None:
    with pytest.raises(ValueError, match="differ"):
        _core.maximize_expected_f(np.zeros((2, 3, 1)), np.zeros(1), 1.0, 1)
    with pytest.raises(ValueError, match="n_threads"):
        _core.maximize_expected_f(np.zeros((2, 3, 1)), np.zeros(2), 1.0, 0)
    with pytest.raises(ValueError, match="beta"):
        _core.maximize_expected_f(np.zeros((2, 3, 1)), np.zeros(2), 0.0, 1)
    with pytest.raises(ValueError, match="set"):
        _core.softmax_rows(np.zeros((2, 0)), 1)
    with pytest.raises(ValueError, match="set"):
        _core.calibrated_softmax(np.zeros((2, 0)), 1.0, np.zeros(0), 1)
    with pytest.raises(ValueError, match="bias must have one value per set"):
        _core.calibrated_softmax(np.zeros((2, 3)), 1.0, np.zeros(2), 1)
