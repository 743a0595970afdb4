"""Shards of a file for workers to predict; the order of the documents, and every byte of the output, stay the same."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from setwise.batch_predictions import RankedPredictions
from setwise.classifier import SetClassifier
from setwise.cli.features import texts_or_matrix
from setwise.cli.runtime import show_progress
from setwise.data import Document, batches
from setwise.exceptions import InvalidParameter
from setwise.executors import Executor, FolderSession, Task, executor_of, in_order
from setwise.reports import Predicted
from setwise.shards import BATCH, SHARD, ShardTasks, predictions_of, scored_of

__all__ = ["Shards"]

Item = TypeVar("Item")
Coverage = NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Shards:
    """Predicts the documents of one file by workers."""

    executor: Executor
    model: str
    classifier: SetClassifier
    file: str

    @classmethod
    def of(cls, cluster: str, work_folder: str | None, model: str, classifier: SetClassifier, file: str) -> Shards:
        """Return the shards of a file for the workers that an option names."""
        if cluster == "serial":
            raise InvalidParameter("--cluster must name workers, such as local:4; leave it out to use this process.")
        return cls(executor_of(cluster, work_folder, "--cluster"), model, classifier, file)

    def predict(
        self,
        numbered: Iterable[tuple[int, Document]],
        top: int,
        min_probability: float | None,
        threshold: float | None = None,
    ) -> Iterator[tuple[list[tuple[int, Document]], RankedPredictions, Coverage]]:
        """Yield each batch with its predictions, and the share of its words that the vocabulary contains."""
        with self._session() as session:
            tasks = ShardTasks.of(session, self.model)
            waiting: deque[list[tuple[int, Document]]] = deque()

            def shards() -> Iterator[Task]:
                for shard in show_progress(batches(numbered, SHARD), "documents", size=len):
                    waiting.append(shard)
                    content = self._content([one for _, one in shard])
                    yield tasks.prediction(content, top, min_probability, threshold)

            for _, outcome in in_order(session, shards()):
                for batch, answers in _batches_of(waiting.popleft(), predictions_of(outcome.value)):
                    known = answers.batch.coverage
                    yield batch, answers, None if None in known else np.asarray(known, dtype=np.float64)

    def score(self, documents: Iterable[Document]) -> Iterator[tuple[list[Document], Predicted, Coverage]]:
        """Yield each batch with its predicted sets, and the share of its words that the vocabulary contains."""
        with self._session() as session:
            tasks = ShardTasks.of(session, self.model)
            waiting: deque[list[Document]] = deque()

            def shards() -> Iterator[Task]:
                for shard in batches(documents, SHARD):
                    waiting.append(shard)
                    yield tasks.scoring(self._content(shard))

            for _, outcome in in_order(session, shards()):
                for batch, (predicted, coverage) in _batches_of(waiting.popleft(), scored_of(outcome.value)):
                    yield batch, predicted, coverage

    def _content(self, documents: Sequence[Document]) -> Any:
        return texts_or_matrix(documents, self.classifier.vectorizer_, self.classifier.n_features_in_, self.file)

    @contextmanager
    def _session(self) -> Iterator[FolderSession]:
        with self.executor.session() as session:
            assert isinstance(session, FolderSession)
            yield session


def _batches_of(shard: list[Item], answers: Sequence[Any]) -> Iterator[tuple[list[Item], Any]]:
    """Yield the batches of a shard with what came out for each."""
    return zip(batches(shard, BATCH), answers, strict=True)
