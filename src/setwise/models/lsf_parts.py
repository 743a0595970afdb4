"""The parts of LSF: pairs of label and set size, and the multinomials over sizes of each label."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._validation import check_sample_weight
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, csr_of_ones
from setwise.learners import ClassFit, ClassProblem
from setwise.models.class_fits import ClassOptions, ClassSteps, in_threads
from setwise.models.label_blocks import LabelBlock
from setwise.models.state_checks import check_array, check_range

__all__ = ["LabelSizes", "SizeClassifiers", "check_label_sizes", "pair_rows"]


@dataclass(frozen=True, eq=False)
class LabelSizes:
    """The pairs (label, set size) that occur, sorted by label and then by size.

    The size is that of the whole set or, where labels are split into subsets, of the part of it in the label's subset.
    """

    labels: NDArray[np.int32]
    sizes: NDArray[np.int32]
    of_entry: NDArray[np.int64]
    """The pair of each entry of the label matrix."""
    indicator: sp.csr_array
    """The label matrix."""
    subset_of: NDArray[np.int32]
    """The subset of each label, numbered from 0; all 0 where labels are not split."""
    empty_subsets: NDArray[np.int32]
    """The subsets that have a target of their own for documents with none of their labels."""
    empty: sp.csr_array
    """Documents by ``empty_subsets``: 1 where a document has no label of the subset."""

    @classmethod
    def of(cls, y: LabelMatrix, subset_of: NDArray[np.int32] | None = None) -> LabelSizes:
        """Collect the pairs of the documents of ``y``.

        A subset of one label has a pair even if no document has the label, and no target for documents without it: that
        is one minus the label. The set of all labels has such a target in any case.
        """
        whole = subset_of is None
        subset_of = np.zeros(y.n_labels, dtype=np.int32) if subset_of is None else subset_of
        n_of_subset = np.bincount(subset_of)
        single = np.zeros(0, dtype=np.int64) if whole else np.flatnonzero(n_of_subset[subset_of] == 1)
        row = np.repeat(np.arange(y.n_samples, dtype=np.int64), np.diff(y.indicator.indptr))
        subset_of_entry = subset_of[y.indicator.indices]
        parts = row * n_of_subset.size + subset_of_entry  # a document and a subset
        _, part_of_entry, lengths = np.unique(parts, return_inverse=True, return_counts=True)
        base = int(lengths.max(initial=1)) + 1
        keys = y.indicator.indices.astype(np.int64) * base + lengths[part_of_entry]
        found, of_key = np.unique(np.concatenate([keys, single * base + 1]), return_inverse=True)
        of_entry = of_key[: keys.size]
        several = np.flatnonzero(n_of_subset > (0 if whole else 1)).astype(np.int32)
        column = np.full(n_of_subset.size, several.size)  # those of single labels share one, which is left out
        column[several] = np.arange(several.size)
        absent = np.ones((y.n_samples, several.size + 1), dtype=bool)
        absent[row, column[subset_of_entry]] = False
        occurring = np.flatnonzero(absent[:, :-1].any(axis=0))
        empty_subsets, empty = several[occurring], absent[:, occurring]
        return cls(
            (found // base).astype(np.int32),
            (found % base).astype(np.int32),
            of_entry,
            y.indicator,
            subset_of,
            empty_subsets,
            csr_of_ones(np.nonzero(empty)[1], empty.sum(axis=1), empty_subsets.size),
        )

    @property
    def n_pairs(self) -> int:
        """Number of pairs that occur."""
        return self.labels.size

    @property
    def largest(self) -> int:
        """The largest size."""
        return int(self.sizes.max(initial=0))

    def targets(self, by_pair: bool) -> sp.csr_array:
        """Return zeros and ones by document and label, or by pair, followed by the columns of ``empty``."""
        columns = self.of_entry if by_pair else self.indicator.indices
        n_columns = self.n_pairs if by_pair else self.indicator.shape[1]
        occurring = csr_of_ones(columns, np.diff(self.indicator.indptr), n_columns)
        if self.empty_subsets.size == 0:
            return occurring
        return sp.csr_array(sp.hstack([occurring, self.empty], format="csr"))


def pair_rows(pair_labels: NDArray[np.int32], n_labels: int, block: LabelBlock) -> slice:
    """Return the pairs of a block's labels; what follows the labels, the empty set, follows the pairs."""
    first, end = (
        int(np.searchsorted(pair_labels, bound)) + max(0, bound - n_labels) for bound in (block.first, block.end)
    )
    return slice(first, end)


