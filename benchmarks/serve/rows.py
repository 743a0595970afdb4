"""The rows of the benchmark of the service: batches, single requests, and single requests among malformed ones."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import orjson

from benchmarks.harness.rows import Row
from benchmarks.serve import ServeEffort
from benchmarks.serve.client import Bad, Load, post, send_load
from benchmarks.serve.corpora import MODEL, RIVAL, ServedCorpus
from benchmarks.serve.malformed import EXPECTED, Malformed, described
from benchmarks.stream.rows import setwise_command

BATCH = 32
BATCH_CONNECTIONS = 4
CONNECTIONS = 16
MIN_TEXTS_PER_SECOND = 2000.0
MIN_REQUESTS_PER_SECOND = 400.0
MAX_P99 = 50.0  # milliseconds
PATH = "/v1/models/model/predict"
END_SECONDS = 60.0  # for a service to end


def batch_rows(corpus: ServedCorpus, effort: ServeEffort) -> Iterator[Row]:
    """Send batches of texts."""
    yield from _rows("batches", corpus, effort, BATCH, BATCH_CONNECTIONS, _batch_verdict)


def single_rows(corpus: ServedCorpus, effort: ServeEffort) -> Iterator[Row]:
    """Send one text per request."""
    yield from _rows("single", corpus, effort, 1, CONNECTIONS, _single_verdict)


def malformed_rows(corpus: ServedCorpus, effort: ServeEffort) -> Iterator[Row]:
    """Send one text per request, and one request in ten that is malformed."""
    yield from _rows("malformed", corpus, effort, 1, CONNECTIONS, _malformed_verdict, is_malformed=True)


def _rows(
    section: str,
    corpus: ServedCorpus,
    effort: ServeEffort,
    n_texts: int,
    n_connections: int,
    verdict: Callable[[float, Load], str],
    *,
    is_malformed: bool = False,
) -> Iterator[Row]:
    """Ask both services in turn."""
    files, texts = corpus.files(effort.n_train), corpus.texts
    bodies = [{"texts": texts[start : start + n_texts]} for start in range(0, len(texts) - n_texts + 1, n_texts)]
    requests = [post(PATH, orjson.dumps(body)) for body in bodies]
    setting = f"{n_connections} connections, {n_texts} text{'s' * (n_texts > 1)} per request"
    speeds: list[float] = []
    for entry, command in (
        ("setwise", [setwise_command(), "serve", str(files / MODEL), "--port", "0"]),
        ("scikit-learn", [sys.executable, "-m", "benchmarks.serve.sklearn_service", str(files / RIVAL)]),
    ):
        with served(command) as port:
            send = partial(send_load, port, requests, n_connections)
            bad: Bad | None = Malformed(port, PATH) if is_malformed else None
            asyncio.run(send(effort.warm_up_seconds))
            load = asyncio.run(send(effort.seconds, bad))
        speeds.append(load.statuses[200] * n_texts / load.seconds)
        values: dict[str, float | None] = {
            "per second": speeds[-1],
            "p50": load.percentile(50),
            "p99": load.percentile(99),
            "lost": float(load.n_lost),
            "relative": speeds[0] / speeds[-1] if len(speeds) > 1 else None,
        }
        note = f"malformed: {described(load.bad_statuses)}" if is_malformed else ""
        goal = verdict(speeds[-1], load) if entry == "setwise" else ""
        yield Row(section, corpus.name, setting, entry, values, goal, note)


@contextmanager
def served(command: list[str]) -> Iterator[int]:
    """Run a service and yield its port."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        notes = []
        for line in process.stderr:
            notes.append(line)
            if found := re.search(r" at http://.*:(\d+)$", line):
                break
        else:
            raise RuntimeError(f"the service did not start: {''.join(notes)}")
        yield int(found[1])
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=END_SECONDS)
        process.stderr.close()


def _batch_verdict(speed: float, load: Load) -> str:
    if load.n_lost:
        return f"no: {load.n_lost} lost"
    return "yes" if speed >= MIN_TEXTS_PER_SECOND else f"no: {speed:,.0f}, the goal is {MIN_TEXTS_PER_SECOND:,.0f}"


def _single_verdict(speed: float, load: Load) -> str:
    p99 = load.percentile(99)
    if load.n_lost:
        return f"no: {load.n_lost} lost"
    if speed < MIN_REQUESTS_PER_SECOND:
        return f"no: {speed:,.0f} per second, the goal is {MIN_REQUESTS_PER_SECOND:,.0f}"
    return "yes" if p99 < MAX_P99 else f"no: p99 {p99:.0f} ms, the goal is {MAX_P99:.0f}"


def _malformed_verdict(speed: float, load: Load) -> str:
    wrong = {status: n for status, n in load.bad_statuses.items() if status not in EXPECTED}
    return f"no: malformed requests were answered with {wrong}" if wrong else _single_verdict(speed, load)
