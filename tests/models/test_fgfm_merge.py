"""Merged subsets against the product of their distributions over all sets, and against independent labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from setwise.decision import gfm
from setwise.labels import SizeMarginals
from setwise.models.bernoulli_posterior import IndependentPosterior
from setwise.models.fgfm_merge import merge_subsets
from tests.oracles.independent import f_with
from tests.oracles.sets import every_set, size_marginals_by_sums
from tests.oracles.subsets import product_of_subsets, size_marginals_of_subsets

Array = NDArray[np.float64]
Parts = list[tuple[list[int], Array]]


def distribution(n_documents: int, n_sets: int, random: np.random.Generator) -> Array:
    """Draw distributions over sets; about a third of the sets have probability 0, but never all."""
    weights = random.random((n_documents, n_sets)) ** 3 * (random.random((n_documents, n_sets)) < 0.7)
    weights[np.arange(n_documents), random.integers(n_sets, size=n_documents)] += 0.1
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@st.composite
def subsets(draw: st.DrawFn, max_labels: int, n_documents: int = 2) -> Parts:
    """Draw any split of the labels, and a distribution over the sets of each subset."""
    subset_of = draw(st.lists(st.integers(0, max_labels - 1), min_size=1, max_size=max_labels))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    split = [[label for label, its in enumerate(subset_of) if its == one] for one in sorted(set(subset_of))]
    return [(labels, distribution(n_documents, 2 ** len(labels), random)) for labels in split]


def merged(parts: Parts) -> SizeMarginals:
    own = [
        SizeMarginals(*size_marginals_by_sums(of_sets, every_set(len(labels)), len(labels)))
        for labels, of_sets in parts
    ]
    return merge_subsets(own, [np.array(labels) for labels, _ in parts])


def with_all_sizes(joint: Array) -> Array:
    return np.pad(joint, ((0, 0), (0, 0), (0, joint.shape[1] - joint.shape[2])))


@given(subsets(max_labels=7))
def test_merged_subsets_are_the_product_of_their_distributions(parts: Parts) -> None:
    joint, empty = size_marginals_of_subsets(parts)
    found = merged(parts)
    assert_allclose(with_all_sizes(found.joint), joint, rtol=0, atol=1e-12)
    assert_allclose(found.empty, empty, rtol=0, atol=1e-12)


@given(subsets(max_labels=5, n_documents=1))
def test_gfm_on_merged_subsets_attains_the_best_expected_f1(parts: Parts) -> None:
    (probability,) = product_of_subsets(parts)
    sets, f1 = every_set(sum(len(labels) for labels, _ in parts)), f_with(1.0)
    best = max(sum(p * f1(true, chosen) for p, true in zip(probability, sets, strict=True)) for chosen in sets)
    assert gfm(merged(parts)).value[0] == pytest.approx(best, abs=1e-12)


def test_one_subset_stays_as_it_is() -> None:
    of_sets = distribution(5, 2**6, np.random.default_rng(0))
    joint, empty = size_marginals_by_sums(of_sets, every_set(6), 6)
    found = merged([(list(range(6)), of_sets)])
    assert_array_equal(found.joint, joint)
    assert_array_equal(found.empty, empty)


@pytest.mark.parametrize("n_labels", [1, 2, 7, 40])
def test_subsets_of_one_label_are_independent_labels(n_labels: int) -> None:
    logits = 2.0 * np.random.default_rng(n_labels).normal(size=(6, n_labels)) - 1.0
    posterior = IndependentPosterior.of_scores(tuple(map(str, range(n_labels))), logits, 1)
    chances = posterior.marginals()
    parts = [SizeMarginals(chances[:, [label], None], 1.0 - chances[:, label]) for label in range(n_labels)]
    found = merge_subsets(parts, [np.array([label]) for label in range(n_labels)])
    expected = posterior.size_marginals(n_labels)
    assert_allclose(with_all_sizes(found.joint), expected.joint, rtol=0, atol=1e-12)
    assert_allclose(found.empty, expected.empty, rtol=0, atol=1e-12)


def test_a_batch_gives_the_bits_of_its_documents_though_they_need_other_sizes() -> None:
    random = np.random.default_rng(3)
    chances = random.random((8, 60)) * np.geomspace(1e-4, 0.9, 8)[:, None]
    labels = [np.array([label]) for label in range(60)]

    def of(rows: slice) -> SizeMarginals:
        return merge_subsets(
            [SizeMarginals(chances[rows, one, None], 1.0 - chances[rows, one[0]]) for one in labels], labels
        )

    whole, n_sizes = of(slice(None)), set()
    for row in range(8):
        single = of(slice(row, row + 1))
        n_sizes.add(single.joint.shape[2])
        beyond = whole.joint.shape[2] - single.joint.shape[2]
        assert_array_equal(np.pad(single.joint, ((0, 0), (0, 0), (0, beyond)))[0], whole.joint[row])
        assert_array_equal(single.empty, whole.empty[[row]])
        assert_allclose(single.marginals[0], chances[row], rtol=0, atol=1e-12)
    assert len(n_sizes) > 3
