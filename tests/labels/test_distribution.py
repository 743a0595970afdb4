"""Size marginals made consistent: those of a distribution stay, and no others let a set expect more than 1."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from setwise.decision import expected_f, gfm
from setwise.labels import SetDistribution, SizeMarginals
from tests.decision.distributions import BETAS, distributions, loose_marginals, summed
from tests.oracles.sets import every_set

ROUNDING = 1e-12
TINY = np.finfo(np.float64).tiny


@given(distributions())
def test_marginals_of_a_distribution_stay_as_they_are(known: SetDistribution) -> None:
    same = summed(known).consistent()
    assert_allclose(same.joint, summed(known).joint, rtol=0, atol=ROUNDING)
    assert_allclose(same.empty, summed(known).empty, rtol=0, atol=ROUNDING)


@given(loose_marginals(), st.one_of(BETAS, st.floats(1e-3, 1e3)))
def test_every_set_can_expect_at_most_1_under_any_numbers(known: SizeMarginals, beta: float) -> None:
    every = every_set(known.joint.shape[1])
    for i in range(len(known.empty)):
        one = SizeMarginals(known.joint[[i]], known.empty[[i]]).consistent()
        same = SizeMarginals(np.repeat(one.joint, len(every), axis=0), np.repeat(one.empty, len(every)))
        value = expected_f(same, sp.csr_array(every), beta=beta)
        assert value.min() >= 0.0
        assert value.max() <= 1.0 + ROUNDING


@given(loose_marginals())
def test_the_mass_is_that_of_a_distribution(known: SizeMarginals) -> None:
    found = known.consistent()
    for i in range(len(known.empty)):
        # A document of its own: the sizes of the given numbers, scaled to sum to one with the empty set.
        total = known.empty[i] + known.sizes[i].sum()
        if total >= TINY:
            assert_allclose(found.empty[i], known.empty[i] / total, rtol=1e-12)
            assert (found.joint[i] <= known.sizes[i] / total + ROUNDING).all()
        else:
            assert found.joint[i].max() <= TINY


@given(loose_marginals())
def test_scaling_changes_no_choice(known: SizeMarginals) -> None:
    numbers = np.concatenate([known.joint.ravel(), known.empty])
    assume(((numbers == 0.0) | (numbers > 1e-290)).all())  # where halves are exact
    half = SizeMarginals(known.joint / 2, known.empty / 2)
    assert_array_equal(gfm(half).sets.toarray(), gfm(known).sets.toarray())


def test_a_mass_whose_inverse_is_infinite_is_left_alone() -> None:
    least = SizeMarginals(np.full((1, 2, 1), 5e-324), np.full(1, 5e-324))
    for found in (least.consistent(), least.non_empty()):
        assert_array_equal(found.joint, least.joint)
    assert gfm(least.non_empty()).sets.nnz > 0
    smallest = SizeMarginals(np.full((1, 1, 1), TINY), np.zeros(1))  # whose inverse is finite
    assert_array_equal(smallest.non_empty().joint, np.ones((1, 1, 1)))


def test_a_worked_example() -> None:
    """Both labels are sure of size 1, and one is sure of size 2: the sizes 1 and 2 weigh 2 and 1/2 of 2.5."""
    found = SizeMarginals(np.array([[[1.0, 1.0], [1.0, 0.0]]]), np.zeros(1)).consistent()
    assert_allclose(found.joint, [[[0.4, 0.2], [0.4, 0.0]]], rtol=1e-15)
    assert expected_f(found, sp.csr_array(np.array([[1, 1]])))[0] == pytest.approx(0.8 * 2 / 3 + 0.2 / 2)
