"""Splits of labelled documents into parts alike: iterative stratification, fast.

After Sechidis, Tsoumakas and Vlahavas (2011): the label with the fewest documents left goes first, and each of its
documents to the part that still lacks most of that label. Label sets that several documents share count as labels of
their own, so that a frequent set is shared out and a rare one keeps most of its documents in the largest part.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix, Support

__all__ = ["folds", "hold_out", "stratified_parts"]

Documents = NDArray[np.int64]


def hold_out(Y: Any, share: float = 0.2, seed: int = 0) -> tuple[Documents, Documents]:
    """Give the documents to train on and those held out, ``share`` of all, both rising."""
    real = isinstance(share, numbers.Real) and not isinstance(share, bool)
    if not real or not 0.0 < share < 1.0:
        raise InvalidParameter(f"share must lie between 0 and 1; got {share!r}.")
    part = stratified_parts(Y, [1.0 - share, share], seed)
    return np.flatnonzero(part == 0), np.flatnonzero(part == 1)


def folds(Y: Any, n_folds: int = 5, seed: int = 0) -> list[tuple[Documents, Documents]]:
    """Give ``n_folds`` pairs of documents to train on and documents held out; each is held out once."""
    if not isinstance(n_folds, numbers.Integral) or isinstance(n_folds, bool) or n_folds < 2:
        raise InvalidParameter(f"n_folds must be a whole number from 2 up; got {n_folds!r}.")
    part = stratified_parts(Y, [1.0 / n_folds] * int(n_folds), seed)
    return [(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(int(n_folds))]


def stratified_parts(Y: Any, shares: Sequence[float], seed: int = 0) -> NDArray[np.int64]:
    """Give each document its part, so that parts have ``shares`` of all documents, of each label and of each set.

    No part stays empty. Ties are broken by what a part lacks in documents, then by chance; the same seed gives the same
    parts.
    """
    labels = LabelMatrix.of(Y)
    n_documents = labels.n_samples
    if n_documents < len(shares):
        raise InvalidData(f"Y must have at least a document a part, {len(shares)}; got {n_documents}.")
    random = np.random.default_rng(seed)
    order = random.permutation(n_documents)
    traits = _traits(labels)[order]
    part_of = _assign(traits, np.asarray(shares, dtype=np.float64), random)
    parts = np.empty(n_documents, dtype=np.int64)
    parts[order] = part_of
    return parts


def _traits(labels: LabelMatrix) -> sp.csr_array:
    """Labels, and the sets of at least two labels that at least two documents have: what is to be shared out."""
    support = Support.of(labels)
    shared = (support.counts > 1) & (support.sets.sizes > 1)
    number = np.where(shared, np.cumsum(shared) - 1, -1)[support.set_of]
    (rows,) = np.nonzero(number >= 0)
    sets = sp.csr_array(
        (np.ones(rows.size, dtype=np.int64), (rows, number[rows])), shape=(labels.n_samples, int(shared.sum()))
    )
    return sp.csr_array(sp.hstack([labels.indicator, sets], format="csr"))


def _assign(traits: sp.csr_array, shares: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.int64]:
    """Go through the traits, the one with the fewest documents left first. Lists, since they are read one by one."""
    n_documents, n_traits = traits.shape
    by_trait = sp.csc_array(traits)
    left = np.diff(by_trait.indptr).astype(np.int64)
    lacking = np.outer(left, shares).tolist()  # of each trait in each part
    room = (n_documents * shares).tolist()
    chance = random.random((n_documents, len(shares))).tolist()
    parts = [-1] * n_documents
    indices, starts = traits.indices.tolist(), traits.indptr.tolist()

    def put(document: int, wanted: list[float]) -> None:
        part = max(range(len(room)), key=lambda j: (wanted[j], room[j], chance[document][j]))
        parts[document] = part
        room[part] -= 1.0
        for trait in indices[starts[document] : starts[document + 1]]:
            lacking[trait][part] -= 1.0
            left[trait] -= 1

    while left.any():
        rarest = int(np.argmin(np.where(left > 0, left, n_documents + 1)))
        for document in by_trait.indices[by_trait.indptr[rarest] : by_trait.indptr[rarest + 1]].tolist():
            if parts[document] < 0:
                put(document, lacking[rarest])
    for document in range(n_documents):
        if parts[document] < 0:
            put(document, room)
    return _none_empty(np.asarray(parts), len(shares))


def _none_empty(parts: NDArray[np.int64], n_parts: int) -> NDArray[np.int64]:
    """Give a part without documents the first of the largest."""
    sizes = np.bincount(parts, minlength=n_parts)
    for part in np.flatnonzero(sizes == 0):
        giver = int(np.argmax(np.bincount(parts, minlength=n_parts)))
        parts[np.flatnonzero(parts == giver)[0]] = part
    return parts
