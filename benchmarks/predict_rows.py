"""The rows of the benchmark of prediction: beside scikit-learn, growth, memory, and sets that training never saw."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from benchmarks.memory import probe
from benchmarks.peers import Refused
from benchmarks.predict_effort import PredictEffort
from benchmarks.prediction import SharedRelevance, with_made_weights
from benchmarks.problem import Problem
from benchmarks.rows import Row
from benchmarks.scaling import best_fits
from benchmarks.timed import Timed
from benchmarks.timing import on_cores, remarks
from setwise.classifier import SetClassifier
from setwise.models import BinaryRelevance

OURS = "BR, support + GFM"
PEER = "scikit-learn's probabilities"
LEAST_RATIO = 1.0  # of scikit-learn's seconds by ours
AIM = 5.0  # for the same, noted where it is reached or not
SAME_PROBABILITY = 1e-6

PARTS = (16, 4, 1)  # a sixteenth, a quarter, the whole
LINEAR = 1.25  # times as much as in proportion still counts as linear

ALLOWED_MB = 1000.0
MORE_MB = 10.0  # that four times the documents may need beyond the result

UNSEEN = {"strength": 3e-4, "l1_ratio": 0.5}
THRESHOLD = "tuned threshold, at least one label"
PAPER: dict[str, Any] = {"inference": "support", "decision": "gfm", "calibration": None}

WAYS: dict[str, tuple[dict[str, Any], bool]] = {  # to predict, and whether there is a goal
    THRESHOLD: (
        {"inference": "exact", "decision": "threshold", "threshold": "tuned", "at_least_one": True},
        False,
    ),
    "support + GFM": ({"inference": "support"}, False),
    "exact + GFM": ({"inference": "exact"}, True),
    "exact + GFM, calibrated": ({"inference": "exact", "calibration": "likelihood"}, False),
    "tuned blend + GFM": ({"inference": "blend", "blend": "tuned"}, True),
}


def setting(problem: Problem) -> str:
    return f"{problem.X_test.shape[0]:,} documents, {len(problem.all_labels)} labels"


def timed(work: Callable[[], object]) -> Timed:
    start = perf_counter()
    work()
    return Timed(perf_counter() - start)


def speed_rows(whole: Problem, effort: PredictEffort) -> Iterator[Row]:
    """Let sets from setwise and probabilities from scikit-learn take turns on one core, with the same weights."""
    problem = effort.part_of(whole)
    model = SharedRelevance(strength=1 / problem.n_samples, l1_ratio=1.0, n_jobs=1)
    ways = {
        OURS: {},
        "BR, mode": {"inference": "mode", "decision": "most_probable"},
        "BR, support + most probable": {"decision": "most_probable"},
        "BR, exact + GFM": {"inference": "exact"},
        "BR, sampled + GFM": {"inference": "sampled"},
    }
    y = sp.csr_array(problem.y)
    ours = {title: SetClassifier(model, **(PAPER | way), n_jobs=1).fit(problem.X, y) for title, way in ways.items()}
    peer = one_vs_rest(problem, model)
    turns: dict[str, Callable[[], Timed]] = {
        PEER: partial(timed, partial(peer.predict_proba, problem.X_test)),
        **{title: partial(timed, partial(each.predict, problem.X_test)) for title, each in ours.items()},
    }
    with on_cores(1):
        found = dict(zip(turns, best_fits(list(turns.values()), effort.n_rounds), strict=True))
    for title, fit in found.items():
        ratio = None if title == PEER else found[PEER].seconds / fit.seconds
        verdict = verdict_on_speed(ratio) if title == OURS and ratio is not None else ""
        values = {"seconds": fit.seconds, "ratio": ratio}
        yield Row("speed", problem.name, setting(problem), title, values, verdict, remarks(fit))


def verdict_on_speed(ratio: float) -> str:
    if ratio < LEAST_RATIO:
        return f"no: {ratio:.2f} times as fast, the goal is {LEAST_RATIO:g}"
    return "yes" if ratio >= AIM else f"yes; the aim of {AIM:g} is not reached"


def one_vs_rest(problem: Problem, model: BinaryRelevance) -> OneVsRestClassifier:
    """Make scikit-learn's classifier of the model's weights; raise ``Refused`` unless it says the same of labels."""
    peer = OneVsRestClassifier(LogisticRegression(max_iter=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # what it learns is thrown away
        peer.fit(problem.X, problem.y)
    for label, estimator in enumerate(peer.estimators_):
        estimator.coef_ = model.coef_[[label]].toarray()
        estimator.intercept_ = model.intercept_[[label]]
    apart = np.abs(peer.predict_proba(problem.X_test) - expit(model.scores(problem.X_test))).max()
    if apart > SAME_PROBABILITY:
        raise Refused(f"the same weights give scikit-learn other probabilities: {apart:.1e} apart")
    return peer


def growth_rows(whole: Problem, effort: PredictEffort) -> Iterator[Row]:
    """Time more documents with as many sets, and more sets with as many documents."""
    problem = effort.part_of(whole)
    n_documents, n_sets = problem.X_test.shape[0], problem.n_samples
    ladders = {
        "more documents": [(max(1, n_documents // part), max(1, n_sets // PARTS[0])) for part in PARTS],
        "more sets": [(max(1, n_documents // PARTS[1]), max(1, n_sets // part)) for part in PARTS],
    }
    for which, ladder in ladders.items():
        made = [
            (with_made_weights(problem.X, sp.csr_array(problem.y[:sets])), problem.X_test[:documents])
            for documents, sets in ladder
        ]
        turns = [partial(timed, partial(classifier.predict, X)) for classifier, X in made]
        with on_cores(1):
            found = best_fits(turns, effort.n_rounds)
        for part, (classifier, X), fit in zip(PARTS, made, found, strict=True):
            more = PARTS[0] // part
            times = fit.seconds / found[0].seconds
            yield Row(
                "growth",
                problem.name,
                f"{which}, {len(problem.all_labels):,} labels",
                f"{more}x",
                {
                    "documents": X.shape[0],
                    "sets": classifier.support_.n_sets,
                    "seconds": fit.seconds,
                    "times": times,
                },
                verdict_on_growth(times, PARTS[0]) if more == PARTS[0] else "",
                remarks(fit),
            )


def verdict_on_growth(times: float, more: float) -> str:
    most = LINEAR * more
    return "yes" if times <= most else f"no: {times:.1f} times, the goal is {most:g}"


def memory_rows(problem: Problem, effort: PredictEffort) -> Iterator[Row]:
    """Predict few documents, then many, each in a process of its own."""
    few, many = (probe(replace(problem, X=problem.X[:n]), "predict", {}) for n in effort.memory_documents)
    beyond = [in_mb["peak"] - in_mb["before"] - in_mb["result"] for in_mb in (few, many)]
    verdicts = [
        "yes" if few["peak"] <= ALLOWED_MB else f"no: the goal is {ALLOWED_MB:,.0f} MB",
        "yes" if beyond[1] <= beyond[0] + MORE_MB else f"no: {beyond[1] - beyond[0]:.0f} MB more, {MORE_MB:g} allowed",
    ]
    goals = ["the peak", "no more than for fewer"]
    for n, in_mb, verdict, goal, extra in zip(
        effort.memory_documents, (few, many), verdicts, goals, beyond, strict=True
    ):
        yield Row(
            "memory",
            problem.name,
            f"{len(problem.all_labels)} labels, {n_sets(problem):,} sets, {goal}",
            f"{n:,} documents",
            {name: in_mb[name] for name in ("data", "before", "peak", "result")},
            verdict,
            f"{max(extra, 0):.0f} MB beyond what was held before and the result",
        )


def n_sets(problem: Problem) -> int:
    return len({row.tobytes() for row in problem.y.astype(bool)})


def unseen_rows(whole: Problem, effort: PredictEffort) -> Iterator[Row]:
    """Compare ways to predict where support inference has little to go by; all share one training."""
    problem = effort.part_of(whole)
    model = SharedRelevance(**UNSEEN)
    y, y_test = sp.csr_array(problem.y), sp.csr_array(problem.y_test)
    where = f"{setting(problem)}, {100 * share_unseen(problem):.1f} % of the sets unseen"
    percent = {}
    for title, (way, has_goal) in WAYS.items():
        classifier = SetClassifier(model, held_out=0.2, **(PAPER | way)).fit(problem.X, y)
        percent[title] = 100 * classifier.score(problem.X_test, y_test)
        gain = percent[title] - percent[THRESHOLD]
        verdict = verdict_on_unseen(gain) if has_goal else ""
        values = {"F1": percent[title], "gain": None if title == THRESHOLD else gain}
        yield Row("unseen", problem.name, where, title, values, verdict, found_by(classifier))


def verdict_on_unseen(gain: float) -> str:
    return "yes" if gain >= 0 else f"no: {-gain:.2f} below"


def share_unseen(problem: Problem) -> float:
    seen = {row.tobytes() for row in problem.y.astype(bool)}
    return float(np.mean([row.tobytes() not in seen for row in problem.y_test.astype(bool)]))


def found_by(classifier: SetClassifier) -> str:
    """What was tuned, in words."""
    if classifier.threshold == "tuned":
        return f"threshold {classifier.threshold_:.3f}"
    if classifier.calibration is not None:
        return f"scale {classifier.scaling_.scale:.2f}, size {classifier.scaling_.size:+.2f}"
    return f"{classifier.blend_:g} parts exact" if classifier.blend == "tuned" else ""
