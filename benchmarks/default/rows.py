"""The rows of the comparison: the baseline and the rival, tuned, and the default compared with both."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.default import DefaultEffort, sklearn_baseline
from benchmarks.default.sklearn_baseline import BASELINE, RIVAL, Candidate, Rival, has_texts
from benchmarks.harness.corpora import Difference, Part, Parts, paired_difference
from benchmarks.harness.rows import Row
from benchmarks.harness.timing import Skipped, Timed, measure_cores, on_cores, remarks
from benchmarks.harness.trained import store_default
from setwise import SetClassifier
from setwise.labels import LabelMatrix
from setwise.metrics import Overlap

SETWISE = "SetClassifier()"
THOROUGH = 'SetClassifier(budget="thorough")'

GOALS = {
    "bibtex": 51.5,
    "rcv1sub1": 81.8,
    "medical_raw": 87.0,
    "ohsumed_raw": 73.0,
    "tmc2007_500": 64.2,
    "enron_raw": 62.5,
    "reuters21578": 93.0,
    "goemotions": 59.0,
    "es_codiesp": 79.0,
}
"""Test F1 that the thorough budget was to reach, set before the first run."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Trained(Timed):
    """The result of a timed training."""

    result: Any

    @property
    def cpu(self) -> float:
        """Seconds of processor time."""
        return self.seconds * self.cores


def rival_rows(rival: Rival, parts: Parts, effort: DefaultEffort) -> Iterator[Row]:
    """Tune a rival, test it once, and store its F1 of every document."""
    row, f1 = evaluate(rival, parts, effort)
    if effort.stored_f1 is not None:
        write_f1(f1_file(effort.stored_f1, rival, parts), f1)
    yield row


def evaluate(rival: Rival, parts: Parts, effort: DefaultEffort) -> tuple[Row, Array]:
    """Tune a rival and return its row and its F1 of every test document."""
    train = parts.train().first(effort.n_documents)
    start = sklearn_baseline.START if effort.c_steps is None else effort.c_steps

    def tune_and_fit() -> tuple[list[Candidate], Any]:
        candidates = sklearn_baseline.tune(train, rival, start)
        return candidates, sklearn_baseline.fit(train, candidates[0].setting)

    trained = train_on_one_core(tune_and_fit)
    candidates, model = trained.result
    best = candidates[0]
    # The test documents are read only now, after everything has been chosen.
    test = parts.test(train).first(effort.n_documents)
    f1 = f1_by_document(test.y, best.sets(model.predict_proba(test.X)))
    values = {
        "C": best.setting.C,
        "threshold": None if best.per_label else float(best.thresholds),
        "validation": 100 * best.f1,
        "per label": 100 * next(each.f1 for each in candidates if each.per_label),
        "F1": 100 * float(f1.mean()),
        "cpu": trained.cpu,
        "seconds": trained.seconds,
    }
    summary = f"{describe(best, has_texts(train))}; best of {len({each.setting for each in candidates})} fits"
    note = "; ".join(filter(None, [summary, remarks(trained)]))
    return Row(rival.section, parts.name, shape_of(train), rival.entry, values, note=note), f1


def default_rows(parts: Parts, effort: DefaultEffort) -> Iterator[Row]:
    """Compare the default with both rivals on the same documents, with intervals of the differences."""
    baseline, theirs = (stored_f1(rival, parts, effort) for rival in (BASELINE, RIVAL))
    train = parts.train().first(effort.n_documents)
    trained = train_on_one_core(lambda: SetClassifier().fit(train.X, train.y))
    store_default(trained.result, parts, effort.models)
    test = parts.test(train).first(effort.n_documents)
    ours = f1_by_document(test.y, trained.result.predict(test.X))
    for rival, f1 in ((BASELINE, baseline), (RIVAL, theirs)):
        if ours.size != f1.size:
            raise Skipped(
                f"the stored {rival.section} has {f1.size:,} documents, the test part {ours.size:,}: measure the "
                f"section {rival.section} again"
            )
    gain = paired_difference(100 * ours, 100 * theirs, effort.n_resamples)
    over_baseline = paired_difference(100 * ours, 100 * baseline, effort.n_resamples)
    values: dict[str, float | None] = {
        "F1": 100 * float(ours.mean()),
        "rival": 100 * float(theirs.mean()),
        "gain": gain.mean,
        "low": gain.low,
        "high": gain.high,
        "baseline": 100 * float(baseline.mean()),
        "over baseline": over_baseline.mean,
        "cpu": trained.cpu,
        "seconds": trained.seconds,
    }
    interval = f"over baseline {over_baseline.low:+.2f} to {over_baseline.high:+.2f}"
    note = "; ".join(filter(None, [chosen_by(trained.result), interval, remarks(trained)]))
    yield Row("default", parts.name, shape_of(train), SETWISE, values, verdict_on(gain), note)


