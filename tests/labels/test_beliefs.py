"""Calibration and the kinds of beliefs, each against a plain formula on small numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from setwise.exceptions import InvalidData
from setwise.labels import (
    IDENTITY,
    Decision,
    IndependentLabels,
    IndependentSets,
    LabelMatrix,
    MostProbable,
    ScoredSets,
    SetCalibration,
    SetDistribution,
    SizeMarginals,
    Support,
    distribution,
)
from setwise.labels.calibration import calibrate, set_features
from setwise.labels.distribution import require_room

SUPPORT = Support.of(LabelMatrix.of([["a"], ["a"], ["a"], ["a", "b"], ["a", "b"], []])).with_sets([["b"]])
"""Sets {a}, {a, b}, {} and {b}, with 3, 2, 1 and 0 documents."""


class TestCalibration:
    @pytest.mark.parametrize(
        ("numbers", "is_identity", "keeps_logits"),
        [
            ((1.0, 0.0, 0.0), True, True),
            ((0.5, 0.0, 0.0), False, False),
            ((1.0, 0.5, 0.0), False, True),
            ((1.0, 0.0, 0.5), False, False),
            ((1.0, 1.0, 0.0), False, True),
            ((1.0, 0.0, 1.0), False, False),
            ((2.0, 0.0, 0.0), False, False),
        ],
    )
    def test_what_changes_nothing(self, numbers: Any, is_identity: bool, keeps_logits: bool) -> None:
        calibration = SetCalibration(*numbers)
        assert (calibration.is_identity, calibration.keeps_logits) == (is_identity, keeps_logits)

    def test_features_of_sets_are_log_counts_and_sizes(self) -> None:
        log_count, size = set_features(SUPPORT)
        assert_allclose(log_count, np.log([3.0, 2.0, 1.0, 0.5]))  # an unseen set counts as half a document
        assert_array_equal(size, [1.0, 2.0, 0.0, 1.0])

    def test_scores_are_scaled_and_get_the_prior_and_the_size(self) -> None:
        log_prob = np.log([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]])
        calibration = SetCalibration(0.5, 2.0, -0.3)
        assert_allclose(calibration.bias(SUPPORT), 2.0 * np.log([3, 2, 1, 0.5]) - 0.3 * np.array([1, 2, 0, 1]))
        scores = np.exp(0.5 * log_prob + calibration.bias(SUPPORT))
        found = calibrate(log_prob, calibration, SUPPORT, 1)
        assert_allclose(found.probability, scores / scores.sum(axis=1, keepdims=True))
        assert found.sets is SUPPORT.sets
        assert_allclose(calibrate(log_prob, IDENTITY, SUPPORT, 1).probability, np.exp(log_prob))

    def test_what_is_ruled_out_stays_ruled_out(self) -> None:
        found = calibrate(np.array([[0.0, -np.inf, -1.0, -np.inf]]), SetCalibration(0.0, 1.0, 1.0), SUPPORT, 1)
        assert_array_equal(found.probability > 0, [[True, False, True, False]])


class TestSizeMarginals:
    JOINT = np.array([[[0.2, 0.1], [0.3, 0.1]], [[0.0, 0.4], [0.1, 0.4]]])
    BELIEFS = SizeMarginals(JOINT, np.array([0.4, 0.1]))

    def test_marginals_and_sizes_are_sums(self) -> None:
        assert_allclose(self.BELIEFS.marginals, [[0.3, 0.4], [0.4, 0.5]])
        assert_allclose(self.BELIEFS.sizes, [[0.5, 0.1], [0.1, 0.4]])  # a set of two labels is counted twice

    def test_parts_with_other_numbers_of_sizes_are_filled_up(self) -> None:
        one = SizeMarginals(np.array([[[0.5], [0.25]]]), np.array([0.25]))
        both = SizeMarginals.stacked([one, self.BELIEFS])
        assert_array_equal(both.joint, [[[0.5, 0.0], [0.25, 0.0]], *self.JOINT])
        assert_array_equal(both.empty, [0.25, 0.4, 0.1])
        assert_array_equal(SizeMarginals.stacked([self.BELIEFS, one]).joint[2], [[0.5, 0.0], [0.25, 0.0]])

    def test_without_the_empty_set_the_rest_has_all_mass(self) -> None:
        rest = self.BELIEFS.non_empty()
        assert_allclose(rest.joint, self.JOINT / np.array([0.6, 0.5])[:, None, None])
        assert_array_equal(rest.empty, [0.0, 0.0])
        nothing = SizeMarginals(np.zeros((1, 2, 2)), np.array([1.0])).non_empty()
        assert_array_equal(nothing.joint, np.zeros((1, 2, 2)))

    def test_no_label_is_more_probable_at_a_size_than_the_size(self) -> None:
        loose = SizeMarginals(np.array([[[0.6, 0.1], [0.0, 0.5]]]), np.array([0.1]))
        found = loose.consistent()  # sizes 0.6 and 0.3, and 0.1 for the empty set: already a mass of 1
        assert_allclose(found.joint, [[[0.6, 0.1], [0.0, 0.3]]])
        assert_allclose(found.empty, [0.1])
        twice = SizeMarginals(2 * loose.joint, 2 * loose.empty).consistent()
        assert_allclose(twice.joint, found.joint)
        assert_allclose(twice.empty, found.empty)


class TestIndependentLabels:
    CHANCES = np.array([[0.6, 0.2], [0.5, 0.9]])
    BELIEFS = IndependentLabels(np.log(CHANCES / (1 - CHANCES)))

    def test_conditioning_on_a_label_divides_by_the_chance_of_one(self) -> None:
        assert_allclose(self.BELIEFS.marginals, self.CHANCES)
        some = 1 - np.prod(1 - self.CHANCES, axis=1, keepdims=True)
        assert_allclose(self.BELIEFS.non_empty().marginals, self.CHANCES / some)

    def test_parts_keep_what_they_know(self) -> None:
        parts = [IndependentLabels(self.BELIEFS.logits[[i]], excludes_empty=True) for i in range(2)]
        both = IndependentLabels.stacked(parts)
        assert_array_equal(both.logits, self.BELIEFS.logits)
        assert both.excludes_empty
        assert not IndependentLabels.stacked([self.BELIEFS, self.BELIEFS]).excludes_empty


class TestSetDistribution:
    SETS = LabelMatrix.of([["a"], ["a", "b"], [], ["b"]])
    PROBABILITY = np.array([[0.1, 0.3, 0.5, 0.1], [0.25, 0.25, 0.25, 0.25]])
    BELIEFS = SetDistribution(SETS, PROBABILITY)

    def test_marginals_are_sums_over_sets(self) -> None:
        assert_allclose(self.BELIEFS.marginals, [[0.4, 0.4], [0.5, 0.5]])

    def test_the_most_probable_sets_come_first_and_ties_in_order(self) -> None:
        best, probability = self.BELIEFS.top(3)
        assert_array_equal(best, [[2, 1, 0], [0, 1, 2]])
        assert_array_equal(probability, [[0.5, 0.3, 0.1], [0.25, 0.25, 0.25]])
        assert self.BELIEFS.top(9)[0].shape == (2, 4)
        many = LabelMatrix.of(np.array([[int(bit) for bit in f"{number:06b}"] for number in range(64)]))
        equal = SetDistribution(many, np.full((1, 64), 1 / 64))
        assert_array_equal(equal.top(64)[0], [np.arange(64)])

    def test_without_the_empty_set_the_rest_is_rescaled(self) -> None:
        kept = SetDistribution(self.SETS, self.PROBABILITY.copy()).non_empty()
        assert kept.sets.name_lists() == [["a"], ["a", "b"], ["b"]]
        assert_allclose(kept.probability, [[0.2, 0.6, 0.2], [1 / 3, 1 / 3, 1 / 3]])
        assert kept.non_empty() is kept
        certain = SetDistribution(self.SETS, np.array([[0.0, 0.0, 1.0, 0.0]])).non_empty()
        assert_array_equal(certain.probability, [[0.0, 0.0, 0.0]])  # there is nothing to rescale

    def test_scored_sets_are_a_softmax(self) -> None:
        scores, bias = np.array([[1.0, 2.0, -1.0, 0.0]]), np.array([0.0, 1.0, 0.5, 0.0])
        expected = np.exp(0.7 * scores + bias)
        found = ScoredSets(self.SETS, scores, 0.7, bias)
        assert_allclose(found.probability, expected / expected.sum())
        plain = ScoredSets(self.SETS, scores)
        assert_allclose(plain.probability, np.exp(scores) / np.exp(scores).sum())
        assert (plain.scale, plain.n_jobs, found.scale) == (1.0, 1, 0.7)
        assert_array_equal(ScoredSets(self.SETS, np.asfortranarray(np.vstack([scores, scores]))).scores[1], scores[0])

    def test_scores_of_independent_labels_are_computed_once_and_late(self) -> None:
        asked = []
        logits = np.array([[0.5, -1.0], [2.0, 0.0]])

        def scores() -> Any:
            asked.append(1)
            return (logits @ self.SETS.indicator.toarray().T).copy(order="F")

        found = IndependentSets(self.SETS, np.asfortranarray(logits), scores, 0.5, np.arange(4.0), 2)
        assert not asked
        expected = np.exp(0.5 * logits @ self.SETS.indicator.toarray().T + np.arange(4.0))
        assert_allclose(found.probability, expected / expected.sum(axis=1, keepdims=True))
        assert_array_equal(found.scores, logits @ self.SETS.indicator.toarray().T)
        assert found.scores.flags.c_contiguous
        assert found.logits.flags.c_contiguous
        assert len(asked) == 1
        assert (found.scale, found.n_jobs) == (0.5, 2)


def test_decisions_and_modes_of_parts_follow_one_another() -> None:
    one, other = (sp.csr_array(np.array(rows)) for rows in ([[1, 0], [0, 0]], [[0, 1]]))
    both = Decision.stacked([Decision(one, np.array([0.1, 0.2])), Decision(other, np.array([0.3]))])
    assert_array_equal(both.sets.toarray(), [[1, 0], [0, 0], [0, 1]])
    assert both.sets.format == "csr"
    assert_array_equal(both.value, [0.1, 0.2, 0.3])
    alone = Decision(one, np.zeros(2))
    assert Decision.stacked([alone]) is alone
    modes = MostProbable.stacked(
        [
            MostProbable(one, np.array([-1.0, -2.0]), np.array([True, False])),
            MostProbable(other, np.array([-3.0]), np.array([True])),
        ]
    )
    assert_array_equal(modes.sets.toarray(), [[1, 0], [0, 0], [0, 1]])
    assert modes.sets.format == "csr"
    assert_array_equal(modes.log_prob, [-1.0, -2.0, -3.0])
    assert_array_equal(modes.exact, [True, False, True])


class TestRoom:
    def test_as_many_numbers_as_fit_are_allowed_and_not_one_more(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(distribution, "MOST_NUMBERS", 24)
        require_room(4, 3, 2)
        require_room(8, 3)
        with pytest.raises(InvalidData, match=r"^5 labels times 5 sizes of sets, for one document, must be at most 24"):
            require_room(5, 5)
        with pytest.raises(InvalidData, match=r"^4 labels times 3 sizes of sets, for 3 documents, must be at most 24"):
            require_room(4, 3, 3)

    def test_parts_are_stacked_only_where_there_is_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one = SizeMarginals(np.zeros((2, 3, 2)), np.ones(2))
        monkeypatch.setattr(distribution, "MOST_NUMBERS", 24)
        assert SizeMarginals.stacked([one, one]).joint.shape == (4, 3, 2)
        monkeypatch.setattr(distribution, "MOST_NUMBERS", 23)
        with pytest.raises(InvalidData, match=r"^3 labels times 2 sizes of sets, for 4 documents"):
            SizeMarginals.stacked([one, one])
