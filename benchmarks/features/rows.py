"""The rows of the comparison of feature sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

from benchmarks.features import FeatureEffort
from benchmarks.harness.rows import Row
from benchmarks.harness.texts import LabeledTexts, TextPart
from benchmarks.harness.timing import on_cores
from setwise import SetClassifier
from setwise.text import TextVectorizer, candidate_vectorizers, feature_set_name

MAX_LOSS = 0.3
"""Points of test F1 that the choice may lose."""

MIN_F1 = {"brighter_chn": 51.0}
"""Least test F1 of corpora whose goal is another one: words of a script without spaces."""


@dataclass(frozen=True)
class _Trained:
    classifier: SetClassifier
    seconds: float


def feature_rows(corpus: LabeledTexts, effort: FeatureEffort) -> Iterator[Row]:
    """Train with the choice of features, then with each of the others alone; read the test part at the end."""
    train = corpus.read("train", effort.n_documents)
    with on_cores(1):
        choosing = _train(train, candidate_vectorizers())
        result = choosing.classifier.tuning_
        assert result is not None
        trained = {result.feature_set: choosing}
        compared = {trial.name for trial in result.feature_trials}
        for vectorizer in candidate_vectorizers():
            if (name := feature_set_name(vectorizer)) in compared - trained.keys():
                trained[name] = _train(train, [vectorizer])
    test = corpus.read("test", effort.n_documents)
    f1 = {name: 100 * one.classifier.score(test.texts, test.labels) for name, one in trained.items()}
    for trial in result.feature_trials:
        one, chosen = trained[trial.name], trial.name == result.feature_set
        values: dict[str, float | None] = {
            "features": one.classifier.n_features_in_,
            "validation": 100 * trial.value,
            "F1": f1[trial.name],
            "seconds": one.seconds,
        }
        verdict = verdict_on_choice(corpus.name, f1[trial.name], max(f1.values())) if chosen else ""
        setting = f"{len(train.texts):,} documents, {len(choosing.classifier.classes_)} labels"
        yield Row("features", corpus.name, setting, trial.name, values, verdict, "chosen" if chosen else "")


def verdict_on_choice(corpus: str, chosen: float, best: float) -> str:
    """Return whether the chosen features are about as good as the best, or reach the F1 that a corpus has as a goal."""
    loss = best - chosen
    if corpus in MIN_F1:
        return "yes" if chosen >= MIN_F1[corpus] else f"no: the goal is {MIN_F1[corpus]:g}"
    return "yes" if loss <= MAX_LOSS else f"no: {loss:.2f} below the best"


def _train(train: TextPart, vectorizers: list[TextVectorizer]) -> _Trained:
    start = perf_counter()
    classifier = SetClassifier(vectorizer=vectorizers, n_jobs=1).fit(train.texts, train.labels)
    return _Trained(classifier, perf_counter() - start)
