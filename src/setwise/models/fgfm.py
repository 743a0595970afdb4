"""F-GFM: labels and sizes of conditionally independent subsets of the labels, learned subset by subset."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from setwise._estimator import check_is_fitted
from setwise._validation import InstanceOf, Interval, NoneOr, RandomState, effective_n_jobs, random_seed
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, SizeMarginals, require_room
from setwise.learners import FeatureColumns
from setwise.models.fgfm_dependence import pair_tests
from setwise.models.fgfm_merge import merge_subsets
from setwise.models.fgfm_partition import connected_subsets, dependent_pairs, named_subsets, numbered
from setwise.models.lsf import LabelSizeFactors, LabelSizePosterior
from setwise.models.lsf_parts import LabelSizes, check_label_sizes
from setwise.models.state_checks import check_array, check_range

__all__ = ["FactorizedLabelSizes"]

Array = NDArray[np.float64]


class FactorizedLabelSizes(LabelSizeFactors):
    """F-GFM (Gasse and Aussem, 2016): LSF in each of several subsets of the labels, independent given the document.

    Labels are split into subsets; of each subset B, p(y_l = 1, |y_B| = s | x) is learned as :class:`LabelSizeFactors`
    learns it of all labels, and scaled to a total mass of 1. Convolutions of the size distributions merge the subsets
    into p(y_l = 1, |y| = s | x). With one subset of all labels it is LSF; with subsets of one label it is BR.

    The subsets are found by a test of each pair of labels, for dependence beyond what the features explain: see
    ``setwise.models.fgfm_dependence``. Pairs that the method of Benjamini and Hochberg finds significant connect
    labels, and connected labels are a subset.

    Parameters
    ----------
    form : {"binary", "multinomial"}
        As for :class:`LabelSizeFactors`.
    strength : float
        Weight of the penalty, the paper's lambda. The subsets do not depend on it.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, from 0 to 1.
    false_discovery_rate : float
        Expected share of independent pairs among those that are found dependent; 0 finds none.
    max_subset_size : int, optional
        Most labels of a subset that is found: pairs with the strongest evidence come first, and one that would make a
        larger subset is left out. None means no limit.
    partition : list of lists of str, optional
        Label names of each subset, in place of the tests; labels that are not listed are subsets by themselves.
    cv : int
        Folds of the documents, for the probabilities that residuals are computed from.
    random_state : int
        Seed of the folds.
    tol, max_iter, n_jobs
        As for :class:`BinaryRelevance`.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    subset_of_ : array of shape (n_labels,)
        The subset of each label; subsets are numbered in the order of their first labels.
    empty_subsets_ : array of int
        The subsets of several labels that have none of them in some training document.
    pair_labels_, pair_sizes_ : arrays of shape (n_pairs,)
        The pairs (label, size within its subset) that occur, sorted.
    coef_, intercept_ : sparse array and array
        The logistic regressions: one row per pair or per label, and last one per subset of ``empty_subsets_``.
    size_coef_, size_intercept_, fits_, size_fits_
        As for :class:`LabelSizeFactors`.

    Examples
    --------
    >>> from setwise.models import FactorizedLabelSizes
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b", "c"], ["a", "b", "c"]]
    >>> model = FactorizedLabelSizes(partition=[["b", "c"]]).fit(X, y)
    >>> model.subsets()
    [['a'], ['b', 'c']]
    >>> model.posterior([[1.0, 0.0]]).size_marginals().joint.shape
    (1, 3, 3)
    """

    _parameter_constraints: ClassVar = {
        **LabelSizeFactors._parameter_constraints,
        "false_discovery_rate": Interval("real", 0, 1),
        "max_subset_size": NoneOr(Interval("integer", 1, None)),
        "partition": NoneOr(InstanceOf((list, tuple), "a list of lists of label names")),
        "cv": Interval("integer", 2, None),
        "random_state": RandomState(),
    }
    _fitted: ClassVar[tuple[str, ...]] = (
        "subset_of_",
        "empty_subsets_",
        *(name for name in LabelSizeFactors._fitted if name not in ("n_sizes_", "has_empty_")),
    )

    subset_of_: NDArray[np.int32]
    empty_subsets_: NDArray[np.int32]

    def __init__(
        self,
        form: Literal["binary", "multinomial"] = "binary",
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        false_discovery_rate: float = 0.05,
        max_subset_size: int | None = 10,
        partition: Sequence[Sequence[str]] | None = None,
        cv: int = 3,
        random_state: int = 0,
        tol: float | None = None,
        max_iter: int = 200,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(form, strength, l1_ratio, tol, max_iter, n_jobs)
        self.false_discovery_rate = false_discovery_rate
        self.max_subset_size = max_subset_size
        self.partition = partition
        self.cv = cv
        self.random_state = random_state

    def subsets(self) -> list[list[str]]:
        """Return the label names of each subset."""
        check_is_fitted(self)
        return [[self.classes_[label] for label in labels] for labels in _members(self.subset_of_)]

    def unit_costs(self, y: LabelMatrix) -> Array | None:
        """Return None: the tests that find the subsets would be computed in every block."""
        return None

    def _label_sizes(self, features: FeatureColumns, labels: LabelMatrix, sample_weight: Any) -> LabelSizes:
        return LabelSizes.of(labels, self._find_subsets(features, labels, sample_weight))

    def _find_subsets(self, features: FeatureColumns, labels: LabelMatrix, sample_weight: Any) -> NDArray[np.int32]:
        """Return the subset of each label; the tests are computed once for all settings of the same documents."""
        if self.partition is not None:
            return named_subsets(self.partition, labels.names)
        seed = random_seed(self.random_state)
        key = (pair_tests, labels, self.cv, seed)
        tests = features.derived.get(key) if sample_weight is None else None
        if tests is None:
            n_jobs = effective_n_jobs(self.n_jobs)
            tests = pair_tests(features.matrix, labels, sample_weight, self.cv, seed, n_jobs)
        if sample_weight is None:
            features.derived[key] = tests
        pairs = dependent_pairs(tests, self.false_discovery_rate)
        return connected_subsets(labels.n_labels, pairs, self.max_subset_size)

    def _set_labels(self, labels: LabelMatrix, pairs: LabelSizes, n_features: int) -> None:
        super()._set_labels(labels, pairs, n_features)
        self.subset_of_, self.empty_subsets_ = pairs.subset_of, pairs.empty_subsets

    def _check_pairs(self) -> None:
        n_labels, n_empty = len(self.classes_), np.size(self.empty_subsets_)
        check_array(self.subset_of_, "subset_of_", (n_labels,), np.int32)
        if not np.array_equal(self.subset_of_, numbered(self.subset_of_)):
            raise InvalidData("subset_of_ must number subsets from 0 in the order of their first labels.")
        counts = np.bincount(self.subset_of_)
        check_label_sizes(self.subset_of_, int(counts.max()), self.pair_labels_, self.pair_sizes_)
        require_room(n_labels, int(self.pair_sizes_.max(initial=1)))
        check_array(self.empty_subsets_, "empty_subsets_", (n_empty,), np.int32)
        check_range(self.empty_subsets_, "empty_subsets_", 0, counts.size - 1)
        if (np.diff(self.empty_subsets_) <= 0).any() or (counts[self.empty_subsets_] < 2).any():
            raise InvalidData("empty_subsets_ must rise and list subsets of several labels.")

    @property
    def _n_empty(self) -> int:
        return int(self.empty_subsets_.size)

    def _posterior(self, X: Any) -> LabelSizePosterior:
        return self._posterior_of(FactorizedPosterior, X)


class FactorizedPosterior(LabelSizePosterior):
    """The probabilities of the regressions of all subsets."""

    model_name = "FactorizedLabelSizes"

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        """Return p(y_l = 1, |y| = s | x) for all sizes that are not negligible, and p(y = 0 | x)."""
        merged = merge_subsets(self._parts, _members(self._model.subset_of_))
        return SizeMarginals(merged.joint[:, :, :max_size], merged.empty)

    def marginals(self) -> Array:
        """Return p(y_l = 1 | x), documents by labels, which takes no convolution.

        In a subset of several labels it is the sum over sizes, which may exceed one and is clipped there.
        """
        found = np.zeros((self.n_samples, len(self.classes)))
        for labels, part in zip(_members(self._model.subset_of_), self._parts, strict=True):
            found[:, labels] = np.minimum(part.marginals, 1.0)
        return found

    @cached_property
    def _parts(self) -> list[SizeMarginals]:
        """The size marginals of each subset, of total mass 1."""
        model, by_pair = self._model, self._by_pair()
        n_empty = model.empty_subsets_.size
        empty_of = dict(zip(model.empty_subsets_.tolist(), self._chances.T[-n_empty:] if n_empty else [], strict=True))
        by_subset = np.argsort(model.subset_of_[model.pair_labels_], kind="stable")
        bounds = np.searchsorted(model.subset_of_[model.pair_labels_][by_subset], np.arange(len(self.classes) + 1))
        parts = []
        for number, labels in enumerate(_members(model.subset_of_)):
            pairs = by_subset[bounds[number] : bounds[number + 1]]
            sizes = model.pair_sizes_[pairs]
            joint = np.zeros((self.n_samples, labels.size, int(sizes.max(initial=1))))
            joint[:, np.searchsorted(labels, model.pair_labels_[pairs]), sizes - 1] = by_pair[:, pairs]
            if labels.size == 1:
                parts.append(SizeMarginals(joint, 1.0 - joint[:, 0, 0]))
            else:
                parts.append(_of_mass_one(joint, empty_of.get(number, np.zeros(self.n_samples))))
        return parts


def _of_mass_one(joint: Array, empty: Array) -> SizeMarginals:
    """Return the marginals of a subset scaled to a total mass of 1, which changes no choice between sets.

    Where all estimates vanish, the subset counts as empty: without any mass it would take that of all other subsets.
    """
    mass = empty + SizeMarginals(joint, empty).sizes.sum(axis=1)
    vanished = mass < np.finfo(np.float64).tiny
    share = 1.0 / np.where(vanished, 1.0, mass)
    return SizeMarginals(joint * share[:, None, None], np.where(vanished, 1.0, empty * share))


def _members(subset_of: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """Return the labels of each subset, in rising order."""
    order = np.argsort(subset_of, kind="stable")
    return np.split(order, np.cumsum(np.bincount(subset_of))[:-1])
