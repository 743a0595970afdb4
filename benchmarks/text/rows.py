"""The rows of the text benchmark: features against scikit-learn, threads, and label sets against fastText."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.harness.rows import Row
from benchmarks.harness.threads import thread_scaling_rows
from benchmarks.harness.timing import Skipped, Timed, fastest_runs, on_cores, remarks
from benchmarks.text import TextEffort
from benchmarks.text.corpora import TextCorpus
from setwise import SetClassifier
from setwise.text import TextVectorizer

PEER = "scikit-learn"
RULES: dict[str, dict[str, Any]] = {"setwise, rule sklearn": {"token_rule": "sklearn"}, "setwise": {}}
MIN_DF = 2
SAME_VALUE = 1e-6  # of features, which single precision rounds

MIN_TRANSFORM_SPEEDUP = 10.0
MIN_FIT_SPEEDUP = 6.0
MIN_THREAD_SPEEDUP = 1.7

OURS = "setwise, BR"
FASTTEXT = "fastText, ova"
MIN_RELATIVE = 0.5  # our documents per second divided by fastText's


@dataclass(frozen=True)
class Call(Timed):
    """One call among several: its seconds, and what it returned."""

    result: Any = field(default=None, kw_only=True)


def time_calls(work: Callable[[], Any], min_seconds: float) -> Call:
    """Call a function until the time has passed, at least once, and return the mean seconds of a call."""
    start, n_calls, elapsed = perf_counter(), 0, 0.0
    while n_calls == 0 or elapsed < min_seconds:
        result = work()
        n_calls += 1
        elapsed = perf_counter() - start
    return Call(elapsed / n_calls, result=result)


def transform_rows(whole: TextCorpus, effort: TextEffort) -> Iterator[Row]:
    """Time the features of the test texts, on one thread."""
    corpus = effort.subset(whole)
    vectorizers = {title: vectorizer.fit(corpus.train) for title, vectorizer in all_vectorizers().items()}
    calls = {title: partial(vectorizer.transform, corpus.test) for title, vectorizer in vectorizers.items()}
    setting = f"{len(corpus.test):,} test texts"
    yield from feature_rows("transform", corpus.name, setting, calls, effort, MIN_TRANSFORM_SPEEDUP)


def fit_rows(whole: TextCorpus, effort: TextEffort) -> Iterator[Row]:
    """Time the vocabulary and the features of the training texts, on one thread."""
    corpus = effort.subset(whole)
    calls = {title: partial(one.fit_transform, corpus.train) for title, one in all_vectorizers().items()}
    setting = f"{len(corpus.train):,} training texts"
    yield from feature_rows("fit", corpus.name, setting, calls, effort, MIN_FIT_SPEEDUP)


def all_vectorizers() -> dict[str, Any]:
    """Return scikit-learn's vectorizer and ours, by title."""
    peer = TfidfVectorizer(sublinear_tf=True, min_df=MIN_DF, dtype=np.float32)
    return {PEER: peer, **{title: TextVectorizer(min_df=MIN_DF, n_jobs=1, **rule) for title, rule in RULES.items()}}


def feature_rows(
    section: str,
    dataset: str,
    setting: str,
    calls: Mapping[str, Callable[[], Any]],
    effort: TextEffort,
    min_speedup: float,
) -> Iterator[Row]:
    """Time calls in turns on one core; raise ``Skipped`` where the rule sklearn has other features than the peer."""
    with on_cores(1):
        fastest = fastest_runs(
            {title: partial(time_calls, call, effort.min_seconds) for title, call in calls.items()}, effort.n_rounds
        )
    timed = {title: run for title, run in fastest.items() if isinstance(run, Call)}
    peer, same_rule = timed[PEER], timed[next(iter(RULES))]
    if not same_features(peer.result, same_rule.result):
        raise Skipped("the features differ from scikit-learn's")
    for title, run in timed.items():
        speedup = None if title == PEER else peer.seconds / run.seconds
        values = {"seconds": run.seconds, "cpu": run.seconds * run.cores, "speedup": speedup}
        verdict = "" if speedup is None else verdict_on_speed(speedup, min_speedup)
        yield Row(section, dataset, setting, title, values, verdict, remarks(run))


