"""Held-out documents are scored once, and recipes are evaluated on them as on any documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from setwise.labels import LabelMatrix
from setwise.metrics import instance_f1
from setwise.models import BinaryRelevance
from setwise.prediction import HeldOut, Recipe, StoredPosterior, evaluate_recipe, evaluate_sets, standard_error
from setwise.prediction import held_out as module
from setwise.prediction.held_out import marginals, stacked_sets, true_sets
from tests.prediction.held_out_part import HELD, MODEL, PART, X

POSTERIOR = MODEL.posterior(X[HELD])
N = len(HELD)
SETS = PART.support.sets
SOME, SOME_OF_THEM = np.array([5, 2, 30, 7]), np.array([3, 0])


@pytest.mark.parametrize("rows", [None, SOME, slice(10, 20), SOME[SOME_OF_THEM]], ids=str)
def test_a_stored_posterior_answers_as_the_posterior(rows: Any) -> None:
    plain, stored = POSTERIOR, StoredPosterior(POSTERIOR)
    if rows is not None:
        plain, stored = POSTERIOR.take(rows), stored.take(rows)
    assert (stored.classes, stored.abilities, stored.n_samples) == (plain.classes, plain.abilities, plain.n_samples)
    for _ in range(2):  # computed, and read again
        assert_array_equal(stored.log_prob(SETS), plain.log_prob(SETS))
        assert_array_equal(stored.sample(7, 3).toarray(), plain.sample(7, 3).toarray())
    assert_array_equal(stored.log_prob([["x0"]]) if "x0" in stored.classes else 0, 0)
    assert_array_equal(stored.marginals(), plain.marginals())
    assert_array_equal(stored.size_marginals(2).joint, plain.size_marginals(2).joint)
    assert_array_equal(stored.size_marginals().joint, plain.size_marginals().joint)
    assert_array_equal(stored.mode(non_empty=True).sets.toarray(), plain.mode(non_empty=True).sets.toarray())
    assert_array_equal(stored.mode().sets.toarray(), plain.mode().sets.toarray())
    assert_array_equal(stored.rescaled(0.5, 0.1).marginals(), plain.rescaled(0.5, 0.1).marginals())
    assert_array_equal(stored.independent_labels().logits, plain.independent_labels().logits)


def test_rows_of_rows() -> None:
    twice = StoredPosterior(POSTERIOR).take(SOME).take(SOME_OF_THEM)
    assert twice.n_samples == 2
    expected = POSTERIOR.take(SOME[SOME_OF_THEM])
    assert_array_equal(twice.marginals(), expected.marginals())
    assert_array_equal(twice.log_prob(SETS), expected.log_prob(SETS))
    assert_array_equal(twice.sample(5, 1).toarray(), expected.sample(5, 1).toarray())


class _Counting(StoredPosterior):
    """Counts how often the posterior below is asked."""

    def __init__(self) -> None:
        super().__init__(POSTERIOR)
        self.asked: list[str] = []

    def log_prob(self, sets: Any) -> Any:
        self.asked.append("log_prob")
        return POSTERIOR.log_prob(sets).copy()

    def sample(self, n: int, random_state: int) -> sp.csr_array:
        self.asked.append("sample")
        return POSTERIOR.sample(n, random_state)

    def take(self, rows: Any) -> Any:
        return POSTERIOR.take(rows)


@pytest.mark.parametrize("ask", ["log_prob", "sample"])
def test_what_is_asked_often_is_computed_once(ask: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(posterior: Any) -> Any:
        return posterior.log_prob(SETS) if ask == "log_prob" else posterior.sample(6, 0)

    counting = _Counting()
    stored = StoredPosterior(counting)
    for posterior in (stored, stored.take(SOME), stored.take(slice(0, 3)), stored):
        answer(posterior)
    assert counting.asked == [ask]
    if ask == "sample":
        stored.sample(6, 1)
        stored.sample(7, 0)
        assert counting.asked == [ask] * 3  # other draws
    # As many numbers as may be stored are; one more, and they are computed for each who asks.
    size = N * SETS.n_samples if ask == "log_prob" else N * 6
    limit = "MAX_STORED" if ask == "log_prob" else "MAX_STORED_SAMPLES"
    for most, n_asked in ((size, 1), (size - 1, 2)):
        monkeypatch.setattr(module, limit, most)
        counting = _Counting()
        stored = StoredPosterior(counting)
        assert [answer(stored).shape for _ in range(2)] == [answer(POSTERIOR).shape] * 2
        assert counting.asked == [ask] * n_asked


def test_stored_log_probabilities_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        StoredPosterior(POSTERIOR).log_prob(SETS)[0, 0] = 1.0


def test_sets_of_all_parts_follow_one_another() -> None:
    parts = [PART.take(np.arange(7)), PART.take(np.arange(7, 20)), PART.take(np.arange(20, N))]
    assert_array_equal(true_sets(parts).indicator.toarray(), PART.y.indicator.toarray())
    assert true_sets(parts).names == PART.y.names
    assert true_sets([PART]) is PART.y
    (one,) = (PART.y.indicator,)
    assert stacked_sets([one]) is one
    recipe = Recipe("exact", "threshold")
    assert_array_equal(marginals(recipe, parts), POSTERIOR.marginals())
    sets = [recipe.decide(part.posterior, part.support).sets for part in parts]
    expected = instance_f1(PART.y.indicator.toarray(), POSTERIOR.marginals() > 0.5)
    assert evaluate_sets(parts, sets, "instance_f1") == pytest.approx(expected)
    assert evaluate_recipe(recipe, parts) == pytest.approx(expected)
    assert evaluate_recipe(recipe, parts, truth=PART.y) == evaluate_recipe(recipe, parts)
    decided = PART.y.with_indicator(stacked_sets(sets))
    assert evaluate_recipe(recipe, parts, truth=decided) == 1.0
    assert evaluate_sets(parts, sets, "instance_f1", truth=decided) == 1.0


class TestStandardError:
    RECIPE = Recipe("support", "gfm")
    SETS = (RECIPE.decide(PART.posterior, PART.support).sets,)

    def test_it_is_that_of_a_mean_over_documents(self) -> None:
        """The bootstrap of a mean has a known answer: the deviation over the square root of the number."""
        truth, chosen = PART.y.indicator.toarray(), self.SETS[0].toarray()
        each = [instance_f1(truth[[i]], chosen[[i]]) for i in range(N)]
        expected = np.std(each) / np.sqrt(N)
        found = standard_error([PART], self.SETS, "instance_f1")
        assert_allclose(found, expected, rtol=0.2)

    def test_equal_seeds_give_equal_errors(self) -> None:
        one, same, other = (standard_error([PART], self.SETS, "instance_f1", seed) for seed in (1, 1, 2))
        assert one == same != other

    def test_it_does_not_depend_on_the_parts(self) -> None:
        halves = [PART.take(np.arange(30)), PART.take(np.arange(30, N))]
        sets = [self.SETS[0][:30], self.SETS[0][30:]]
        assert standard_error(halves, sets, "instance_f1") == standard_error([PART], self.SETS, "instance_f1")


def test_documents_are_scored_by_the_model_that_is_passed() -> None:
    other = BinaryRelevance(strength=1.0).fit(X[:60], PART.y)
    part = HeldOut.of(other, X[HELD], PART.y, PART.support)
    assert_array_equal(part.posterior.marginals(), other.posterior(X[HELD]).marginals())
    some = part.take(SOME)
    assert_array_equal(some.y.indicator.toarray(), PART.y.indicator.toarray()[SOME])
    assert some.support is part.support
    assert isinstance(some.y, LabelMatrix)