def check_label_sizes(
    subset_of: NDArray[np.int32], n_sizes: int, labels: NDArray[np.int32], sizes: NDArray[np.int32]
) -> None:
    """Raise ``InvalidData`` unless the fitted pairs of label and size are those that some documents have.

    ``n_sizes`` is the largest size that is allowed.
    """
    check_array(labels, "pair_labels_", (np.size(labels),), np.int32)
    check_array(sizes, "pair_sizes_", (np.size(labels),), np.int32)
    check_range(labels, "pair_labels_", 0, subset_of.size - 1)
    check_range(sizes, "pair_sizes_", 1, n_sizes)
    if (np.diff(labels.astype(np.int64) * (n_sizes + 1) + sizes) <= 0).any():
        raise InvalidData("The pairs must be sorted by label and size, up to the size n_sizes_.")
    keys, n_labels = np.unique(subset_of[labels].astype(np.int64) * (n_sizes + 1) + sizes, return_counts=True)
    if (n_labels < keys % (n_sizes + 1)).any():
        raise InvalidData("Each size must have at least as many labels as a set of that size.")


class SizeClassifiers:
    """One multinomial over sizes per label that occurs with several sizes, fitted to the documents with that label.

    The loss is averaged over all n documents, and documents without the label have none: in terms of the mean over the
    n_l documents with the label, the strength is n / n_l times as large.
    """

    def __init__(
        self,
        X: sp.csr_array,
        pairs: LabelSizes,
        sample_weight: Any,
        options: ClassOptions,
        block: LabelBlock | None = None,
    ) -> None:
        self._X = X
        self._weight = np.ones(X.shape[0]) if sample_weight is None else check_sample_weight(sample_weight, X.shape[0])
        self._pairs = pairs
        self._options = options
        by_label = sp.csc_array(
            (pairs.of_entry + 1, pairs.indicator.indices, pairs.indicator.indptr), shape=pairs.indicator.shape[::-1]
        ).tocsr()  # one row per label: its documents, and the pair of each
        bounds = np.searchsorted(pairs.labels, np.arange(pairs.indicator.shape[1] + 1))
        self._several: list[_Sizes] = []
        for label, (first, end) in enumerate(pairwise(bounds.tolist())):
            if end - first > 1 and (block is None or block.first <= label < block.end):
                entries = slice(by_label.indptr[label], by_label.indptr[label + 1])
                classes = by_label.data[entries] - 1 - first
                self._several.append(_Sizes(first, end - first, by_label.indices[entries], classes))
        self._several.sort(key=lambda sizes: -sizes.rows.size)  # the longest fits first, so that threads end together

    def fit(self) -> list[ClassFit]:
        """Fit every classifier to convergence."""
        options = self._options

        def fit(sizes: _Sizes) -> ClassFit:
            problem, strength, tol = self._problem(sizes)
            return problem.fit(strength, options.l1_ratio, tol, options.max_iter, None)

        return in_threads(fit, self._several, options.n_jobs)

    def steps(self) -> ClassSteps:
        """Return the classifiers before their first iteration, to be advanced one iteration at a time."""
        problems = in_threads(self._problem, self._several, self._options.n_jobs)
        return ClassSteps(problems, self._options)

    def _problem(self, sizes: _Sizes) -> tuple[ClassProblem, float, float]:
        targets = np.eye(sizes.n_classes)[sizes.classes]
        weight = self._weight[sizes.rows]
        problem = ClassProblem.of(self._X[sizes.rows], targets, weight)
        strength = self._options.strength * self._weight.sum() / weight.sum()
        return problem, strength, problem.default_tol() if self._options.tol is None else self._options.tol

    def weights(self, fits: list[ClassFit]) -> tuple[sp.csr_array, NDArray[np.float64]]:
        """Return weights and intercepts by pair; those of a label with one size are zero."""
        n_pairs, n_features = self._pairs.n_pairs, self._X.shape[1]
        intercept = np.zeros(n_pairs)
        lengths = np.zeros(n_pairs, dtype=np.int64)
        in_order = sorted(zip(self._several, fits, strict=True), key=lambda pair: pair[0].first)
        for sizes, fit in in_order:
            intercept[sizes.first : sizes.first + sizes.n_classes] = fit.intercept
            lengths[sizes.first : sizes.first + sizes.n_classes] = np.diff(fit.coef.indptr)
        indices = np.concatenate([np.zeros(0, dtype=np.int32), *(fit.coef.indices for _, fit in in_order)])
        data = np.concatenate([np.zeros(0), *(fit.coef.data for _, fit in in_order)])
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        return sp.csr_array((data, indices, indptr), shape=(n_pairs, n_features)), intercept


@dataclass(frozen=True, eq=False)
class _Sizes:
    """The sizes of one label: its first pair, the number of sizes, and the documents with the size of each."""

    first: int
    n_classes: int
    rows: NDArray[Any]
    classes: NDArray[Any]
