"""Beliefs about the label sets of documents, and decisions: what inferences and decisions return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise.exceptions import InvalidData
from setwise.labels.matrix import LabelMatrix

__all__ = [
    "Beliefs",
    "Decision",
    "IndependentLabels",
    "IndependentSets",
    "MostProbable",
    "ScoredSets",
    "SetDistribution",
    "SizeMarginals",
    "require_room",
]

MOST_NUMBERS = 2**25
"""Most probabilities of labels and sizes that are held in memory together: 256 MB."""


def require_room(n_labels: int, n_sizes: int, n_documents: int = 1) -> None:
    """Raise ``InvalidData`` where the probabilities of all labels and sizes of sets would take too much memory."""
    if n_documents * n_labels * n_sizes > MOST_NUMBERS:
        documents = "one document" if n_documents == 1 else f"{n_documents} documents"
        raise InvalidData(
            f"{n_labels:,} labels times {n_sizes:,} sizes of sets, for {documents}, must be at most {MOST_NUMBERS:,} "
            f"probabilities; they are more. Hint: use fewer labels, or a model that predicts smaller sets."
        )


@dataclass(frozen=True, eq=False)
class MostProbable:
    """The most probable set of each document that a search found."""

    sets: sp.csr_array
    """Documents by labels, 0 and 1."""
    log_prob: NDArray[np.float64]
    exact: NDArray[np.bool_]
    """Whether it is proved that no set is more probable."""

    @classmethod
    def stacked(cls, parts: Sequence[MostProbable]) -> MostProbable:
        """Return the documents of all parts, one part after the other."""
        return cls(
            sp.csr_array(sp.vstack([part.sets for part in parts], format="csr")),
            np.concatenate([part.log_prob for part in parts]),
            np.concatenate([part.exact for part in parts]),
        )


@dataclass(frozen=True, eq=False)
class SizeMarginals:
    """The joint probability of each label and each set size, which determines the expected F1 of every set.

    Examples
    --------
    A document that has labels 0 and 1 with probability 0.6, and none otherwise.

    >>> import numpy as np
    >>> from setwise.labels import SizeMarginals
    >>> beliefs = SizeMarginals(joint=np.array([[[0.0, 0.6], [0.0, 0.6]]]), empty=np.array([0.4]))
    >>> beliefs.marginals.tolist(), beliefs.sizes.tolist()
    ([[0.6, 0.6]], [[0.0, 0.6]])
    """

    joint: NDArray[np.float64]
    """``joint[i, l, s - 1]`` is p(y_l = 1, |y| = s | x_i)."""
    empty: NDArray[np.float64]
    """``empty[i]`` is p(y = 0 | x_i)."""

    @classmethod
    def stacked(cls, parts: Sequence[SizeMarginals]) -> SizeMarginals:
        """Return the documents of all parts, one part after the other; sizes that a part lacks have probability 0."""
        n_sizes = max(part.joint.shape[2] for part in parts)
        require_room(parts[0].joint.shape[1], n_sizes, sum(len(part.empty) for part in parts))
        joint = [np.pad(part.joint, ((0, 0), (0, 0), (0, n_sizes - part.joint.shape[2]))) for part in parts]
        return cls(np.concatenate(joint), np.concatenate([part.empty for part in parts]))

    @property
    def marginals(self) -> NDArray[np.float64]:
        """p(y_l = 1 | x_i), documents by labels: the sum over sizes."""
        return np.asarray(self.joint.sum(axis=2))

    @property
    def sizes(self) -> NDArray[np.float64]:
        """p(|y| = s | x_i) for s from 1 up, documents by sizes: joint counts a set of s labels s times."""
        return np.asarray(self.joint.sum(axis=1) / np.arange(1, self.joint.shape[2] + 1))

    def non_empty(self) -> SizeMarginals:
        """Return the marginals conditioned on the set not being empty."""
        share = _one_over(self.sizes.sum(axis=1))  # not over 1 - empty, which may be all rounding
        return SizeMarginals(self.joint * share[:, None, None], np.zeros_like(self.empty))

    def consistent(self) -> SizeMarginals:
        """Return the marginals scaled to a total mass of 1, no label more probable at a size than the size itself.

        The marginals of a distribution over sets stay as they are, but for rounding. Those of LSF are learned one by
        one and agree with no distribution; after the scaling every set has an expected F in [0, 1]. Let q_s be
        ``sizes`` after the scaling, so that p(empty) + sum_s q_s = 1. Then p(empty) is at most 1, and a set h of k > 0
        labels has::

            sum_s sum_{l in h} joint[l, s] (1 + b^2) / (b^2 s + k)  <=  sum_s q_s min(k, s) (1 + b^2) / (b^2 s + k)
                                                                    <=  sum_s q_s  <=  1

        At size s its k labels have at most q_s each, and at most the s q_s of all labels; and min(k, s) (1 + b^2) is at
        most b^2 s + k.
        """
        sizes = self.sizes
        share = _one_over(self.empty + sizes.sum(axis=1))
        joint = np.minimum(self.joint, sizes[:, None, :])
        joint *= share[:, None, None]
        return SizeMarginals(joint, self.empty * share)


def _one_over(mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / mass, and 1 where there is no mass to scale, or so little that its inverse is infinite."""
    return np.divide(1.0, mass, out=np.ones_like(mass), where=mass >= np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class IndependentLabels:
    """The logit of each label, where every label is independent of the others given the document.

    They determine the distribution over all sets. The best sets under a criterion are found from them without the
    probabilities of all labels and sizes.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.labels import IndependentLabels
    >>> beliefs = IndependentLabels(np.log([[0.6 / 0.4, 0.2 / 0.8]]))
    >>> beliefs.marginals.round(3).tolist(), beliefs.non_empty().marginals.round(3).tolist()
    ([[0.6, 0.2]], [[0.882, 0.294]])
    """

    logits: NDArray[np.float64]
    """Documents by labels: the logit of p(y_l = 1 | x_i)."""
    excludes_empty: bool = False
    """Whether the set is known to have a label; labels are independent but for that."""

    @classmethod
    def stacked(cls, parts: Sequence[IndependentLabels]) -> IndependentLabels:
        """Return the documents of all parts, one part after the other."""
        return cls(np.concatenate([part.logits for part in parts]), parts[0].excludes_empty)

    @property
    def marginals(self) -> NDArray[np.float64]:
        """p(y_l = 1 | x_i), documents by labels."""
        chances = scipy.special.expit(self.logits)
        if not self.excludes_empty:
            return np.asarray(chances)
        mass = -np.expm1(-np.logaddexp(0.0, self.logits).sum(axis=1))  # of all sets but the empty one
        return np.asarray(chances * _one_over(mass)[:, None])

    def non_empty(self) -> IndependentLabels:
        """Return the labels conditioned on the set not being empty."""
        return replace(self, excludes_empty=True)


@dataclass(frozen=True, eq=False)
class SetDistribution:
    """One distribution over the same label sets per document.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.labels import LabelMatrix, SetDistribution
    >>> beliefs = SetDistribution(LabelMatrix.of([["a"], ["a", "b"]]), np.array([[0.75, 0.25]]))
    >>> beliefs.marginals.tolist()
    [[1.0, 0.25]]
    """

    sets: LabelMatrix
    """One row per set."""
    probability: NDArray[np.float64]
    """Documents by sets; rows sum to one."""

    @property
    def marginals(self) -> NDArray[np.float64]:
        """p(y_l = 1 | x_i), documents by labels: the sum over sets."""
        return np.asarray((self.sets.indicator.T @ self.probability.T).T, dtype=np.float64)

    def non_empty(self) -> SetDistribution:
        """Return the distribution conditioned on the set not being empty."""
        kept = self.sets.non_empty
        if kept is self.sets:
            return self
        probability = self.probability[:, self.sets.sizes > 0]
        mass = probability.sum(axis=1, keepdims=True)
        return SetDistribution(kept, np.divide(probability, mass, out=probability, where=mass > 0.0))

    def top(self, n: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return positions and probabilities of the ``n`` most probable sets of each document, ties in their order."""
        n = min(n, self.probability.shape[1])
        best = np.argsort(-self.probability, axis=1, kind="stable")[:, :n]
        return best, np.take_along_axis(self.probability, best, axis=1)


class ScoredSets(SetDistribution):
    """The distribution over label sets whose probability is proportional to exp(scale * score + bias).

    The probabilities are computed when they are first read. Those that need few documents at a time, such as GFM, need
    not read them: to write and read all of them would take longer than to compute them.

    Parameters
    ----------
    sets : LabelMatrix
        One row per set.
    scores : array of shape (n_samples, n_sets)
        Log-probabilities; minus infinity rules a set out under any scale.
    scale : float
        Factor of the scores.
    bias : array of shape (n_sets,)
        What is added to the scaled score of each set.
    n_jobs : int
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.labels import LabelMatrix, ScoredSets
    >>> sets = LabelMatrix.of([["a"], ["a", "b"]])
    >>> ScoredSets(sets, np.log([[0.75, 0.25]]), bias=np.log([1.0, 3.0])).probability.round(9).tolist()
    [[0.5, 0.5]]
    """

    def __init__(
        self,
        sets: LabelMatrix,
        scores: NDArray[np.float64],
        scale: float = 1.0,
        bias: NDArray[np.float64] | None = None,
        n_jobs: int = 1,
    ) -> None:
        self._set_scaling(sets, scale, bias, n_jobs)
        self.__dict__["scores"] = np.ascontiguousarray(scores)

    def _set_scaling(self, sets: LabelMatrix, scale: float, bias: NDArray[np.float64] | None, n_jobs: int) -> None:
        """Set all attributes but the scores: the class is frozen, so they are set in its dictionary."""
        bias = np.zeros(sets.n_samples) if bias is None else bias
        self.__dict__ |= {"sets": sets, "scale": scale, "bias": bias, "n_jobs": n_jobs}

    scores: NDArray[np.float64]
    scale: float
    bias: NDArray[np.float64]
    n_jobs: int

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """Documents by sets; rows sum to one."""
        return _core.calibrated_softmax(self.scores, self.scale, self.bias, self.n_jobs)


class IndependentSets(ScoredSets):
    """Scored sets of independent labels: a score is the sum of the set's logits, and a constant of the document.

    The scores too are computed when they are first read; GFM needs the logits alone.

    Parameters
    ----------
    sets : LabelMatrix
        One row per set.
    logits : array of shape (n_samples, n_labels)
    compute_scores : callable
        Returns the scores, documents by sets.
    scale, bias, n_jobs
        As for :class:`ScoredSets`.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.labels import IndependentSets, LabelMatrix
    >>> sets, logits = LabelMatrix.of([["a"], ["a", "b"]]), np.log([[2.0, 3.0]])
    >>> IndependentSets(sets, logits, lambda: logits @ [[1, 1], [0, 1]]).probability.round(9).tolist()
    [[0.25, 0.75]]
    """

    def __init__(
        self,
        sets: LabelMatrix,
        logits: NDArray[np.float64],
        compute_scores: Callable[[], NDArray[np.float64]],
        scale: float = 1.0,
        bias: NDArray[np.float64] | None = None,
        n_jobs: int = 1,
    ) -> None:
        self._set_scaling(sets, scale, bias, n_jobs)
        self.__dict__ |= {"logits": np.ascontiguousarray(logits), "_compute_scores": compute_scores}

    def non_empty(self) -> SetDistribution:
        """Return the distribution conditioned on a non-empty set: the scores of the others stay as they are."""
        kept = self.sets.non_empty
        if kept is self.sets:
            return self
        places = np.flatnonzero(self.sets.sizes)
        return IndependentSets(
            kept, self.logits, lambda: self.scores[:, places], self.scale, self.bias[places], self.n_jobs
        )

    logits: NDArray[np.float64]
    _compute_scores: Callable[[], NDArray[np.float64]]

    @cached_property
    def scores(self) -> NDArray[np.float64]:  # type: ignore[override]
        """Documents by sets."""
        return np.ascontiguousarray(self._compute_scores())


@dataclass(frozen=True, eq=False)
class Decision:
    """The set chosen for each document, and its value."""

    sets: sp.csr_array
    """Documents by labels, 0 and 1."""
    value: NDArray[np.float64]
    """Under the criterion of the decision (expected F, or probability); of a recipe, the expected F1."""

    @classmethod
    def stacked(cls, parts: Sequence[Decision]) -> Decision:
        """Return the documents of all parts, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        sets = sp.csr_array(sp.vstack([part.sets for part in parts], format="csr"))
        return cls(sets, np.concatenate([part.value for part in parts]))


Beliefs = SetDistribution | SizeMarginals | IndependentLabels | MostProbable
"""What an inference says about the label sets of documents."""
