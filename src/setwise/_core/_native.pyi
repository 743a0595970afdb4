"""What the compiled module offers. It checks shapes and index ranges; values are the caller's to check."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_U8 = NDArray[np.uint8]
_U32 = NDArray[np.uint32]
_I32 = NDArray[np.int32]
_I64 = NDArray[np.int64]
_F32 = NDArray[np.float32]
_F64 = NDArray[np.float64]

class Features:
    """A matrix by columns and by rows; give values in one precision, or none when all are 1.

    ``caller_order[p]`` is the place here of the caller's column p: weights go in and out in the caller's order.
    """

    def __init__(
        self,
        n_rows: int,
        n_cols: int,
        indptr: _I64,
        indices: _I32,
        row_indptr: _I64,
        row_indices: _I32,
        peak: _F64,
        caller_order: _I32,
        values32: _F32 | None = None,
        row_values32: _F32 | None = None,
        values64: _F64 | None = None,
        row_values64: _F64 | None = None,
    ) -> None: ...

class LabelSets:
    """Label sets in the layout that every function below reads, checked once.

    Set ``s`` has the labels ``indices[indptr[s]:indptr[s + 1]]``, which must lie in ``range(n_labels)`` and strictly
    rise. The arrays are copied.
    """

    def __init__(self, n_labels: int, indptr: _I64, indices: _I32) -> None: ...
    @property
    def n_sets(self) -> int: ...
    @property
    def n_labels(self) -> int: ...
    @property
    def largest_size(self) -> int: ...
    def permuted(self, order: _I32) -> LabelSets:
        """Return the same sets with label ``order[p]`` renumbered ``p``."""

class StepMemory:
    """The last steps of a quasi-Newton method, and what the gradient did along them."""

    def __init__(self, size: int, capacity: int, n_threads: int) -> None: ...
    @property
    def empty(self) -> bool: ...
    def clear(self) -> None: ...
    def remember(self, before: _F64, after: _F64, gradient_before: _F64, gradient_after: _F64, least: float) -> bool:
        """Keep a step whose curvature is above ``least`` times the square of the gradient's change."""

    def direction(self, gradient: _F64) -> _F64:
        """Minus the inverse curvature times the gradient."""

class Targets:
    """The non-zero targets of each label, document weights that sum to one, and offsets by label.

    With ``column_limit``, label l may use only the first ``column_limit[l]`` columns in the caller's order. ``loss`` is
    "logistic" or "squared_hinge", whose targets are 0 and 1 alone.
    """

    def __init__(
        self,
        n_rows: int,
        indptr: _I64,
        indices: _I32,
        values: _F64,
        weight: _F64,
        offset: _F64 | None = None,
        column_limit: _I32 | None = None,
        loss: str = "logistic",
    ) -> None: ...

def null_models(features: Features, targets: Targets, n_threads: int) -> tuple[_F64, _F64]:
    """For each label: the best intercept without features, and the largest gradient of a feature there."""

def fit_binary(
    features: Features,
    targets: Targets,
    start_indptr: _I64,
    start_indices: _I32,
    start_values: _F64,
    start_intercept: _F64,
    strength: float,
    l1_ratio: float,
    tol: _F64,
    max_iter: int,
    n_threads: int,
    path: _F64,
    first_iteration: int = 0,
    dense: list[_F64] = [],
    strength_factor: _F64 | None = None,
) -> list[tuple[_I64, _I32, _F64, _F64, _F64, _F64, _I32, dict[str, NDArray[Any]]]]:
    """Weights by label (indptr, indices, values), intercept, violation, objective, iterations, history columns.

    One of these for each strength of ``path``, then one for ``strength``. Without an L1 part the weights go into the
    arrays of ``dense``, labels by features and one a strength, where these are given.
    """

def fit_multinomial(
    features: Features,
    y: _F64,
    weight: _F64,
    offset: _F64 | None,
    start_weights: _F64,
    start_intercept: _F64,
    strength: float,
    l1_ratio: float,
    tol: float,
    max_iter: int,
    first_iteration: int = 0,
    max_sweeps: int = 1000,
    shifts: bool = True,
) -> tuple[_F64, _F64, float, float, int, dict[str, NDArray[Any]]]:
    """Weights (features by classes, flat), intercepts, violation, objective, iterations, history columns."""

def support_likelihood(
    features: Features,
    sets: LabelSets,
    set_scores: _F64,
    set_of: _I32,
    weights: _F64,
    intercept: _F64,
    n_threads: int,
) -> tuple[float, _F64, _F64, _F64]:
    """Return the mean loss of a random field over sets, and its gradient by weights, intercept and set scores.

    ``set_scores`` has one score per set, ``set_of`` the set of each document.

    ``weights`` are features, in the order of the core's columns, by labels, whose number is padded with zeros to a
    multiple of 8.
    """

