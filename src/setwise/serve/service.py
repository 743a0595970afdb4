"""What the answers to requests need: models, the batcher, the feedback file, and what is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from setwise.serve.batching import Batcher
from setwise.serve.feedback import FeedbackFile
from setwise.serve.metrics import Metrics
from setwise.serve.models import ModelStore
from setwise.serve.predicting import PredictJob, predict_jobs
from setwise.serve.settings import Settings

__all__ = ["Service"]

Result = TypeVar("Result")


class Service:
    """One worker of the service.

    Parameters
    ----------
    settings : Settings
    models : ModelStore
    metrics : Metrics
    """

    def __init__(self, settings: Settings, models: ModelStore, metrics: Metrics) -> None:
        self.settings = settings
        self.models = models
        self.metrics = metrics
        self.feedback = None if settings.feedback is None else FeedbackFile(settings.feedback)
        self.n_answered_now = 0
        self.openapi = b""
        self._batcher = Batcher[PredictJob, bytes](predict_jobs, settings.batch_seconds, metrics.count_batch)
        # Explanations take longer than predictions, which do not wait for them.
        self._explainer = ThreadPoolExecutor(1, "explain")
        self._writer = ThreadPoolExecutor(1, "feedback")
        self._reloads = asyncio.Lock()

    async def predict(self, job: PredictJob) -> bytes:
        """Return the answer for a job, predicted together with those that came at the same time."""
        self.metrics.count_texts(job.model.name, len(job.texts))
        return await self._batcher.submit(job, len(job.texts))

    async def explain(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Return the result of a function that runs in the thread of explanations."""
        return await asyncio.get_running_loop().run_in_executor(self._explainer, work, *arguments)

    async def write(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Return the result of a function that runs in the thread that writes feedback."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, work, *arguments)

    async def reload(self, *, only_changed: bool) -> None:
        """Load model files again, beside the requests, one reload at a time."""
        async with self._reloads:
            self.metrics.count_swaps(*await asyncio.to_thread(self.models.reload, only_changed=only_changed))

    def close(self) -> None:
        """End the threads once they have done what they began."""
        self._batcher.close()
        for executor in (self._explainer, self._writer):
            executor.shutdown()
