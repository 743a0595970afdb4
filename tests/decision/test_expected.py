"""The expected F of given sets, and the most probable set."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from setwise.decision import expected_f, gfm, most_probable
from setwise.exceptions import Incompatible
from setwise.labels import MostProbable, SetDistribution, SizeMarginals
from tests.decision.distributions import BETAS, distribution_of, distributions, loose_marginals, summed
from tests.oracles.fmeasure import expected_f_of_sets, expected_f_of_sizes
from tests.oracles.sets import every_set


@given(distributions(), BETAS, st.data())
def test_expected_f_is_that_of_the_definition(beliefs: SetDistribution, beta: float, data: st.DataObject) -> None:
    every = every_set(beliefs.sets.shape[1])
    places = st.integers(0, len(every) - 1)
    rows = [data.draw(places) for _ in beliefs.probability]
    found = expected_f(summed(beliefs), sp.csr_array(every[rows]), beta=beta)
    for i, row in enumerate(rows):
        by_sums = expected_f_of_sets(beliefs.probability[i], beliefs.sets.indicator.toarray(), every[[row]], beta)
        assert found[i] == pytest.approx(by_sums[0], abs=1e-13)


@given(loose_marginals(), BETAS)
def test_expected_f_of_every_set_under_marginals_that_do_not_fit_together(beliefs: SizeMarginals, beta: float) -> None:
    every = every_set(beliefs.joint.shape[1])
    same = SizeMarginals(np.repeat(beliefs.joint[:1], len(every), axis=0), np.repeat(beliefs.empty[:1], len(every)))
    by_sums = expected_f_of_sizes(beliefs.joint[0], beliefs.empty[0], every, beta)
    assert_allclose(expected_f(same, sp.csr_array(every), beta=beta), by_sums, rtol=1e-13, atol=1e-15)


@given(distributions(), BETAS)
def test_what_gfm_promises_is_what_its_set_can_expect(beliefs: SetDistribution, beta: float) -> None:
    decided = gfm(beliefs, beta=beta)
    assert_allclose(expected_f(summed(beliefs), decided.sets, beta=beta), decided.value, rtol=0, atol=1e-13)


@given(distributions())
def test_no_set_is_more_probable_than_the_most_probable(beliefs: SetDistribution) -> None:
    decided = most_probable(beliefs)
    assert_array_equal(decided.value, beliefs.probability.max(axis=1))
    for i, chosen in enumerate(decided.sets.toarray()):
        assert_array_equal(chosen, beliefs.sets.indicator.toarray()[beliefs.probability[i].argmax()])


def test_of_equally_probable_sets_the_first_is_taken() -> None:
    decided = most_probable(distribution_of({(2,): 0.3, (1,): 0.35, (0,): 0.35}, n_labels=3))
    assert decided.sets.toarray().tolist() == [[0, 1, 0]]
    assert decided.value.tolist() == [0.35]


@given(distributions(), st.integers(1, 14))
def test_the_top_sets_are_the_most_probable_in_falling_order(beliefs: SetDistribution, n: int) -> None:
    best, probability = beliefs.top(n)
    assert best.shape == (len(beliefs.probability), min(n, beliefs.sets.shape[0]))
    assert_array_equal(probability, -np.sort(-beliefs.probability, axis=1)[:, :n])
    assert_array_equal(np.take_along_axis(beliefs.probability, best, axis=1), probability)
    assert all(len(set(row)) == len(row) for row in best.tolist())


def test_the_most_probable_set_of_modes_is_the_mode() -> None:
    modes = MostProbable(sp.csr_array(np.array([[0, 1], [0, 0]])), np.log([0.25, 0.5]), np.ones(2, dtype=bool))
    decided = most_probable(modes)
    assert decided.sets.toarray().tolist() == [[0, 1], [0, 0]]
    assert_allclose(decided.value, [0.25, 0.5], rtol=1e-15)


def test_labels_and_sizes_have_no_most_probable_set() -> None:
    with pytest.raises(Incompatible, match=r"^The most probable set needs .*Hint: use support or mode inference\.$"):
        most_probable(SizeMarginals(np.zeros((1, 2, 1)), np.ones(1)))  # type: ignore[arg-type]