def support_sums(scores: _F64, sets: LabelSets, bias: _F64, n_threads: int) -> tuple[_F64, _I32, _F64]:
    """For each document: log of the partition function, the most probable set, the probability of each label."""

def mixture_log_prob(logits: _F64, log_gate: _F64, sets: LabelSets, n_threads: int) -> _F64:
    """log p(set | x), documents by sets, of a mixture of independent labels.

    ``logits`` are documents by components by labels, finite; ``log_gate`` documents by components, -inf where a
    component has no part.
    """

def mixture_size_marginals(logits: _F64, log_gate: _F64, max_size: int, n_threads: int) -> tuple[_F64, _F64]:
    """p(y_l = 1, |y| = s | x) as documents by labels by sizes 1 to ``max_size``, and p(y = 0 | x)."""

def mixture_mode(
    logits: _F64, log_gate: _F64, max_steps: int, n_threads: int, non_empty: bool = False
) -> tuple[_I64, _I32, _F64, NDArray[np.bool_]]:
    """The most probable set of each document (indptr, indices), its log probability, and whether that is proved.

    A document's search lists at most ``max_steps`` sets; 0 sets no limit. ``non_empty`` leaves out the empty set.
    """

def own_log_prob(
    features: Features,
    sets: LabelSets,
    weights: _F64,
    intercept: _F64,
    n_threads: int,
) -> _F64:
    """log p(set i | x_i) of each document i under independent labels; ``weights`` are as in ``support_likelihood``."""

class ChainTrie:
    """Label sets as a trie over a chain, built once; ``order`` has the labels in the order of the chain."""

    def __init__(self, sets: LabelSets, order: _I32) -> None: ...
    @property
    def n_sets(self) -> int: ...
    @property
    def n_labels(self) -> int: ...

class Chain:
    """The label feedback of a chain by giver: labels are numbered by their place, and speak to those after them."""

    def __init__(self, indptr: _I64, indices: _I32, values: _F64) -> None: ...
    def log_prob_each(self, scores: _F64, sets: LabelSets, document: _I32, n_threads: int) -> _F64:
        """Return log p of each set for the row of scores that ``document`` names; labels of ``sets`` are places."""

    def beams(self, scores: _F64, width: int, n_threads: int) -> tuple[_I64, _I64, _I32, _F64]:
        """Where the sets of each row of scores start, the sets (indptr, indices), and the best log p given up."""

class ChainPlan:
    """What scoring the sets of a trie needs to know of a chain, computed once."""

    def __init__(self, chain: Chain, trie: ChainTrie) -> None: ...
    def log_prob(self, scores: _F64, n_threads: int) -> _F64:
        """Return log p of every set for every row of scores, rows by sets; columns of scores follow the chain."""

def chain_samples(
    chains: list[Chain], orders: _I32, scores: list[_F64], picked: _I32, uniform: _F64, n_threads: int
) -> tuple[_I64, _I32]:
    """Sets (indptr, indices) drawn for each document, one per row of ``uniform``, which all documents share.

    Each chain has a row of ``orders``, the label at each place, and scores, documents by places. ``picked`` names the
    chain that draws each row.
    """

class LinearWeights:
    """Weights of linear models by feature, from the rows of W, in any order within a row."""

    def __init__(self, indptr: _I64, indices: _I32, values: _F64, intercept: _F64, n_features: int) -> None: ...
    def scores(self, indptr: _I64, indices: _I32, values: _F32 | _F64) -> _F64:
        """X @ W.T + intercept, documents by labels, from the rows of X, in any order within a row."""

class CharacterTable:
    """What the tokenizer knows of characters, one entry per row: code points below 0x40000, then 0xE0000 to 0xE0FFF.

    The last row stands for all others, which stay as they are unless it expands.

    Row r becomes the code point ``mapped[r]``, or, where that is ``-1 - e``, the code points
    ``expansions[ends[e - 1]:ends[e]]``. ``sigma_context`` is 1 for cased characters and 2 for those that are ignored
    when the case of neighbors matters; if it is empty, no capital sigma becomes a final sigma.
    """

    def __init__(
        self,
        word: _U8,
        space: _U8,
        mark: _U8,
        unspaced: _U8,
        mapped: _I32,
        expansions: _U32,
        ends: _I64,
        sigma_context: _U8,
    ) -> None: ...

class Vocabulary:
    """The terms that are columns: ``n_words`` word n-grams, then character n-grams. Everything is checked."""

    def __init__(self, bytes: _U8, ends: _I64, n_words: int) -> None: ...
    @property
    def shortest_words(self) -> int: ...
    @property
    def longest_words(self) -> int: ...
    @property
    def longest_chars(self) -> int: ...

class TextAnalyzer:
    """How texts become terms: lengths of word n-grams and of character n-grams, at least one of the two."""

    def __init__(
        self,
        table: CharacterTable,
        unicode_rule: bool,
        words: tuple[int, int] | None,
        chars: tuple[int, int] | None,
        stop_words: Vocabulary | None,
    ) -> None: ...