def same_features(one: Any, other: Any) -> bool:
    """Return whether two feature matrices are equal up to rounding."""
    if one.shape != other.shape or one.nnz != other.nnz:
        return False
    return bool(abs(sp.csr_array(one) - sp.csr_array(other)).max() <= SAME_VALUE)


def verdict_on_speed(speedup: float, goal: float) -> str:
    """Return whether an entry is as many times faster as its goal."""
    return "yes" if speedup >= goal else f"no: {speedup:.2f} times, the goal is {goal:g}"


def thread_rows(whole: TextCorpus, effort: TextEffort) -> Iterator[Row]:
    """Time both methods with one thread and with two."""
    corpus = effort.subset(whole)
    one, two = (TextVectorizer(min_df=MIN_DF, n_jobs=n_jobs).fit(corpus.train) for n_jobs in (1, 2))
    calls: dict[str, list[Callable[[], Any]]] = {
        "transform": [partial(each.transform, corpus.test) for each in (one, two)],
        "fit_transform": [partial(each.fit_transform, corpus.train) for each in (one, two)],
    }
    for setting, pair in calls.items():
        runs = [partial(time_calls, call, effort.min_seconds) for call in pair]
        yield from thread_scaling_rows(corpus.name, setting, runs, effort.n_rounds, same_bits, MIN_THREAD_SPEEDUP)


def same_bits(one: Call, two: Call) -> bool:
    """Return whether two feature matrices have the same bits."""
    return all(
        getattr(one.result, part).tobytes() == getattr(two.result, part).tobytes()
        for part in ("indptr", "indices", "data")
    )


def predict_rows(whole: TextCorpus, effort: TextEffort) -> Iterator[Row]:
    """Time label sets from texts, ours and fastText's, on one thread."""
    corpus = effort.subset(whole)
    classifier = SetClassifier("br", budget="quick", n_jobs=1).fit(corpus.train, corpus.labels)
    calls: dict[str, Callable[[], Any]] = {
        FASTTEXT: fasttext_call(corpus),
        OURS: partial(classifier.predict, corpus.test),
    }
    with on_cores(1):
        fastest = fastest_runs(
            {title: partial(time_calls, call, effort.min_seconds) for title, call in calls.items()}, effort.n_rounds
        )
    n_labels = len(classifier.classes_)
    setting, peer = f"{len(corpus.test):,} test texts, {n_labels} labels", fastest[FASTTEXT]
    for title, run in fastest.items():
        if isinstance(run, Skipped):
            yield Row("predict", corpus.name, setting, title, {}, note=str(run))
            continue
        relative = math.nan if isinstance(peer, Skipped) else peer.seconds / run.seconds
        has_goal = title == OURS and not math.isnan(relative)
        values = {
            "seconds": run.seconds,
            "cpu": run.seconds * run.cores,
            "per second": len(corpus.test) / run.seconds,
            "relative": relative if has_goal else None,
        }
        verdict = verdict_on_speed(relative, MIN_RELATIVE) if has_goal else ""
        note = f"{classifier.recipe_.inference}, {classifier.recipe_.decision}" if title == OURS else ""
        yield Row(
            "predict", corpus.name, setting, title, values, verdict, "; ".join(filter(None, [note, remarks(run)]))
        )


def fasttext_call(corpus: TextCorpus) -> Callable[[], Any]:
    """Train fastText and return its prediction of the test texts; the call raises ``Skipped`` where it is missing."""
    try:
        baseline = importlib.import_module("benchmarks.text.fasttext_baseline")
    except ImportError as error:
        return partial(_skip, f"not installed: {error}")
    return partial(baseline.FastText(corpus.train, corpus.labels).predict, baseline.as_lines(corpus.test))


def _skip(reason: str) -> None:
    raise Skipped(reason)
