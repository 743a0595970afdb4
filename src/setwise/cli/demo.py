"""The demo: made-up documents, one elastic-net model a label, and what they predict for documents held out."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import scipy.sparse as sp
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfVectorizer

from setwise.cli.demo_corpus import TOPICS, make_corpus
from setwise.labels import LabelMatrix, Support
from setwise.learners import LabelFits, fit_labels
from setwise.metrics import instance_f1

__all__ = ["run_demo"]

STRENGTHS = (1e-3, 3e-4, 1e-4)
L1_RATIO = 0.5
HELD_OUT = 0.2
N_SHOWN = 6


@dataclass(frozen=True)
class Trial:
    """One strength: the fit, how long it took, and what it predicts for the documents held out."""

    strength: float
    seconds: float
    fits: LabelFits
    predicted: LabelMatrix
    f1: float


def run_demo(console: Console, *, n_documents: int, seed: int) -> None:
    """Make the corpus, fit it at each strength, and print how well each does."""
    corpus = make_corpus(n_documents, seed)
    n_train = round(n_documents * (1 - HELD_OUT))
    vectoriser = TfidfVectorizer()
    X_train, X_test = vectoriser.fit_transform(corpus.texts[:n_train]), vectoriser.transform(corpus.texts[n_train:])
    Y_train = LabelMatrix.of(corpus.labels[:n_train], TOPICS)
    Y_test = LabelMatrix.of(corpus.labels[n_train:], TOPICS)
    console.print(
        f"{n_documents} made-up documents, {n_documents - n_train} of them held out: {X_train.shape[1]} words, "
        f"{Y_train.n_labels} labels, {Support.of(Y_train).n_sets} distinct label sets in training."
    )

    trials = [_try_strength(strength, X_train, Y_train, X_test, Y_test) for strength in STRENGTHS]
    console.print(_trial_table(trials))
    weakest = trials[-1]  # not the best of the three: documents held out choose nothing
    console.print(f"The first {N_SHOWN} documents held out, at strength {weakest.strength:g}:")
    console.print(_prediction_table(Y_test, weakest.predicted))


def _try_strength(
    strength: float, X_train: sp.csr_matrix, Y_train: LabelMatrix, X_test: sp.csr_matrix, Y_test: LabelMatrix
) -> Trial:
    start = perf_counter()
    fits = fit_labels(X_train, Y_train.indicator, strength=strength, l1_ratio=L1_RATIO)
    seconds = perf_counter() - start
    predicted = Y_test.with_indicator(fits.scores(X_test) > 0)
    return Trial(strength, seconds, fits, predicted, instance_f1(Y_test, predicted))


def _trial_table(trials: list[Trial]) -> Table:
    table = Table("strength", "seconds", "non-zero weights", "largest violation", "instance F1 %")
    for column in table.columns:
        column.justify = "right"
    for trial in trials:
        table.add_row(
            f"{trial.strength:g}",
            f"{trial.seconds:.3f}",
            f"{trial.fits.coef.nnz:,}",
            f"{trial.fits.violation.max():.1e}",
            f"{100 * trial.f1:.1f}",
        )
    return table


def _prediction_table(true: LabelMatrix, predicted: LabelMatrix) -> Table:
    table = Table("true labels", "predicted labels")
    for names in list(zip(true.name_lists(), predicted.name_lists(), strict=True))[:N_SHOWN]:
        table.add_row(*(", ".join(labels) or "(none)" for labels in names))
    return table
