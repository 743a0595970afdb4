"""The posterior of classifier chains: log-probabilities over a trie of sets, beam search, and samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import checked_count
from setwise.labels import LabelMatrix, MostProbable, csr_of_ones
from setwise.models.base import document_generator
from setwise.posterior import Posterior, Rows

__all__ = ["ChainPosterior", "PlannedChain", "largest_beam"]

MAX_BEAM_SCORES = 2**22
"""Logits of partial sets that beams hold in memory together: documents times beam width times labels."""

Array = NDArray[np.float64]


def largest_beam(beam_width: int, n_labels: int) -> int:
    """Return how many logits the beam of one document stores at most: never more partial sets than there are sets."""
    return n_labels * int(min(beam_width, 2 ** min(n_labels, 64)))


class PlannedChain:
    """The feedback of a chain in the core's layout, with the plan of the sets that were scored last.

    Parameters
    ----------
    feedback : _core.Chain
    """

    def __init__(self, feedback: _core.Chain) -> None:
        self.feedback = feedback
        self._last: tuple[_core.ChainTrie, _core.ChainPlan] | None = None

    def plan(self, trie: _core.ChainTrie) -> _core.ChainPlan:
        """Return the plan for the sets of a trie; predictions ask for the same sets again and again."""
        last = self._last
        if last is None or last[0] is not trie:
            last = self._last = trie, _core.ChainPlan(self.feedback, trie)
        return last[1]


class ChainPosterior(Posterior):
    """The scores of every chain, and its feedback in the core's layout.

    Parameters
    ----------
    classes : tuple of str
        The label names.
    order : array of shape (n_chains, n_labels)
        Label indices in the order of each chain.
    chains : list of PlannedChain
        The feedback of each chain.
    scores : list of arrays of shape (n_samples, n_labels)
        Logits before feedback, one array per chain, labels in the order of the chain.
    beam_width, n_jobs : int
    """

    model_name = "ClassifierChain"
    abilities = frozenset({"log_prob", "mode", "sample"})

    def __init__(
        self,
        classes: tuple[str, ...],
        order: NDArray[np.int32],
        chains: list[PlannedChain],
        scores: list[Array],
        beam_width: int,
        n_jobs: int,
    ) -> None:
        self.classes = classes
        self.n_samples = len(scores[0])
        self._order = order
        self._chains = chains
        self._scores = scores
        self._beam_width = beam_width
        self._n_jobs = n_jobs

    def take(self, rows: Rows) -> ChainPosterior:
        scores = [np.ascontiguousarray(one[rows]) for one in self._scores]
        return ChainPosterior(self.classes, self._order, self._chains, scores, self._beam_width, self._n_jobs)

    def log_prob(self, sets: Any) -> Array:
        label_sets = self._read_sets(sets)
        return _log_mean(
            chain.plan(label_sets.chain_trie(order)).log_prob(scores, self._n_jobs)
            for chain, scores, order in self._parts()
        )

    def mode(self, *, non_empty: bool = False) -> MostProbable:
        """Search the most probable set of each document by beam search.

        The candidates are the sets that the beams of all chains end in; where the empty set is left out, the sets of
        one label too. The best one is proved to be the mode where no other set can be more probable; that is always so
        when ``beam_width`` is at least 2 to the number of labels.
        """
        n_per_block = max(1, MAX_BEAM_SCORES // largest_beam(self._beam_width, len(self.classes)))
        return MostProbable.stacked([block._modes(non_empty) for block in self.blocks(n_per_block)])  # type: ignore[attr-defined]

    def _modes(self, non_empty: bool) -> MostProbable:
        """Search the most probable sets of documents whose beams fit in memory."""
        width = min(self._beam_width, np.iinfo(np.int32).max)
        beams = [_beams(*part, width, self._n_jobs) for part in self._parts()]
        document = np.concatenate([beam[0] for beam in beams])
        sets = sp.csr_array(sp.vstack([beam[1] for beam in beams], format="csr"))
        if non_empty:
            document, sets = _without_empty(document, sets, self.n_samples)
        by_document = np.argsort(document, kind="stable")
        document = np.ascontiguousarray(document[by_document])
        sets = sets[by_document]
        candidates = LabelMatrix(self.classes, sets).native
        log_prob = _log_mean(
            chain.feedback.log_prob_each(scores, candidates.permuted(order), document, self._n_jobs)
            for chain, scores, order in self._parts()
        )
        best = _best_of_each(document, sets, log_prob)
        # A set in no beam began, in every chain, with a pruned partial set: in chain m its probability is at most the
        # largest one pruned there, and overall at most the mean of these.
        bound = _log_mean(beam[2] for beam in beams)
        return MostProbable(sets[best], log_prob[best], log_prob[best] >= bound)

    def sample(self, n: int, random_state: int) -> sp.csr_array:
        """Draw ``n`` sets per document, label by label along the chain; of several chains, each set draws one first.

        Rows i n to (i + 1) n - 1 are those of document i. The first of them do not depend on ``n``.
        """
        n, n_labels, n_chains = checked_count(n, "n"), len(self.classes), len(self._chains)
        uniform = document_generator(random_state).random((n, n_labels + (n_chains > 1)))
        if n_chains == 1:
            picked = np.zeros(n, dtype=np.int32)
        else:
            picked = (uniform[:, 0] * n_chains).astype(np.int32)
            uniform = np.ascontiguousarray(uniform[:, 1:])
        feedback = [chain.feedback for chain in self._chains]
        indptr, labels = _core.chain_samples(feedback, self._order, self._scores, picked, uniform, self._n_jobs)
        return csr_of_ones(labels, np.diff(indptr), n_labels)

    def _parts(self) -> Iterable[tuple[PlannedChain, Array, NDArray[np.int32]]]:
        return zip(self._chains, self._scores, self._order, strict=True)


def _log_mean(log_probs: Iterable[Array]) -> Array:
    """Return the log of the mean of probabilities; of a single array, the array itself."""
    total, n = None, 0
    for log_prob in log_probs:
        total = log_prob if total is None else np.logaddexp(total, log_prob)
        n += 1
    return np.asarray(total if n == 1 else total - np.log(n))


def _beams(
    chain: PlannedChain, scores: Array, order: NDArray[np.int32], width: int, n_jobs: int
) -> tuple[NDArray[np.int32], sp.csr_array, Array]:
    """Return the sets that a chain's beams end in, the document of each, and each document's best pruned log p."""
    first, indptr, positions, pruned = chain.feedback.beams(scores, width, n_jobs)
    document = np.repeat(np.arange(len(scores), dtype=np.int32), np.diff(first))
    sets = csr_of_ones(order[positions], np.diff(indptr), len(order))
    sets.sort_indices()
    return document, sets, pruned


def _without_empty(
    document: NDArray[np.int32], sets: sp.csr_array, n_documents: int
) -> tuple[NDArray[np.int32], sp.csr_array]:
    """Return the candidates without the empty sets, and with every set of one label for every document."""
    stays, n_labels = np.diff(sets.indptr) > 0, sets.shape[1]
    labels = np.tile(np.arange(n_labels), n_documents)
    singles = csr_of_ones(labels, np.ones(labels.size, dtype=np.int64), n_labels)
    documents = np.repeat(np.arange(n_documents, dtype=np.int32), n_labels)
    return np.concatenate([document[stays], documents]), sp.csr_array(sp.vstack([sets[stays], singles], format="csr"))


def _best_of_each(document: NDArray[np.int32], sets: sp.csr_array, log_prob: Array) -> NDArray[np.intp]:
    """Return the most probable set of each document, ties broken by the labels in order; documents are sorted."""
    starts = np.flatnonzero(np.diff(document, prepend=-1))
    most = np.maximum.reduceat(log_prob, starts)
    tied = np.flatnonzero(log_prob == most[document])
    best = tied[np.flatnonzero(np.diff(document[tied], prepend=-1))]
    if tied.size == best.size:
        return best
    # As bytes, the most significant first, sets compare label by label, and fast: all sets of a wide beam may tie.
    labels, ends = sets.indices.astype(">u4").tobytes(), (sets.indptr.astype(np.int64) * 4).tolist()
    for other in np.setdiff1d(tied, best).tolist():
        i = document[other]
        best[i] = min(int(best[i]), other, key=lambda row: labels[ends[row] : ends[row + 1]])
    return best
