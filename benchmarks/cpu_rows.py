"""The rows of the benchmark of processor time."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

from benchmarks.command import ONE_THREAD
from benchmarks.contestants import br
from benchmarks.model_effort import FULL
from benchmarks.model_rows import same_state, setting
from benchmarks.problem import load
from benchmarks.rows import Row
from benchmarks.scaling import LEAST_SPEEDUP, need_two_cores, one_and_two_rows
from benchmarks.timing import n_cores_allowed

MOST_TIMES = 1.3  # processor seconds of a small job with all threads, in those with one thread
README = Path("README.md")
SPIN = "while True: pass"
SECONDS_TO_SETTLE = 0.5  # until the processes that keep the cores busy have started

FIT = """
import resource, time
import numpy as np
import scipy.sparse as sp
from setwise import SetClassifier

def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

random = np.random.default_rng(0)
y = random.random((30, 3)) < 0.5
X = sp.csr_array(((random.random((30, 40)) < 0.1 + 0.4 * np.repeat(y, 14, axis=1)[:, :40])).astype(np.float32))
before, started = cpu(), time.perf_counter()
SetClassifier().fit(X, y.astype(int))
print(cpu() - before, time.perf_counter() - started)
"""


class Cost(NamedTuple):
    """Processor seconds and seconds of one run."""

    cpu: float
    seconds: float


def small_rows(machine: str, n_rounds: int) -> Iterator[Row]:
    """Run each small job with one thread and with one per core, in turns."""
    n_cores = n_cores_allowed()
    for job, run in (("README", readme_cost), ("fit", fit_cost)):
        costs: dict[int, list[Cost]] = {1: [], n_cores: []}
        with busy_cores(n_cores) if machine == "busy" else nullcontext():
            for _ in range(n_rounds):
                for n_jobs, found in costs.items():
                    found.append(run(n_jobs))
        one, many = min(costs[1]), min(costs[n_cores])
        times = many.cpu / one.cpu
        verdict = "yes" if times <= MOST_TIMES else f"no: {times:.2f} times, the goal is {MOST_TIMES:g}"
        yield Row("small", machine, job, "1 thread", {"cpu": one.cpu, "seconds": one.seconds})
        values = {"cpu": many.cpu, "seconds": many.seconds, "times": times}
        yield Row("small", machine, job, f"{n_cores} threads", values, verdict)


def br_rows(dataset: str, n_rounds: int) -> Iterator[Row]:
    """Train BR on a whole corpus with one thread and with two."""
    need_two_cores()
    problem, contestant = load(dataset), br(FULL.whole)
    fits = [partial(contestant.train, problem, n_jobs) for n_jobs in (1, 2)]
    title = f"{contestant.title}, {setting(problem)}"
    yield from one_and_two_rows(problem, title, fits, n_rounds, same_state, LEAST_SPEEDUP)


def readme_cost(n_jobs: int) -> Cost:
    """Run README's Python example as a process, and take all that it used."""
    found = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, "README has a Python example"
    before, started = children_cpu(), perf_counter()
    subprocess.run([sys.executable, "-c", found[1]], env=environment(n_jobs), capture_output=True, check=True)
    return Cost(children_cpu() - before, perf_counter() - started)


def fit_cost(n_jobs: int) -> Cost:
    """Fit 30 documents in a process, and take what the fit used."""
    ended = subprocess.run(
        [sys.executable, "-c", FIT], env=environment(n_jobs), capture_output=True, text=True, check=True
    )
    return Cost(*map(float, ended.stdout.split()))


def environment(n_jobs: int) -> dict[str, str]:
    """Say how many threads setwise and the libraries below it may use."""
    return {**os.environ, **dict.fromkeys(ONE_THREAD, str(n_jobs))}


def children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def busy_cores(n_cores: int) -> Iterator[None]:
    """Keep every core busy with a process that computes for nothing."""
    busy = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(n_cores)]
    try:
        sleep(SECONDS_TO_SETTLE)
        yield
    finally:
        for process in busy:
            process.kill()
        for process in busy:
            process.wait()
