"""Splits of labelled documents into parts alike: iterative stratification, fast.

After Sechidis, Tsoumakas and Vlahavas (2011): the label with the fewest documents left goes first, and each of its
documents to the part that still lacks most of that label. A label that one document has stays in the largest part. Sets
are left to chance, as they are in new documents: sharing those of a few documents out would keep rare sets in training,
and what is then tuned would trust the support too much.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix

__all__ = ["folds", "hold_out", "random_hold_out", "stratified_parts"]

Documents = NDArray[np.int64]


def hold_out(y: Any, share: float = 0.2, random_state: int = 0) -> tuple[Documents, Documents]:
    """Give the documents to train on and those held out, ``share`` of all, both rising."""
    _check_share(share)
    part = stratified_parts(y, [1.0 - share, share], random_state)
    return np.flatnonzero(part == 0), np.flatnonzero(part == 1)


def random_hold_out(n_documents: int, share: float = 0.2, random_state: int = 0) -> tuple[Documents, Documents]:
    """Give the documents to train on and those held out by chance alone, both rising; neither part is empty."""
    _check_share(share)
    if n_documents < 2:
        raise InvalidData(f"There must be at least a document a part, 2; got {n_documents}.")
    n_held = min(max(round(n_documents * share), 1), n_documents - 1)
    order = np.random.default_rng(random_state).permutation(n_documents)
    return np.sort(order[n_held:]), np.sort(order[:n_held])


def folds(y: Any, n_folds: int = 5, random_state: int = 0) -> list[tuple[Documents, Documents]]:
    """Give ``n_folds`` pairs of documents to train on and documents held out; each is held out once."""
    if not isinstance(n_folds, numbers.Integral) or isinstance(n_folds, bool) or n_folds < 2:
        raise InvalidParameter(f"n_folds must be a whole number from 2 up; got {n_folds!r}.")
    part = stratified_parts(y, [1.0 / n_folds] * int(n_folds), random_state)
    return [(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(int(n_folds))]


def stratified_parts(y: Any, shares: Sequence[float], random_state: int = 0) -> NDArray[np.int64]:
    """Give each document its part, so that parts have ``shares`` of all documents and of each label.

    No part stays empty. Ties are broken by what a part lacks in documents, then by chance; the same
    random_state gives the same parts.
    """
    labels = LabelMatrix.of(y)
    n_documents = labels.n_samples
    if n_documents < len(shares):
        raise InvalidData(f"There must be at least a document a part, {len(shares)}; got {n_documents}.")
    random = np.random.default_rng(random_state)
    order = random.permutation(n_documents)
    part_of = _assign(labels.indicator[order], np.asarray(shares, dtype=np.float64), random)
    parts = np.empty(n_documents, dtype=np.int64)
    parts[order] = part_of
    return parts


def _check_share(share: float) -> None:
    real = isinstance(share, numbers.Real) and not isinstance(share, bool)
    if not real or not 0.0 < share < 1.0:
        raise InvalidParameter(f"share must lie between 0 and 1; got {share!r}.")


def _assign(labels: sp.csr_array, shares: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.int64]:
    """Go through the labels, the one with the fewest documents left first. Lists, since they are read one by one."""
    n_documents = labels.shape[0]
    by_label = sp.csc_array(labels)
    left = np.diff(by_label.indptr).astype(np.int64)
    lacking = np.outer(left, shares).tolist()  # of each label in each part
    room = (n_documents * shares).tolist()
    chance = random.random((n_documents, len(shares))).tolist()
    parts = [-1] * n_documents
    indices, starts = labels.indices.tolist(), labels.indptr.tolist()

    def put(document: int, wanted: list[float]) -> None:
        part = max(range(len(room)), key=lambda j: (wanted[j], room[j], chance[document][j]))
        parts[document] = part
        room[part] -= 1.0
        for label in indices[starts[document] : starts[document + 1]]:
            lacking[label][part] -= 1.0
            left[label] -= 1

    while left.any():
        rarest = int(np.argmin(np.where(left > 0, left, n_documents + 1)))
        for document in by_label.indices[by_label.indptr[rarest] : by_label.indptr[rarest + 1]].tolist():
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
