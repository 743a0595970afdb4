"""Size marginals of independent subsets of the labels, merged into those of all labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from setwise.labels import SizeMarginals, require_room
from setwise.models.bernoulli_posterior import NEGLIGIBLE_TAIL

__all__ = ["merge_subsets"]

Array = NDArray[np.float64]
Range = tuple[int, int]


def merge_subsets(parts: Sequence[SizeMarginals], labels: Sequence[NDArray[np.int64]]) -> SizeMarginals:
    """Return p(y_l = 1, |y| = s) of all labels, from those of subsets that are independent of one another.

    For a label l of subset B, with the number of labels of the other subsets as t::

        p(y_l = 1, |y| = s) = sum_t p(y_l = 1, |y_B| = s - t) p(t)

    The distribution of t is the convolution of the size distributions of the other subsets. Halves of the subsets are
    convolved once for all subsets of the other half, halves of the halves likewise, and so on.

    Parameters
    ----------
    parts : sequence of SizeMarginals
        One per subset, for the same documents, each of total mass 1.
    labels : sequence of int arrays
        The labels of each subset, in the order of its part.

    Returns
    -------
    merged : SizeMarginals
        Sizes end where a document exceeds them with a probability below ``NEGLIGIBLE_TAIL``; none depends on the other
        documents.
    """
    sizes = [np.concatenate([part.empty[:, None], part.sizes], axis=1) for part in parts]
    inside: dict[Range, Array] = {}
    total = _convolve_range(sizes, (0, len(sizes)), inside)
    largest = _largest_sizes(total)
    n_labels, n_sizes = sum(one.size for one in labels), int(largest.max(initial=1))
    require_room(n_labels, n_sizes)
    joint = np.zeros((len(total), n_labels, n_sizes))
    nothing = np.ones((len(total), 1))
    for number, others in _others(inside, (0, len(sizes)), nothing, n_sizes):
        own = np.zeros((len(total), labels[number].size, n_sizes))
        for size in range(min(parts[number].joint.shape[2], n_sizes)):
            beside = others[:, None, : n_sizes - size]
            own[:, :, size : size + beside.shape[2]] += parts[number].joint[:, :, size, None] * beside
        joint[:, labels[number]] = own
    # Without this, a document would have sizes that only others in its batch need.
    joint *= (np.arange(1, n_sizes + 1) <= largest[:, None])[:, None, :]
    return SizeMarginals(joint, total[:, 0])


def _convolve_range(sizes: Sequence[Array], at: Range, inside: dict[Range, Array]) -> Array:
    """Store the size distribution of a range of subsets, and of its halves, in ``inside``; return it."""
    first, end = at
    if end - first == 1:
        inside[at] = sizes[first]
    else:
        middle = (first + end) // 2
        left = _convolve_range(sizes, (first, middle), inside)
        inside[at] = _convolve(left, _convolve_range(sizes, (middle, end), inside))
    return inside[at]


def _others(inside: dict[Range, Array], at: Range, outside: Array, n_sizes: int) -> list[tuple[int, Array]]:
    """Return each subset of a range with the size distribution of all others, up to size ``n_sizes - 1``.

    ``outside`` is that of the subsets beyond the range.
    """
    first, end = at
    if end - first == 1:
        return [(first, outside)]
    middle = (first + end) // 2
    left, right = (first, middle), (middle, end)
    return [
        *_others(inside, left, _convolve(outside, inside[right], n_sizes), n_sizes),
        *_others(inside, right, _convolve(outside, inside[left], n_sizes), n_sizes),
    ]


def _convolve(one: Array, other: Array, n_sizes: int | None = None) -> Array:
    """Return the distribution of the sum of two sizes, documents by sizes from 0, cut after ``n_sizes`` of them.

    The loop is over the sizes of ``other``, whether it has fewer or not: the order of additions, and with it the last
    bit, must not depend on ``n_sizes``, which depends on the batch.
    """
    whole = one.shape[1] + other.shape[1] - 1
    total = np.zeros((len(one), whole if n_sizes is None else min(whole, n_sizes)))
    for size in range(min(other.shape[1], total.shape[1])):
        shifted = one[:, : total.shape[1] - size]
        total[:, size : size + shifted.shape[1]] += other[:, size, None] * shifted
    return total


def _largest_sizes(total: Array) -> NDArray[np.int64]:
    """Return the size, at least 1, that each document exceeds with a probability of at most ``NEGLIGIBLE_TAIL``."""
    at_least = np.cumsum(total[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.maximum((at_least[:, 1:] > NEGLIGIBLE_TAIL).sum(axis=1), 1))
