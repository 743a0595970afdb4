"""Predictions by shards: parts of a long file that any worker can predict, since no document depends on another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from setwise.batch_predictions import BatchPredictions, RankedPredictions
from setwise.classifier import SetClassifier, load
from setwise.executors import Data, FolderSession, Input, Task, TaskContext
from setwise.reports import BatchScorer, Predicted

__all__ = ["BATCH", "SHARD", "ShardTasks", "predictions_of", "scored_of"]

BATCH = 1000
"""Documents that are predicted at a time."""

SHARD = 4 * BATCH
"""Documents per shard: whole batches, so that files are written in the same pieces; several, so that sending them takes
little of the time; few, so that they fit in any memory."""

_MODULE = "setwise.shards"


@dataclass(frozen=True, eq=False)
class ShardTasks:
    """Makes the tasks of a file for one model.

    Parameters
    ----------
    session : FolderSession
    model : Data
        The model file.
    """

    session: FolderSession
    model: Data

    @classmethod
    def of(cls, session: FolderSession, path: str) -> ShardTasks:
        """Make a model file ready for all workers."""
        return cls(session, session.folder.put_file(path))

    def prediction(
        self, documents: Any, top: int, min_probability: float | None, threshold: float | None = None
    ) -> Task:
        """Return the task that predicts documents: a list of texts, or a feature matrix."""
        parameters = {"top": top, "min_probability": min_probability, "threshold": threshold}
        return self._task("predict_shard", documents, parameters)

    def scoring(self, documents: Any) -> Task:
        """Return the task that predicts the sets of documents, and how sure they are."""
        return self._task("score_shard", documents, {})

    def _task(self, function: str, documents: Any, parameters: dict[str, Any]) -> Task:
        shard = self.session.folder.put_shard(documents)
        inputs: dict[str, Any] = {"model": self.model, "shard": shard}
        return Task(f"{_MODULE}:{function}", parameters, inputs, title="a shard of documents")


def predict_shard(
    context: TaskContext,
    *,
    model: Input,
    shard: Input,
    top: int,
    min_probability: float | None,
    threshold: float | None,
) -> list[Any]:
    """Predict a shard batch by batch."""
    return [
        [
            vars(answers.batch),
            answers.sets,
            None if answers.marginals is None else [list(one.items()) for one in answers.marginals],
        ]
        for classifier, X, coverage in _batches(context, model, shard)
        for answers in [RankedPredictions.compute(classifier, X, coverage, top, min_probability, threshold)]
    ]


def predictions_of(value: Any) -> list[RankedPredictions]:
    """Return the predictions of each batch of a shard."""
    return [
        RankedPredictions(
            BatchPredictions(**batch),
            [[(tuple(names), p) for names, p in ranked] for ranked in sets],
            None if marginals is None else [dict(map(tuple, pairs)) for pairs in marginals],
        )
        for batch, sets, marginals in value
    ]


def score_shard(context: TaskContext, *, model: Input, shard: Input) -> list[Any]:
    """Predict the sets of a shard batch by batch, with how sure they are."""
    found = []
    for classifier, X, coverage in _batches(context, model, shard):
        one = BatchScorer(classifier).predicted(X, coverage)
        found.append([one.sets, one.expected_f1, one.probability, coverage])
    return found


def scored_of(value: Any) -> list[tuple[Predicted, Any]]:
    """Return what was predicted for each batch of a shard, and the share of the words that the vocabulary contains."""
    return [(Predicted(sets, expected, probability), coverage) for sets, expected, probability, coverage in value]


def _batches(context: TaskContext, model: Input, shard: Input) -> Iterator[tuple[SetClassifier, Any, Any]]:
    """Yield the classifier, the features of each batch, and the share of its known words."""
    classifier = context.remember(("model", model.key), lambda: _loaded(context, model))
    documents = shard.value
    n_documents = len(documents) if isinstance(documents, list) else documents.shape[0]
    for start in range(0, n_documents, BATCH):
        batch = documents[start : start + BATCH]
        if isinstance(documents, list):
            yield classifier, *classifier.vectorizer_.transform_with_coverage(batch)
        else:
            yield classifier, batch, None


def _loaded(context: TaskContext, model: Input) -> SetClassifier:
    """Load the model, for as many threads as the worker has."""
    classifier = load(model.value)
    if context.n_jobs is not None and classifier.vectorizer_ is not None:
        classifier.vectorizer_.n_jobs = context.n_jobs
    return classifier
