"""Hypothesis strategies for beliefs about label sets, and functions that build them by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from setwise.labels import LabelMatrix, SetDistribution, SizeMarginals
from tests.oracles.sets import every_set, size_marginals_by_sums

Array = NDArray[np.float64]

BETAS = st.sampled_from([0.5, 1.0, 2.0])
# Zeros, equal masses and masses of any size: what ties, what has no mass and what nearly has none all come up.
MASSES = st.one_of(st.sampled_from([0.0, 1.0, 1e-12]), st.floats(0.0, 1.0))


def distribution_of(masses: dict[tuple[int, ...], float], n_labels: int) -> SetDistribution:
    """One document; ``masses`` are by set, labels from 0."""
    sets = [[int(label in labels) for label in range(n_labels)] for labels in masses]
    return SetDistribution(LabelMatrix.of(np.array(sets)), np.array([list(masses.values())]))


@st.composite
def distributions(draw: st.DrawFn, max_labels: int = 7, max_documents: int = 3) -> SetDistribution:
    """Some of all sets of a few labels, often the empty one among them, with probabilities that sum to one."""
    n_labels = draw(st.integers(1, max_labels))
    places = draw(st.lists(st.integers(0, 2**n_labels - 1), min_size=1, max_size=12, unique=True))
    masses = draw(hnp.arrays(np.float64, (draw(st.integers(1, max_documents)), len(places)), elements=MASSES))
    masses[masses.sum(axis=1) <= 0.0, 0] = 1.0
    sets = every_set(n_labels)[places]
    return SetDistribution(LabelMatrix.of(sets), masses / masses.sum(axis=1, keepdims=True))


def summed(beliefs: SetDistribution) -> SizeMarginals:
    """What a distribution says of labels and sizes, by plain sums."""
    sets = beliefs.sets.indicator.toarray()
    return SizeMarginals(*size_marginals_by_sums(beliefs.probability, sets, sets.shape[1]))


@st.composite
def loose_marginals(draw: st.DrawFn, max_labels: int = 6) -> SizeMarginals:
    """Numbers in [0, 1] that no distribution over sets need have, as LSF gives."""
    shape = draw(st.tuples(st.integers(1, 3), st.integers(1, max_labels), st.integers(1, max_labels)))
    joint = draw(hnp.arrays(np.float64, shape, elements=MASSES))
    return SizeMarginals(joint, draw(hnp.arrays(np.float64, shape[:1], elements=MASSES)))
