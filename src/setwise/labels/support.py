"""The support: the distinct label sets of the training documents, and how often each occurs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels.matrix import LabelMatrix, csr_of_ones

__all__ = ["Support"]

# A label's index in a set's key. Big-endian, so that keys compare as bytes just as sets compare label by label.
_KEY_TYPE = np.dtype(">u4")


@dataclass(frozen=True, eq=False)
class Support:
    """Distinct label sets, the most frequent first, sets of one count in the order of their labels.

    It is compiled once: keys, positions, the core's layout (``sets.native``) and the tries of chains are built when
    first needed and then reused by every prediction.

    Attributes
    ----------
    sets : LabelMatrix
        One row per set.
    counts : array of shape (n_sets,)
        How many documents have each set.
    set_of : array of shape (n_samples,)
        The set of each training document, or -1 where it was dropped.

    Examples
    --------
    >>> from setwise.labels import LabelMatrix, Support
    >>> support = Support.of(LabelMatrix.of([["red"], ["blue", "red"], ["red"]]))
    >>> support.sets.name_lists(), support.counts.tolist()
    ([['red'], ['blue', 'red']], [2, 1])
    """

    sets: LabelMatrix
    counts: NDArray[np.int64]
    set_of: NDArray[np.int64]

    @classmethod
    def of(cls, y: LabelMatrix) -> Support:
        """Collect the distinct sets of the documents of ``y``."""
        keys = _keys(y)
        counts = Counter(keys)
        ordered = sorted(counts, key=lambda key: (-counts[key], key))
        position = {key: index for index, key in enumerate(ordered)}
        return cls(
            sets=replace(y, indicator=_indicator(ordered, y.n_labels)),
            counts=np.array([counts[key] for key in ordered], dtype=np.int64),
            set_of=np.array([position[key] for key in keys], dtype=np.int64),
        )

    @property
    def n_sets(self) -> int:
        """Number of distinct sets."""
        return len(self.counts)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of labels of each set."""
        return self.sets.sizes

    @cached_property
    def _positions(self) -> dict[bytes, int]:
        return {key: index for index, key in enumerate(_keys(self.sets))}

    def index_of(self, y: Any) -> NDArray[np.int64]:
        """Return the position of each document's set in the support; -1 where it is not in it."""
        labels = LabelMatrix.of(y, self.sets.names)
        if labels is self.sets:
            return np.arange(self.n_sets)
        position = self._positions
        return np.array([position.get(key, -1) for key in _keys(labels)], dtype=np.int64)

    def with_sets(self, extra: Any) -> Support:
        """Add sets that no document has, with count 0; those already in the support stay as they are."""
        n_seen = np.count_nonzero(self.counts)  # sets of count 0, if any, come last
        keys, added = _keys(self.sets), _keys(LabelMatrix.of(extra, self.sets.names, called="extra"))
        seen, unseen = keys[:n_seen], sorted({*keys, *added}.difference(keys[:n_seen]))
        return replace(
            self,
            sets=replace(self.sets, indicator=_indicator(seen + unseen, self.sets.n_labels)),
            counts=np.concatenate([self.counts[:n_seen], np.zeros(len(unseen), dtype=np.int64)]),
        )

    def check(self) -> None:
        """Raise ``InvalidData`` unless there are sets, all distinct, each with a count, the most frequent first."""
        if self.n_sets == 0 or self.counts.shape != (self.sets.n_samples,):
            raise InvalidData(f"{self.sets.n_samples} label sets need one count each; got {self.counts.shape}.")
        if self.counts.dtype != np.int64 or self.counts.min() < 0 or (np.diff(self.counts) > 0).any():
            raise InvalidData("Counts of label sets must be integers of at least 0, the largest first.")
        if len(self._positions) != self.n_sets:
            raise InvalidData("The label sets of a support must all differ; one occurs twice.")

    def at_least(self, count: int) -> Support:
        """Keep the sets that at least ``count`` documents have."""
        n_kept = np.count_nonzero(self.counts >= count)  # they come first
        if n_kept == 0:
            raise InvalidParameter(
                f"min_count must leave at least one set; got {count}, and the most frequent set occurs "
                f"{self.counts.max()} times."
            )
        return Support(
            sets=self.sets.take(np.arange(n_kept)),
            counts=self.counts[:n_kept],
            set_of=np.where(self.set_of < n_kept, self.set_of, -1),
        )


def _keys(y: LabelMatrix) -> list[bytes]:
    """Return each document's label indices as one bytes object: hashable, exact, and as long as the set."""
    width = _KEY_TYPE.itemsize
    everything = y.indicator.indices.astype(_KEY_TYPE).tobytes()
    ends = (y.indicator.indptr.astype(np.int64) * width).tolist()
    return [everything[start:end] for start, end in pairwise(ends)]


def _indicator(keys: list[bytes], n_labels: int) -> sp.csr_array:
    labels = np.frombuffer(b"".join(keys), dtype=_KEY_TYPE)
    return csr_of_ones(labels, [len(key) // _KEY_TYPE.itemsize for key in keys], n_labels)