def thorough_rows(parts: Parts, effort: DefaultEffort) -> Iterator[Row]:
    """Train with the thorough budget, and test once; an interrupted training goes on where it was."""
    train = parts.train().first(effort.n_documents)
    file = None
    if effort.checkpoints is not None:
        effort.checkpoints.mkdir(parents=True, exist_ok=True)
        file = effort.checkpoints / f"{parts.name}.jsonl"
    classifier = SetClassifier(budget="thorough", checkpoint=file)
    trained = train_on_one_core(lambda: classifier.fit(train.X, train.y))
    test = parts.test(train).first(effort.n_documents)
    f1 = 100 * float(f1_by_document(test.y, classifier.predict(test.X)).mean())
    result, goal = classifier.tuning_, GOALS.get(parts.name)
    assert result is not None
    values = {"F1": f1, "goal": goal, "validation": 100 * result.value, "cpu": trained.cpu, "seconds": trained.seconds}
    verdict = "" if goal is None else "yes" if f1 >= goal else f"no: {goal - f1:.2f} below"
    note = "; ".join(filter(None, [chosen_by(classifier), remarks(trained)]))
    yield Row("thorough", parts.name, shape_of(train), THOROUGH, values, verdict, note)


def chosen_by(classifier: SetClassifier) -> str:
    """Return what tuning chose, and what every stage scored and took, as the tables show it."""
    result = classifier.tuning_
    assert result is not None
    stages = [f"{one.name} {100 * one.value:.1f} ({one.seconds:.0f} s)" for one in result.model_trials]
    chosen = " of ".join(filter(None, [result.model_name, result.feature_set]))
    return f"{chosen}, of the stages {', '.join(stages)}"


def train_on_one_core(train: Callable[[], Any]) -> Trained:
    """Time a training on one core."""

    def timed() -> Trained:
        start = perf_counter()
        result = train()
        return Trained(perf_counter() - start, result)

    with on_cores(1):
        return measure_cores(timed)


def verdict_on(difference: Difference) -> str:
    """Return whether setwise is at or above the rival; where the interval contains zero, the sign decides."""
    if difference.low > 0:
        return "yes: significantly above"
    if difference.high < 0:
        return "no: significantly below"
    if difference.mean >= 0:
        return "yes: not significant"
    return f"no: {-difference.mean:.2f} lower, not significant"


def stored_f1(rival: Rival, parts: Parts, effort: DefaultEffort) -> Array:
    """Return a rival's F1 of every test document, stored or tuned now; raise ``Skipped`` where it is missing."""
    if effort.stored_f1 is None:
        return evaluate(rival, parts, effort)[1]
    file = f1_file(effort.stored_f1, rival, parts)
    if not file.exists():
        raise Skipped(f"the {rival.section} is not stored yet: measure the section {rival.section} first")
    return read_f1(file)


def f1_file(folder: Path, rival: Rival, parts: Parts) -> Path:
    """Return the file with a rival's F1 on a corpus."""
    return folder / f"{rival.section}_f1" / f"{parts.name}.txt.gz"


def write_f1(path: Path, f1: Array) -> None:
    """Write one number per line; the same numbers give the same bytes, because no time is stored."""
    lines = "".join(f"{value:.6f}\n" for value in f1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(lines.encode("ascii"), mtime=0))


def read_f1(path: Path) -> Array:
    """Read the numbers that ``write_f1`` wrote."""
    return np.array(gzip.decompress(path.read_bytes()).split(), dtype=np.float64)


def f1_by_document(truth: sp.csr_array, sets: Any) -> Array:
    """Return the F1 of every document."""
    return Overlap.by_document(LabelMatrix.of(truth), LabelMatrix.of(sets)).f1


def shape_of(train: Part) -> str:
    """Return the size of the train part as the tables show it."""
    return f"{train.X.shape[0]:,} documents, {train.y.shape[1]} labels"


def describe(candidate: Candidate, texts: bool) -> str:
    """Return a candidate as the tables show it."""
    setting = candidate.setting
    features = {1: ["words"], 2: ["words and pairs"]}[setting.n_words] if texts else []
    thresholds = "one threshold per label" if candidate.per_label else "one threshold"
    rule = [thresholds, "at least one label"] if candidate.at_least_one else [thresholds]
    return ", ".join([*features, setting.loss, setting.penalty, *rule])