class TermCounts:
    """The terms of the training texts; ``kept`` has one flag per selected term."""

    def __init__(self, analyzer: TextAnalyzer, texts: tuple[str, ...], n_threads: int) -> None: ...
    def select(self, low: float, high: float, n_threads: int) -> None:
        """Select the terms that ``low`` to ``high`` texts have, and sort them: words, then character n-grams."""
    @property
    def n_words(self) -> int: ...
    def document_frequency(self) -> _I64: ...
    def totals(self) -> _I64: ...
    def packed(self, kept: _U8) -> tuple[_U8, _I64]:
        """Return the bytes of the terms, and where each ends."""
    def tfidf(self, kept: _U8, idf: _F32, frequencies: _F32, n_threads: int) -> tuple[_I64, _I32, _F32]:
        """Return indptr, indices and values of the training texts."""

def tfidf(
    analyzer: TextAnalyzer, vocabulary: Vocabulary, idf: _F32, frequencies: _F32, texts: tuple[str, ...], n_threads: int
) -> tuple[tuple[_I64, _I32, _F32], _F64]:
    """Return indptr, indices and values, and the coverage of each text.

    ``frequencies`` has the term frequencies of the counts 1, 2, ...; if it is empty, they are the counts.
    """

def term_spans(analyzer: TextAnalyzer, vocabulary: Vocabulary, text: str) -> tuple[_I32, _I64, _I64]:
    """Return column, begin and end of each term of the vocabulary in a text, in the order of the text."""

def count_scripts(table: CharacterTable, texts: tuple[str, ...]) -> tuple[int, int]:
    """Return how many word characters are of unspaced scripts, and how many there are."""

def adam_step(
    parameter: _F32 | _F64,
    gradient: _F32 | _F64,
    mean: _F32 | _F64,
    square: _F32 | _F64,
    decay_of_mean: float,
    decay_of_square: float,
    rate: float,
    root: float,
    least_root: float,
) -> None:
    """Move flat parameters, and the running means of their gradients and of the squares of these, all in place.

    The arrays have one precision. ``rate`` and ``root`` undo the bias of the means towards their start at zero.
    """

def are_strings(objects: tuple[Any, ...]) -> bool:
    """Whether all objects are strings."""

def some_contain(texts: tuple[str, ...], character: int) -> bool:
    """Whether a text has the character of this code point."""

def softmax_rows(scores: _F64, n_threads: int) -> None:
    """Turn each row of scores, the log of anything proportional to them, into probabilities in place."""

def size_marginals_of_sets(probability: _F64, sets: LabelSets, n_sizes: int, n_threads: int) -> tuple[_F64, _F64]:
    """p(y_l = 1, |y| = s), documents by labels by sizes, and p(y = 0), from documents by sets."""

def maximize_expected_f(joint: _F64, empty: _F64, beta: float, n_threads: int) -> tuple[_I64, _I32, _F64]:
    """The label set of highest expected F of each document (indptr, indices), and that expectation."""

def maximize_expected_f_over_sets(
    probability: _F64, sets: LabelSets, beta: float, n_threads: int
) -> tuple[_I64, _I32, _F64]:
    """The same from the probabilities of given sets, documents by sets."""

def calibrated_softmax(scores: _F64, scale: float, bias: _F64, n_threads: int) -> _F64:
    """Softmax of scale * score + bias, documents by sets; a score of minus infinity has probability 0."""

def maximize_expected_f_over_scores(
    scores: _F64, scale: float, bias: _F64, sets: LabelSets, beta: float, n_threads: int
) -> tuple[_I64, _I32, _F64]:
    """The same from scores of given sets, with the bits of ``calibrated_softmax`` and the function above."""

def maximize_expected_f_over_logits(
    logits: _F64, scale: float, bias: _F64, sets: LabelSets, beta: float, n_threads: int
) -> tuple[_I64, _I32, _F64]:
    """The same where the score of a set is the sum of its labels' logits, documents by labels."""

def maximize_expected_f_independent(
    logits: _F64, excludes_empty: bool, beta: float, n_threads: int
) -> tuple[_I64, _I32, _F64]:
    """The label set of highest expected F for independent labels, documents by labels, and that expectation.

    ``excludes_empty``: the set is known to have a label.
    """

def expected_f_independent(logits: _F64, excludes_empty: bool, sets: LabelSets, beta: float, n_threads: int) -> _F64:
    """The expected F of one given set per document for independent labels."""

def maximize_expected_jaccard_independent(
    logits: _F64, excludes_empty: bool, n_threads: int
) -> tuple[_I64, _I32, _F64]:
    """The label set of highest expected Jaccard index for independent labels, and that expectation."""

def uses_avx2() -> bool:
    """Whether this machine runs the AVX2 paths."""
