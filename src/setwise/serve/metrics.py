"""What the service counts, in the text format of Prometheus.

The numbers of all workers are in one piece of memory that they share, one row per worker, so that whichever worker
answers can add them up. Only the loop of a worker writes its row, and a worker that takes the place of another goes on
with its numbers.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Sequence
from itertools import product

__all__ = ["METRICS_TYPE", "Metrics"]

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

STATUSES = ("200", "202", "400", "401", "403", "404", "405", "408", "413", "415", "421", "422", "499", "500", "503")
"""Statuses that are counted one by one; 499 is a client that has gone."""

OTHER = "other"
"""Operation of requests for the page and for what does not exist, and status of what is not listed."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)

_BYTES = 8
"""Of a number in the shared memory."""


class Metrics:
    """Counters of one worker, and the sums over all of them.

    Parameters
    ----------
    operations, models : iterables of str
        Names that requests and texts are counted by.
    n_workers : int
    """

    def __init__(self, operations: Iterable[str], models: Iterable[str], n_workers: int = 1) -> None:
        operations, models = [*operations, OTHER], list(models)
        names: list[tuple[str, ...]] = [
            *product(("requests",), operations, (*STATUSES, OTHER)),
            *(("seconds", name, part) for name in operations for part in _parts(SECONDS)),
            *(("texts", name) for name in models),
            *(("batch", part) for part in _parts(SIZES)),
            ("feedback",),
            ("swaps",),
            ("failed_swaps",),
            ("in_progress",),
        ]
        self._place = {name: number for number, name in enumerate(names)}
        self._n = len(names)
        self._models = models
        self._operations = operations
        self._n_workers = n_workers
        self._memory = mmap.mmap(-1, _BYTES * self._n * n_workers)
        self._all = memoryview(self._memory).cast("d")
        self.use_row(0)

    def use_row(self, worker: int) -> None:
        """Count in the row of a worker."""
        self._row = self._all[worker * self._n : (worker + 1) * self._n]
        self._row[self._place["in_progress",]] = 0.0  # those of a worker that has ended were not answered

    def count_request(self, operation: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        name = str(status)
        self._add("requests", operation, name if name in STATUSES else OTHER)
        self._observe(("seconds", operation), SECONDS, seconds)

    def count_in_progress(self, change: int) -> None:
        """Count a request that has begun, or ended with -1."""
        self._add("in_progress", amount=change)

    def count_texts(self, model: str, n: int) -> None:
        """Count texts that a model is to predict."""
        self._add("texts", model, amount=n)

    def count_batch(self, size: int) -> None:
        """Count a batch of so many texts."""
        self._observe(("batch",), SIZES, size)

    def count_feedback(self) -> None:
        """Count a stored line of feedback."""
        self._add("feedback")

    def count_swaps(self, n: int, n_failed: int) -> None:
        """Count models that this worker has replaced, and those that it could not replace."""
        self._add("swaps", amount=n)
        self._add("failed_swaps", amount=n_failed)

    def text(self, models: Sequence[tuple[str, str, float]]) -> str:
        """Return all numbers; ``models`` has name, version and time of loading of each model."""
        total = [sum(self._all[k :: self._n]) for k in range(self._n)]

        def value(*name: str) -> float:
            return total[self._place[name]]

        lines: list[str] = []

        def family(name: str, kind: str, text: str, samples: Iterable[tuple[str, float]]) -> None:
            lines.extend([f"# HELP setwise_{name} {text}", f"# TYPE setwise_{name} {kind}"])
            lines.extend(f"setwise_{name}{labels} {_number(number)}" for labels, number in samples)

        family(
            "requests_total",
            "counter",
            "Answered requests by operation and status.",
            (
                (f'{{operation="{operation}",status="{status}"}}', number)
                for operation, status in product(self._operations, (*STATUSES, OTHER))
                if (number := value("requests", operation, status))
            ),
        )
        family(
            "request_seconds",
            "histogram",
            "Seconds from the head of a request to the end of its answer.",
            (
                sample
                for operation in self._operations
                for sample in _histogram(
                    f'operation="{operation}",',
                    SECONDS,
                    [value("seconds", operation, part) for part in _parts(SECONDS)],
                )
            ),
        )
        family(
            "texts_total",
            "counter",
            "Texts to predict, by model.",
            ((f'{{model="{model}"}}', value("texts", model)) for model in self._models),
        )
        family(
            "batch_texts",
            "histogram",
            "Texts that were predicted together.",
            _histogram("", SIZES, [value("batch", part) for part in _parts(SIZES)]),
        )
        family("in_progress", "gauge", "Requests that are being answered.", [("", value("in_progress"))])
        family("feedback_total", "counter", "Stored lines of feedback.", [("", value("feedback"))])
        family("model_swaps_total", "counter", "Models replaced, in all workers.", [("", value("swaps"))])
        family(
            "model_swap_failures_total",
            "counter",
            "Model files that could not be loaded in place of another, in all workers.",
            [("", value("failed_swaps"))],
        )
        family("workers", "gauge", "Processes that answer requests.", [("", self._n_workers)])
        family(
            "model_loaded_timestamp_seconds",
            "gauge",
            "When the worker that answers has loaded each model.",
            ((f'{{model="{name}",version="{version}"}}', loaded_at) for name, version, loaded_at in models),
        )
        return "\n".join(lines) + "\n"

    def _add(self, *name: str, amount: float = 1.0) -> None:
        self._row[self._place[name]] += amount

    def _observe(self, name: tuple[str, ...], bounds: tuple[float, ...], value: float) -> None:
        bound = next((str(bound) for bound in bounds if value <= bound), "+Inf")
        self._add(*name, bound)
        self._add(*name, "sum", amount=value)


def _parts(bounds: tuple[float, ...]) -> tuple[str, ...]:
    return (*map(str, bounds), "+Inf", "sum")


def _histogram(labels: str, bounds: tuple[float, ...], parts: list[float]) -> Iterable[tuple[str, float]]:
    """Yield the suffix and value of each sample of a histogram; nothing where nothing was observed."""
    *counts, total = parts
    if not any(counts):
        return
    cumulated = 0.0
    for bound, count in zip((*map(str, bounds), "+Inf"), counts, strict=True):
        cumulated += count
        yield f'_bucket{{{labels}le="{bound}"}}', cumulated
    own = f"{{{labels.rstrip(',')}}}" if labels else ""
    yield f"_sum{own}", total
    yield f"_count{own}", cumulated


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
