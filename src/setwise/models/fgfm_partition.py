"""The split of the labels into subsets: found by tests of all pairs, or given by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from setwise.exceptions import InvalidParameter
from setwise.models.fgfm_dependence import PairTests

__all__ = ["connected_subsets", "dependent_pairs", "named_subsets", "numbered"]


def dependent_pairs(tests: PairTests, false_discovery_rate: float) -> NDArray[np.int64]:
    """Return the pairs of labels that are dependent, one per row, the strongest evidence first.

    Tests are two-sided, and those to reject are chosen by Benjamini and Hochberg (1995): of m pairs, the j with the
    smallest p-values, for the largest j whose p-value is at most j / m times the rate. The expected share of
    independent pairs among them is then at most the rate, unless tests of independent pairs depend negatively.
    """
    first, second = np.triu_indices(tests.labels.size, k=1)
    evidence = np.abs(tests.z[first, second])
    order = np.argsort(-evidence, kind="stable")  # p-values of strong evidence are all 0
    p_values = scipy.special.erfc(evidence[order] / np.sqrt(2.0))
    small = p_values <= false_discovery_rate * np.arange(1, order.size + 1) / max(order.size, 1)
    # With a rate of 0, no p-value is small enough, not even one that has underflowed to 0.
    n_chosen = int(np.flatnonzero(small)[-1]) + 1 if small.any() and false_discovery_rate > 0.0 else 0
    chosen = order[:n_chosen]
    return np.stack([tests.labels[first[chosen]], tests.labels[second[chosen]]], axis=1)


def connected_subsets(n_labels: int, pairs: NDArray[np.int64], max_size: int | None) -> NDArray[np.int32]:
    """Return the subset of each label: those that pairs connect, directly or through others, are in one.

    Pairs are taken one after the other. With ``max_size``, a pair whose subsets have more labels together is left out.
    """
    members = [[label] for label in range(n_labels)]
    subset_of = list(range(n_labels))
    for one, other in pairs.tolist():
        into, away = subset_of[one], subset_of[other]
        if into == away or (max_size is not None and len(members[into]) + len(members[away]) > max_size):
            continue
        for label in members[away]:
            subset_of[label] = into
        members[into] += members[away]
    return numbered(np.array(subset_of))


def named_subsets(partition: Iterable[Any], names: tuple[str, ...]) -> NDArray[np.int32]:
    """Return the subset of each label from lists of label names; a label in none of them is a subset by itself."""
    index = {name: label for label, name in enumerate(names)}
    subset_of = np.arange(len(names))
    seen: set[str] = set()
    for subset in partition:
        if not isinstance(subset, list | tuple) or not subset:
            raise InvalidParameter(f"partition must be a list of lists of label names; got {subset!r:.60} in it.")
        for name in subset:
            if not isinstance(name, str) or name not in index:
                raise InvalidParameter(f"partition must list labels of y; got {name!r:.60}.")
            if name in seen:
                raise InvalidParameter(f"partition must list each label once; got {name!r:.60} twice.")
            seen.add(name)
            subset_of[index[name]] = index[subset[0]]
    return numbered(subset_of)


def numbered(subset_of: NDArray[Any]) -> NDArray[np.int32]:
    """Return the same subsets numbered from 0 in the order of their first labels."""
    _, first, number = np.unique(subset_of, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int32)
