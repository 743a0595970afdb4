"""The posterior of a mixture of independent labels: p(y | x) = sum_k pi_k(x) prod_l b_kl(y_l | x), exactly.

BR is the mixture with one component, CBM that with several.
"""

from __future__ import annotations

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import Interval, check_parameters, checked_count
from setwise.labels import IndependentLabels, MostProbable, SizeMarginals, csr_of_ones, require_room
from setwise.models.base import document_generators
from setwise.posterior import Posterior, Rows, Scaling

__all__ = ["IndependentPosterior", "MixturePosterior"]

Array = NDArray[np.float64]

NEGLIGIBLE_TAIL = 1e-15
"""Sizes are left out whose total probability is below this: the rounding error of the others is larger."""


class MixturePosterior(Posterior):
    """Logits of every component and label, and the log-probability of every component, per document.

    Parameters
    ----------
    classes : tuple of str
        The label names.
    logits : array of shape (n_samples, n_components, n_labels)
    log_gate : array of shape (n_samples, n_components)
        Log-probabilities of the components.
    n_jobs : int
        Number of threads.
    max_steps : int
        How many sets the search for the mode lists per document; 0 means as many as the proof takes.
    """

    abilities = frozenset({"log_prob", "marginals", "size_marginals", "mode", "sample", "rescaled"})
    model_name = "BernoulliMixture"

    def __init__(
        self, classes: tuple[str, ...], logits: Array, log_gate: Array, n_jobs: int, max_steps: int = 0
    ) -> None:
        self.classes = classes
        self.n_samples = len(logits)
        self.logits = np.ascontiguousarray(logits)
        self.log_gate = np.ascontiguousarray(log_gate)
        self._n_jobs = n_jobs
        self._max_steps = max_steps

    def take(self, rows: Rows) -> MixturePosterior:
        return self._with(self.logits[rows], self.log_gate[rows])

    def rescaled(self, scale: Scaling, shift: Scaling) -> MixturePosterior:
        return self._with(scale * self.logits + shift, self.log_gate)

    def log_prob(self, sets: object) -> Array:
        return _core.mixture_log_prob(self.logits, self.log_gate, self._read_sets(sets).native, self._n_jobs)

    def marginals(self) -> Array:
        return np.asarray(np.einsum("ik,ikl->il", np.exp(self.log_gate), scipy.special.expit(self.logits)))

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        n_labels = self.logits.shape[2]
        largest = self._largest_size() if max_size is None else max_size
        check_parameters({"max_size": Interval("integer", 1, n_labels)}, {"max_size": largest})
        require_room(n_labels, largest)
        return SizeMarginals(*_core.mixture_size_marginals(self.logits, self.log_gate, largest, self._n_jobs))

    def _largest_size(self) -> int:
        """Return a size that no component exceeds except with a probability of NEGLIGIBLE_TAIL.

        By Bernstein's bound, a sum of independent labels with mean m and variance v exceeds m + t with a probability of
        at most exp(-t^2 / (2 (v + t / 3))); this solves for t.
        """
        chances = scipy.special.expit(self.logits)
        mean, variance = chances.sum(axis=2), (chances * (1.0 - chances)).sum(axis=2)
        log_tail = -np.log(NEGLIGIBLE_TAIL)
        beyond = log_tail / 3.0 + np.sqrt((log_tail / 3.0) ** 2 + 2.0 * variance * log_tail)
        largest = np.where(np.isneginf(self.log_gate), 0.0, mean + beyond).max(initial=1.0)
        return int(min(np.ceil(largest), self.logits.shape[2]))

    def mode(self, *, non_empty: bool = False) -> MostProbable:
        indptr, indices, log_prob, exact = _core.mixture_mode(
            self.logits, self.log_gate, self._max_steps, self._n_jobs, non_empty
        )
        return MostProbable(csr_of_ones(indices, np.diff(indptr), self.logits.shape[2]), log_prob, exact)

    def sample(self, n: int, random_state: int) -> sp.csr_array:
        n = checked_count(n, "n")
        lengths, columns = [], []
        documents = zip(scipy.special.expit(self.logits), np.exp(self.log_gate), strict=True)
        for random, (chances, gate) in zip(document_generators(self.n_samples, random_state), documents, strict=True):
            drawn = self._draw(random, n, chances, gate)
            lengths.append(drawn.sum(axis=1))
            columns.append(np.nonzero(drawn)[1])
        return csr_of_ones(np.concatenate(columns), np.concatenate(lengths), self.logits.shape[2])

    def _draw(self, random: np.random.Generator, n: int, chances: Array, gate: Array) -> NDArray[np.bool_]:
        """Draw ``n`` sets of one document as rows of True and False: first a component, then its labels."""
        component = random.choice(gate.size, size=n, p=gate / gate.sum())
        return np.asarray(random.random((n, chances.shape[1])) < chances[component])

    def _with(self, logits: Array, log_gate: Array) -> MixturePosterior:
        return type(self)(self.classes, logits, log_gate, self._n_jobs, self._max_steps)


class IndependentPosterior(MixturePosterior):
    """A mixture with one component: every label is independent of the others given the document."""

    abilities = MixturePosterior.abilities | {"independent_labels"}
    model_name = "BinaryRelevance"

    @classmethod
    def of_scores(cls, classes: tuple[str, ...], scores: Array, n_jobs: int) -> IndependentPosterior:
        """Build the posterior from the logit of every label, documents by labels."""
        return cls(classes, scores[:, None, :], np.zeros((len(scores), 1)), n_jobs)

    def independent_labels(self) -> IndependentLabels:
        return IndependentLabels(self.logits[:, 0])

    def _draw(self, random: np.random.Generator, n: int, chances: Array, gate: Array) -> NDArray[np.bool_]:
        return np.asarray(random.random((n, chances.shape[1])) < chances[0])
