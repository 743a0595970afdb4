"""The posterior: what a fitted model believes about the label sets of documents.

It is the one interface between models and inference. ``model.posterior(X)`` scores the documents once; the posterior
then answers any number of questions without looking at the features again. A model need not answer all of them: its
class attribute ``abilities`` names those it can, and the others raise a sentence that says what would work instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import Incompatible
from setwise.labels import IndependentLabels, LabelMatrix, MostProbable, SizeMarginals

__all__ = ["ABILITIES", "LazyPosterior", "Posterior", "Rows", "Scaling", "lacking", "require"]

Array = NDArray[np.float64]
Scaling = float | Array
Rows = slice | NDArray[np.intp] | NDArray[np.int64]

ABILITIES = {
    "log_prob": "Support inference needs only `log_prob`; BR, PCC, CRF, CBM and MLP have it.",
    "marginals": "BR, CRF, CBM and MLP have exact marginals; for PCC use support or sampled inference.",
    "mode": "For the most probable of the training sets, use support inference.",
    "sample": "CRF knows only training sets, so use support inference; LSF has `size_marginals` directly.",
    "size_marginals": "Use support or sampled inference, which work from the joint distribution; SPEN has thresholds.",
    "rescaled": "BR, CBM and MLP have it; for the others calibrate support inference.",
    "independent_labels": "The labels of BR are independent; for others use decision='gfm' or 'threshold'.",
}
"""Every question that a posterior may answer, with the hint of the error for a model that cannot."""

SCORES_AT_ONCE = 2**22
"""Scores of documents that are computed together: 32 MB. More of them would only leave the cache."""

MAX_SCORES = 2**24
"""Scores of documents that are held in memory together, where they are needed again: 128 MB."""


class Posterior:
    """The distribution over label sets of each document of a block.

    Attributes
    ----------
    classes : tuple of str
        The label names.
    n_samples : int
        Number of documents.

    Examples
    --------
    >>> from setwise.models import BinaryRelevance
    >>> model = BinaryRelevance(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> posterior = model.posterior([[1.0, 0.0], [0.0, 1.0]])
    >>> posterior.log_prob([["a"], ["a", "b"]]).shape, posterior.marginals().shape
    ((2, 2), (2, 2))
    """

    model_name: ClassVar[str] = "This model"
    """Name of the model's class, for error messages."""

    abilities: frozenset[str]
    """The questions that the posterior answers: keys of :data:`ABILITIES`."""

    classes: tuple[str, ...]
    n_samples: int

    def take(self, rows: Rows) -> Posterior:
        """Return the posterior of some of the documents."""
        raise NotImplementedError

    def log_prob(self, sets: Any) -> Array:
        """Return log p(set | x), documents by sets, for sets in any form that ``fit`` takes labels in."""
        self._refuse("log_prob")

    def marginals(self) -> Array:
        """Return p(y_l = 1 | x), documents by labels: by default the sum of the size marginals over sizes."""
        return self.size_marginals().marginals

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        """Return p(y_l = 1, |y| = s | x) for every label and size up to ``max_size``; None means all that matter."""
        self._refuse("size_marginals")

    def mode(self, *, non_empty: bool = False) -> MostProbable:
        """Return the most probable set of each document, or the most probable one that is not empty.

        A model that gives probability to the empty set alone returns that one anyway.
        """
        self._refuse("mode")

    def sample(self, n: int, random_state: int) -> sp.csr_array:
        """Draw ``n`` sets per document: rows i n to (i + 1) n - 1 are those of document i."""
        self._refuse("sample")

    def rescaled(self, scale: Scaling, shift: Scaling) -> Posterior:
        """Return the posterior with every label's logit z replaced by scale z + shift: numbers, or one per label."""
        self._refuse("rescaled")

    def independent_labels(self) -> IndependentLabels:
        """Return the logit of every label, from models whose labels are independent given the document."""
        self._refuse("independent_labels")

    def blocks(self, n_per_block: int) -> Iterator[Posterior]:
        """Yield the documents in blocks of at most ``n_per_block``."""
        if self.n_samples <= n_per_block:
            if self.n_samples:
                yield self
            return
        for start in range(0, self.n_samples, n_per_block):
            yield self.take(slice(start, start + n_per_block))

    def scored(self) -> Posterior:
        """Return the posterior with all documents scored, for many questions; unscored where memory is too small."""
        return self

    def _read_sets(self, sets: Any) -> LabelMatrix:
        return LabelMatrix.of(sets, self.classes, called="sets")

    def _refuse(self, ability: str) -> NoReturn:
        raise Incompatible(f"{self.model_name} has no `{ability}`. Hint: {ABILITIES[ability]}")


class LazyPosterior(Posterior):
    """A posterior that scores its documents block by block whenever it is asked.

    It stands in where there are many documents, which most callers take block by block anyway.
    """

    def __init__(
        self,
        score: Callable[[Any], Posterior],
        X: Any,
        n_scores: int,
        classes: tuple[str, ...],
        abilities: frozenset[str],
    ) -> None:
        self._score = score
        self._X = X
        self._n_scores = n_scores  # per document
        self.classes = classes
        self.abilities = abilities
        self.n_samples = X.shape[0]

    @staticmethod
    def unless_small(
        score: Callable[[Any], Posterior],
        X: Any,
        n_scores: int,
        classes: tuple[str, ...],
        abilities: frozenset[str],
    ) -> Posterior:
        """Score the documents now where there are few scores, and later in blocks where there are many."""
        if X.shape[0] * n_scores <= SCORES_AT_ONCE:
            return score(X)
        return LazyPosterior(score, X, n_scores, classes, abilities)

    def take(self, rows: Rows) -> Posterior:
        return LazyPosterior.unless_small(self._score, self._X[rows], self._n_scores, self.classes, self.abilities)

    def log_prob(self, sets: Any) -> Array:
        sets = self._read_sets(sets)
        return np.concatenate([part.log_prob(sets) for part in self._parts()])

    def marginals(self) -> Array:
        return np.concatenate([part.marginals() for part in self._parts()])

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        return SizeMarginals.stacked([part.size_marginals(max_size) for part in self._parts()])

    def mode(self, *, non_empty: bool = False) -> MostProbable:
        return MostProbable.stacked([part.mode(non_empty=non_empty) for part in self._parts()])

    def sample(self, n: int, random_state: int) -> sp.csr_array:
        return sp.csr_array(sp.vstack([part.sample(n, random_state) for part in self._parts()], format="csr"))

    def rescaled(self, scale: Scaling, shift: Scaling) -> Posterior:
        score = self._score
        return LazyPosterior(
            lambda X: score(X).rescaled(scale, shift), self._X, self._n_scores, self.classes, self.abilities
        )

    def independent_labels(self) -> IndependentLabels:
        return IndependentLabels.stacked([part.independent_labels() for part in self._parts()])

    def scored(self) -> Posterior:
        return self._score(self._X) if 0 < self.n_samples * self._n_scores <= MAX_SCORES else self

    def _parts(self) -> Iterator[Posterior]:
        return self.blocks(max(1, SCORES_AT_ONCE // self._n_scores))


def lacking(model: Any, *needed: str) -> list[str]:
    """Return the abilities in ``needed`` that ``model`` lacks."""
    return [name for name in needed if name not in model.abilities]


def require(model: Any, *needed: str, by: str) -> None:
    """Raise ``Incompatible`` unless ``model`` has every ability in ``needed``."""
    missing = lacking(model, *needed)
    if missing:
        listed = " and ".join(f"`{name}`" for name in missing)
        raise Incompatible(f"{by} needs {type(model).__name__} to have {listed}. Hint: {ABILITIES[missing[0]]}")
