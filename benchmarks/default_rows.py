"""The rows of the comparison: the rival as it was tuned, and the default beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks import sklearn_baseline
from benchmarks.default_effort import DefaultEffort
from benchmarks.peers import Refused
from benchmarks.rows import Row
from benchmarks.stored_f1 import read_f1, write_f1
from benchmarks.timed import Timed
from benchmarks.timing import on_cores, remarks, with_cores
from setwise.classifier import SetClassifier
from setwise.experiments.corpora import Part, Parts
from setwise.experiments.differences import Difference, paired_difference
from setwise.labels import LabelMatrix
from setwise.metrics.overlap import Overlap

RIVAL = "careful scikit-learn"
DEFAULT = "SetClassifier()"

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Trained(Timed):
    result: Any


def rival_rows(parts: Parts, effort: DefaultEffort) -> Iterator[Row]:
    """Tune the rival, test it once, and keep what it came to for each document."""
    row, f1 = rival_result(parts, effort)
    if effort.kept is not None:
        write_f1(kept_file(effort.kept, parts), f1)
    yield row


def rival_result(parts: Parts, effort: DefaultEffort) -> tuple[Row, Array]:
    train = parts.train().first(effort.n_documents)
    steps = sklearn_baseline.START if effort.steps is None else effort.steps

    def fit() -> tuple[list[sklearn_baseline.Choice], Any]:
        found = sklearn_baseline.tuned(train, steps)
        return found, sklearn_baseline.one_vs_rest(train.X, train.y, found[0].cell)

    fitted = trained(fit)
    found, model = fitted.result
    choice = found[0]
    # Only now, with everything settled, are test documents read.
    test = parts.test(train).first(effort.n_documents)
    f1 = f1_by_document(test.y, choice.sets(model.predict_proba(test.X)))
    values = {
        "C": choice.cell.C,
        "threshold": None if choice.per_label else float(choice.levels),
        "validation": 100 * choice.f1,
        "per label": 100 * next(each.f1 for each in found if each.per_label),
        "F1": 100 * float(f1.mean()),
        "seconds": fitted.seconds,
    }
    words = f"{in_words(choice)}; best of {len({each.cell for each in found})} fits"
    note = "; ".join(filter(None, [words, remarks(fitted)]))
    return Row("rival", parts.name, setting(train), RIVAL, values, note=note), f1


def default_rows(parts: Parts, effort: DefaultEffort) -> Iterator[Row]:
    """Set the default beside the rival, on the same documents, with an interval of the difference."""
    theirs = rival_f1(parts, effort)
    train = parts.train().first(effort.n_documents)
    fitted = trained(lambda: SetClassifier().fit(train.X, train.y))
    test = parts.test(train).first(effort.n_documents)
    ours = f1_by_document(test.y, fitted.result.predict(test.X))
    if ours.size != theirs.size:
        raise Refused(f"the rival's file is about {theirs.size:,} documents, not {ours.size:,}: tune it again")
    difference = paired_difference(100 * ours, 100 * theirs, effort.n_resamples)
    values: dict[str, float | None] = {
        "rival": 100 * float(theirs.mean()),
        "F1": 100 * float(ours.mean()),
        "gain": difference.mean,
        "low": difference.low,
        "high": difference.high,
        "seconds": fitted.seconds,
    }
    yield Row("default", parts.name, setting(train), DEFAULT, values, verdict_on(difference), remarks(fitted))


def trained(fit: Callable[[], Any]) -> Trained:
    """Call on one core, and time it."""

    def timed() -> Trained:
        start = perf_counter()
        result = fit()
        return Trained(perf_counter() - start, result)

    with on_cores(1):
        return with_cores(timed)


def verdict_on(difference: Difference) -> str:
    """Say whether ours is at or above the rival; where the interval holds zero, the sign alone decides."""
    if difference.low > 0:
        return "yes: significantly above"
    if difference.high < 0:
        return "no: significantly below"
    return "yes: at" if difference.mean >= 0 else f"no: at, yet {-difference.mean:.2f} lower"


def rival_f1(parts: Parts, effort: DefaultEffort) -> Array:
    """Give the rival's F1 of each test document, from its file where there is one."""
    if effort.kept is None:
        return rival_result(parts, effort)[1]
    file = kept_file(effort.kept, parts)
    if not file.exists():
        raise Refused("the rival is not tuned yet: measure the section rival first")
    return read_f1(file)


def kept_file(folder: Path, parts: Parts) -> Path:
    return folder / f"{parts.name}.txt.gz"


def f1_by_document(truth: sp.csr_array, sets: Any) -> Array:
    return Overlap.by_document(LabelMatrix.of(truth), LabelMatrix.of(sets)).f1


def setting(train: Part) -> str:
    return f"{train.X.shape[0]:,} documents, {train.y.shape[1]} labels"


def in_words(choice: sklearn_baseline.Choice) -> str:
    levels = "a threshold for each label" if choice.per_label else "one threshold"
    return f"{choice.cell.penalty}, {levels}" + (", at least one label" if choice.at_least_one else "")
