"""The rows of the prediction benchmark: speed against scikit-learn, growth, memory, and unseen label sets."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from benchmarks.harness.memory import measure_memory
from benchmarks.harness.problem import Problem
from benchmarks.harness.rows import Row
from benchmarks.harness.synthetic import synthetic_classifier
from benchmarks.harness.timing import Skipped, Timed, fastest_of_each, on_cores, remarks, time_call
from benchmarks.predict import PredictEffort
from setwise import SetClassifier
from setwise.decision import gfm
from setwise.inference import ExactInference, documents_per_block
from setwise.labels import Decision, LabelMatrix
from setwise.learners import LabelFits
from setwise.models import BinaryRelevance, Callback
from setwise.prediction import Recipe

OURS = "BR, support + GFM"
PEER = "scikit-learn predict_proba"
MIN_SPEEDUP = 1.0  # scikit-learn's seconds divided by ours
STRETCH_SPEEDUP = 5.0  # a further goal for the same, mentioned where it is not met
SAME_PROBABILITY = 1e-6

SIZE_MARGINALS = "size marginals, GFM"
MIN_EXACT_SPEEDUP = 5.0  # seconds with size marginals divided by those with independent labels

PARTS = (16, 4, 1)  # a sixteenth of the documents or sets, a quarter, all
LINEAR = 1.25  # growth up to this factor above proportional counts as linear

MAX_MB = 1000.0
MAX_EXTRA_MB = 10.0  # further memory allowed for four times the documents, beyond the result

UNSEEN: dict[str, Any] = {"strength": 3e-4, "l1_ratio": 0.5}
THRESHOLD = "tuned threshold, at least one label"
PAPER: dict[str, Any] = {"inference": "support", "decision": "gfm", "calibration": None}

# Options of the classifier by title, and whether the entry has a goal.
RECIPES: dict[str, tuple[dict[str, Any], bool]] = {
    THRESHOLD: (
        {"inference": "exact", "decision": "threshold", "threshold": "tuned", "at_least_one": True},
        False,
    ),
    "support + GFM": ({"inference": "support"}, False),
    "exact + GFM": ({"inference": "exact"}, True),
    "exact + GFM, calibrated": ({"inference": "exact", "calibration": "likelihood"}, False),
    "tuned blend + GFM": ({"inference": "blend", "blend": "tuned"}, True),
}


class SharedRelevance(BinaryRelevance):
    """BR that is trained once per number of documents and reused, so that classifiers differ in prediction alone.

    Equally many documents are the same documents here, because all classifiers hold out the same part. Cloning returns
    the model itself, so that a classifier is valid until the next one is fitted.
    """

    def __sklearn_clone__(self) -> SharedRelevance:
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> SharedRelevance:
        """Train, or restore an earlier fit to as many documents."""
        cache: dict[int, tuple[LabelMatrix, LabelFits]] = self.__dict__.setdefault("cache_", {})
        labels = LabelMatrix.of(y)
        if labels.n_samples not in cache:
            super().fit(X, labels, sample_weight, callback)
            cache[labels.n_samples] = (labels, self.fits_)
        self._set_fits(*cache[labels.n_samples])
        return self


def shape_of(problem: Problem) -> str:
    """Return the size of the test part as the tables show it."""
    return f"{problem.X_test.shape[0]:,} documents, {len(problem.all_labels)} labels"


def speed_rows(whole: Problem, effort: PredictEffort) -> Iterator[Row]:
    """Time sets from setwise and probabilities from scikit-learn in turns on one core, with the same weights."""
    problem = effort.subset(whole)
    model = SharedRelevance(strength=1 / problem.n_samples, l1_ratio=1.0, n_jobs=1)
    recipes = {
        OURS: {},
        "BR, mode": {"inference": "mode", "decision": "most_probable"},
        "BR, support + most probable": {"decision": "most_probable"},
        "BR, exact + GFM": {"inference": "exact"},
        "BR, sampled + GFM": {"inference": "sampled"},
    }
    y = sp.csr_array(problem.y)
    ours = {title: SetClassifier(model, **(PAPER | recipe), n_jobs=1) for title, recipe in recipes.items()}
    for classifier in ours.values():
        classifier.fit(problem.X, y)
    peer = one_vs_rest(problem, model)
    runs: dict[str, Callable[[], Timed]] = {
        PEER: partial(time_call, partial(peer.predict_proba, problem.X_test)),
        **{title: partial(time_call, partial(each.predict, problem.X_test)) for title, each in ours.items()},
    }
    with on_cores(1):
        fastest = dict(zip(runs, fastest_of_each(list(runs.values()), effort.n_rounds), strict=True))
    for title, timed in fastest.items():
        speedup = None if title == PEER else fastest[PEER].seconds / timed.seconds
        verdict = verdict_on_speed(speedup) if title == OURS and speedup is not None else ""
        values = {"seconds": timed.seconds, "speedup": speedup}
        yield Row("speed", problem.name, shape_of(problem), title, values, verdict, remarks(timed))


def verdict_on_speed(speedup: float) -> str:
    """Return whether the goal is met, and whether the stretch goal is."""
    if speedup < MIN_SPEEDUP:
        return f"no: {speedup:.2f} times as fast, the goal is {MIN_SPEEDUP:g}"
    return "yes" if speedup >= STRETCH_SPEEDUP else f"yes; the stretch goal of {STRETCH_SPEEDUP:g} is not met"


def one_vs_rest(problem: Problem, model: BinaryRelevance) -> OneVsRestClassifier:
    """Return scikit-learn's classifier with the model's weights; raise ``Skipped`` where its probabilities differ."""
    peer = OneVsRestClassifier(LogisticRegression(max_iter=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # its weights are replaced below
        peer.fit(problem.X, problem.y)
    for label, estimator in enumerate(peer.estimators_):
        estimator.coef_ = model.coef_[[label]].toarray()
        estimator.intercept_ = model.intercept_[[label]]
    difference = np.abs(peer.predict_proba(problem.X_test) - model.posterior(problem.X_test).marginals()).max()
    if difference > SAME_PROBABILITY:
        raise Skipped(f"scikit-learn's probabilities differ by {difference:.1e} with the same weights")
    return peer


def exact_rows(whole: Problem, effort: PredictEffort) -> Iterator[Row]:
    """Time exact inference and its decisions, with size marginals and with independent labels."""
    problem = effort.subset(whole)
    classifier = synthetic_classifier(problem.X, sp.csr_array(problem.y))
    posterior, support = classifier.model_.posterior(problem.X_test).scored(), classifier.support_
    n_per_block = documents_per_block(ExactInference().n_numbers(len(posterior.classes)))
    independent, best_jaccard = Recipe("exact", "gfm"), Recipe("exact", "expected_jaccard")

    def from_size_marginals() -> Decision:
        return Decision.stacked([gfm(ExactInference().infer(block)) for block in posterior.blocks(n_per_block)])

    def decided(recipe: Recipe) -> Decision:
        return recipe.decide(posterior, support, with_value=False)

    different = int((from_size_marginals().sets != decided(independent).sets).sum())
    runs: dict[str, Callable[[], Timed]] = {
        SIZE_MARGINALS: partial(time_call, from_size_marginals),
        "independent labels, GFM": partial(time_call, partial(decided, independent)),
        "independent labels, expected Jaccard index": partial(time_call, partial(decided, best_jaccard)),
    }
    with on_cores(1):
        fastest = dict(zip(runs, fastest_of_each(list(runs.values()), effort.n_rounds), strict=True))
    for title, recipe in zip(runs, (None, independent, best_jaccard), strict=True):
        timed = fastest[title]
        speedup = None if recipe is None else fastest[SIZE_MARGINALS].seconds / timed.seconds
        verdict = verdict_on_exact(speedup, different) if recipe is independent and speedup is not None else ""
        values = {"seconds": timed.seconds, "speedup": speedup}
        yield Row("exact", problem.name, shape_of(problem), title, values, verdict, remarks(timed))


def verdict_on_exact(speedup: float, n_different: int) -> str:
    """Return whether independent labels lead to the same sets, and fast enough."""
    if n_different:
        return f"no: {n_different} labels differ"
    return "yes" if speedup >= MIN_EXACT_SPEEDUP else f"no: {speedup:.1f} times, the goal is {MIN_EXACT_SPEEDUP:g}"


def growth_rows(whole: Problem, effort: PredictEffort) -> Iterator[Row]:
    """Time more documents with the same sets, and more sets with the same documents."""
    problem = effort.subset(whole)
    n_documents, n_sets = problem.X_test.shape[0], problem.n_samples
    ladders = {
        "more documents": [(max(1, n_documents // part), max(1, n_sets // PARTS[0])) for part in PARTS],
        "more sets": [(max(1, n_documents // PARTS[1]), max(1, n_sets // part)) for part in PARTS],
    }
    for name, ladder in ladders.items():
        steps = [
            (synthetic_classifier(problem.X, sp.csr_array(problem.y[:sets])), problem.X_test[:documents])
            for documents, sets in ladder
        ]
        runs = [partial(time_call, partial(classifier.predict, X)) for classifier, X in steps]
        with on_cores(1):
            fastest = fastest_of_each(runs, effort.n_rounds)
        for part, (classifier, X), timed in zip(PARTS, steps, fastest, strict=True):
            factor = PARTS[0] // part
            relative = timed.seconds / fastest[0].seconds
            values: dict[str, float | None] = {
                "documents": X.shape[0],
                "sets": classifier.support_.n_sets,
                "seconds": timed.seconds,
                "relative": relative,
            }
            setting = f"{name}, {len(problem.all_labels):,} labels"
            verdict = verdict_on_growth(relative, PARTS[0]) if factor == PARTS[0] else ""
            yield Row("growth", problem.name, setting, f"{factor}x", values, verdict, remarks(timed))


def verdict_on_growth(relative: float, factor: float) -> str:
    """Return whether time grew at most linearly where the input grew by a factor."""
    goal = LINEAR * factor
    return "yes" if relative <= goal else f"no: {relative:.1f} times, the goal is {goal:g}"


def memory_rows(problem: Problem, effort: PredictEffort) -> Iterator[Row]:
    """Predict few documents, then many, each in a fresh process."""
    few, many = (measure_memory(replace(problem, X=problem.X[:n]), "predict", {}) for n in effort.memory_documents)
    extra = [in_mb["peak"] - in_mb["before"] - in_mb["result"] for in_mb in (few, many)]
    growth = extra[1] - extra[0]
    goals = ["goal: peak memory", "goal: no growth with documents"]
    verdicts = [
        "yes" if few["peak"] <= MAX_MB else f"no: the goal is {MAX_MB:,.0f} MB",
        "yes" if extra[1] <= extra[0] + MAX_EXTRA_MB else f"no: {growth:.0f} MB more, {MAX_EXTRA_MB:g} allowed",
    ]
    for n, in_mb, goal, verdict, beyond in zip(
        effort.memory_documents, (few, many), goals, verdicts, extra, strict=True
    ):
        yield Row(
            "memory",
            problem.name,
            f"{len(problem.all_labels)} labels, {count_sets(problem):,} sets, {goal}",
            f"{n:,} documents",
            {name: in_mb[name] for name in ("data", "before", "peak", "result")},
            verdict,
            f"{max(beyond, 0):.0f} MB beyond the memory before and the result",
        )


def count_sets(problem: Problem) -> int:
    """Return the number of distinct label sets in training."""
    return len({row.tobytes() for row in problem.y.astype(bool)})


def unseen_rows(whole: Problem, effort: PredictEffort) -> Iterator[Row]:
    """Compare recipes where support inference has seen almost none of the test sets; all share one training."""
    problem = effort.subset(whole)
    model = SharedRelevance(**UNSEEN)
    y, y_test = sp.csr_array(problem.y), sp.csr_array(problem.y_test)
    setting = f"{shape_of(problem)}, {100 * unseen_share(problem):.1f} % of test sets unseen"
    percent = {}
    for title, (recipe, has_goal) in RECIPES.items():
        classifier = SetClassifier(model, cv=0.2, **(PAPER | recipe)).fit(problem.X, y)
        percent[title] = 100 * classifier.score(problem.X_test, y_test)
        gain = percent[title] - percent[THRESHOLD]
        verdict = verdict_on_unseen(gain) if has_goal else ""
        values = {"F1": percent[title], "gain": None if title == THRESHOLD else gain}
        yield Row("unseen", problem.name, setting, title, values, verdict, tuned_values(classifier))


def verdict_on_unseen(gain: float) -> str:
    """Return whether a recipe is at least as good as the tuned threshold."""
    return "yes" if gain >= 0 else f"no: {-gain:.2f} below"


def unseen_share(problem: Problem) -> float:
    """Return the share of test documents whose label set does not occur in training."""
    seen = {row.tobytes() for row in problem.y.astype(bool)}
    return float(np.mean([row.tobytes() not in seen for row in problem.y_test.astype(bool)]))


def tuned_values(classifier: SetClassifier) -> str:
    """Return the values that were tuned, as the tables show them."""
    if classifier.threshold == "tuned":
        return f"threshold {classifier.recipe_.threshold:.3f}"
    if classifier.calibration is not None:
        scaling = classifier.recipe_.scaling
        return f"scale {scaling.scale:.2f}, size {scaling.size:+.2f}"
    return f"blend {classifier.recipe_.blend:g}" if classifier.blend == "tuned" else ""
