"""Splits of labeled documents into similar parts, by fast iterative stratification.

After Sechidis, Tsoumakas and Vlahavas (2011): the label with the fewest remaining documents comes first, and each of
its documents goes to the part that lacks most documents of that label. A label of one document stays in the largest
part.
Label sets are not stratified: that would leave rare sets in training more often than new documents have them, and a
recipe tuned on such a split would trust the support too much.
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

Indices = NDArray[np.int64]


def hold_out(y: Any, test_size: float = 0.2, random_state: int = 0) -> tuple[Indices, Indices]:
    """Split documents in two, with every label divided in proportion.

    Parameters
    ----------
    y : label sets or indicator matrix
        The labels of each document.
    test_size : float
        Fraction of the documents to hold out, between 0 and 1.
    random_state : int
        Seed; the same value returns the same split.

    Returns
    -------
    train, test : ndarray of int64
        Positions of the documents, in ascending order.

    Examples
    --------
    >>> from setwise.data import hold_out
    >>> train, test = hold_out([["a"], ["a"], ["b"], ["b"]], test_size=0.5)
    >>> len(train), len(test)
    (2, 2)
    """
    _check_test_size(test_size)
    part = stratified_parts(y, [1.0 - test_size, test_size], random_state)
    return np.flatnonzero(part == 0), np.flatnonzero(part == 1)


def random_hold_out(n_samples: int, test_size: float = 0.2, random_state: int = 0) -> tuple[Indices, Indices]:
    """Split documents in two at random; neither part is empty.

    Parameters
    ----------
    n_samples : int
        Number of documents.
    test_size : float
        Fraction of the documents to hold out, between 0 and 1.
    random_state : int
        Seed; the same value returns the same split.

    Returns
    -------
    train, test : ndarray of int64
        Positions of the documents, in ascending order.

    Examples
    --------
    >>> from setwise.data import random_hold_out
    >>> train, test = random_hold_out(10, test_size=0.3)
    >>> len(train), len(test)
    (7, 3)
    """
    _check_test_size(test_size)
    _check_n_samples(n_samples, 2)
    n_test = min(max(round(n_samples * test_size), 1), n_samples - 1)
    order = np.random.default_rng(random_state).permutation(n_samples)
    return np.sort(order[n_test:]), np.sort(order[:n_test])


def folds(y: Any, n_folds: int = 5, random_state: int = 0) -> list[tuple[Indices, Indices]]:
    """Split documents into folds, with every label divided evenly.

    Parameters
    ----------
    y : label sets or indicator matrix
        The labels of each document.
    n_folds : int
        Number of folds, at least 2.
    random_state : int
        Seed; the same value returns the same folds.

    Returns
    -------
    list of (train, test)
        Positions of the documents to train on and of those held out; each document is held out once.

    Examples
    --------
    >>> from setwise.data import folds
    >>> [len(test) for _, test in folds([["a"], ["a"], ["b"], ["b"]], n_folds=2)]
    [2, 2]
    """
    if not isinstance(n_folds, numbers.Integral) or isinstance(n_folds, bool) or n_folds < 2:
        raise InvalidParameter(f"n_folds must be an integer of at least 2; got {n_folds!r}.")
    part = stratified_parts(y, [1.0 / n_folds] * int(n_folds), random_state)
    return [(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(int(n_folds))]


def stratified_parts(y: Any, fractions: Sequence[float], random_state: int = 0) -> NDArray[np.int64]:
    """Return the part of each document, so that parts have ``fractions`` of all documents and of each label.

    No part is empty. Ties go to the part that lacks most documents, then to a random one; the same ``random_state``
    returns the same parts.
    """
    labels = LabelMatrix.of(y)
    n_samples = labels.n_samples
    _check_n_samples(n_samples, len(fractions))
    random = np.random.default_rng(random_state)
    order = random.permutation(n_samples)
    part_of = _assign(labels.indicator[order], np.asarray(fractions, dtype=np.float64), random)
    parts = np.empty(n_samples, dtype=np.int64)
    parts[order] = part_of
    return parts


def _check_test_size(test_size: float) -> None:
    real = isinstance(test_size, numbers.Real) and not isinstance(test_size, bool)
    if not real or not 0.0 < test_size < 1.0:
        raise InvalidParameter(f"test_size must lie between 0 and 1; got {test_size!r}.")


def _check_n_samples(n_samples: int, n_parts: int) -> None:
    if n_samples < n_parts:
        raise InvalidData(f"A split in {n_parts} parts needs at least {n_parts} documents; got {n_samples}.")


def _assign(labels: sp.csr_array, fractions: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.int64]:
    """Assign documents label by label, rarest first. Lists are used, since single items of arrays are slow to read."""
    n_samples = labels.shape[0]
    by_label = sp.csc_array(labels)
    remaining = np.diff(by_label.indptr).astype(np.int64)
    lacking = np.outer(remaining, fractions).tolist()  # documents of each label that each part still lacks
    room = (n_samples * fractions).tolist()
    tie_breaker = random.random((n_samples, len(fractions))).tolist()
    parts = [-1] * n_samples
    indices, starts = labels.indices.tolist(), labels.indptr.tolist()

    def assign(document: int, need: list[float]) -> None:
        part = max(range(len(room)), key=lambda j: (need[j], room[j], tie_breaker[document][j]))
        parts[document] = part
        room[part] -= 1.0
        for label in indices[starts[document] : starts[document + 1]]:
            lacking[label][part] -= 1.0
            remaining[label] -= 1

    while remaining.any():
        rarest = int(np.argmin(np.where(remaining > 0, remaining, n_samples + 1)))
        for document in by_label.indices[by_label.indptr[rarest] : by_label.indptr[rarest + 1]].tolist():
            if parts[document] < 0:
                assign(document, lacking[rarest])
    for document in range(n_samples):
        if parts[document] < 0:
            assign(document, room)
    return _fill_empty_parts(np.asarray(parts), len(fractions))


def _fill_empty_parts(parts: NDArray[np.int64], n_parts: int) -> NDArray[np.int64]:
    """Move the first document of the largest part to each empty part."""
    sizes = np.bincount(parts, minlength=n_parts)
    for part in np.flatnonzero(sizes == 0):
        largest = int(np.argmax(np.bincount(parts, minlength=n_parts)))
        parts[np.flatnonzero(parts == largest)[0]] = part
    return parts
