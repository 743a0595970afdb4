"""Models whose labels are fitted independently: blocks of labels that different processes fit, joined to one model.

What is fitted on its own is called a unit: a label, the place of a label in a chain, or the empty set of LSF. A block
is some units that follow one another. A model that was fitted to a block has the shapes of the whole model, and weights
in the rows of its units alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import clone

__all__ = ["LabelBlock", "balanced_blocks", "document_costs", "join_blocks"]

SHARE_OF_DOCUMENTS = 0.04
"""With an L1 penalty, a label costs in proportion to its own documents and this share of all documents: measured on
bibtex, from .02 to .06. Without one, all labels cost about the same."""


class LabelBlock(NamedTuple):
    """Units that are fitted together."""

    first: int
    end: int

    @property
    def rows(self) -> slice:
        """The units as rows of an array that has one row per unit."""
        return slice(self.first, self.end)


def document_costs(n_documents: NDArray[Any], n_samples: int, l1_ratio: float) -> NDArray[np.float64]:
    """Return how much learners cost relative to one another, by how many of all documents each has to recognize."""
    if l1_ratio == 0.0:
        return np.ones(len(n_documents))
    return np.asarray(SHARE_OF_DOCUMENTS * n_samples + n_documents, dtype=np.float64)


def balanced_blocks(costs: NDArray[np.float64], n_blocks: int) -> list[LabelBlock]:
    """Split units into at most so many blocks that cost about the same; none is empty.

    Examples
    --------
    >>> import numpy as np
    >>> [tuple(block) for block in balanced_blocks(np.array([4.0, 1.0, 1.0, 2.0]), 2)]
    [(0, 1), (1, 4)]
    """
    ends = np.cumsum(costs)
    targets = ends[-1] * np.arange(1, n_blocks) / n_blocks
    inner = np.searchsorted(ends - costs / 2, targets)  # a unit belongs to the block that has its middle
    bounds = np.unique([0, *inner.tolist(), len(costs)]).tolist()
    return [LabelBlock(first, end) for first, end in pairwise(bounds)]


def join_blocks(blocks: Sequence[LabelBlock], models: Sequence[Any]) -> Any:
    """Return the whole model from the models of all its blocks, in order: what one fit of all labels returns."""
    joined = clone(models[0])
    rows = [model.rows_of_block(block) for block, model in zip(blocks, models, strict=True)]
    for name in ("classes_", "n_features_in_", *joined._fitted):
        value = getattr(models[0], name)
        if name in rows[0]:
            value = _stack([getattr(model, name) for model in models], [one[name] for one in rows])
        setattr(joined, name, value)
    return joined


def _stack(arrays: Sequence[Any], rows: Sequence[slice]) -> Any:
    """Return some rows of each array, one after the other."""
    if not sp.issparse(arrays[0]):
        return np.concatenate([array[some] for array, some in zip(arrays, rows, strict=True)])
    lengths, indices, values = [], [], []
    for array, some in zip(arrays, rows, strict=True):
        starts = array.indptr[some.start : some.stop + 1]
        entries = slice(starts[0], starts[-1])
        lengths.append(np.diff(starts))
        indices.append(array.indices[entries])
        values.append(array.data[entries])
    first = arrays[0]
    indptr = np.zeros(first.shape[0] + 1, dtype=first.indptr.dtype)
    np.cumsum(np.concatenate(lengths), out=indptr[1:])
    stacked = sp.csr_array((np.concatenate(values), np.concatenate(indices), indptr), shape=first.shape)
    stacked.indices = stacked.indices.astype(first.indices.dtype, copy=False)  # scipy may have changed their width
    stacked.indptr = indptr
    return stacked
