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

from benchmarks.harness.command import THREAD_VARIABLES
from benchmarks.harness.problem import load
from benchmarks.harness.rows import Row
from benchmarks.harness.threads import thread_scaling_rows
from benchmarks.harness.timing import n_cores_allowed
from benchmarks.models import ModelsEffort
from benchmarks.models.entries import br
from benchmarks.models.rows import same_state, shape_of

MAX_RELATIVE = 1.3  # processor seconds of a small job with all threads, relative to one thread
MIN_SPEEDUP = 1.7  # of two threads over one
README = Path("README.md")
SPIN = "while True: pass"
SETTLE_SECONDS = 0.5  # until the processes that load the cores have started

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
    """Processor seconds and wall-clock seconds of one run."""

    cpu: float
    seconds: float


def small_rows(machine: str, n_rounds: int) -> Iterator[Row]:
    """Run each small job with one thread and with one per core, in turns."""
    n_cores = n_cores_allowed()
    for job, run in (("README", readme_cost), ("fit", fit_cost)):
        costs: dict[int, list[Cost]] = {1: [], n_cores: []}
        with loaded_cores(n_cores) if machine == "busy" else nullcontext():
            for _ in range(n_rounds):
                for n_jobs, rounds in costs.items():
                    rounds.append(run(n_jobs))
        one, many = min(costs[1]), min(costs[n_cores])
        relative = many.cpu / one.cpu
        verdict = "yes" if relative <= MAX_RELATIVE else f"no: {relative:.2f} times, the goal is {MAX_RELATIVE:g}"
        yield Row("small", machine, job, "1 thread", {"cpu": one.cpu, "seconds": one.seconds})
        values: dict[str, float | None] = {"cpu": many.cpu, "seconds": many.seconds, "relative": relative}
        yield Row("small", machine, job, f"{n_cores} threads", values, verdict)


def br_rows(dataset: str, n_rounds: int) -> Iterator[Row]:
    """Train BR on a whole corpus with one thread and with two."""
    problem, entry = load(dataset), br(ModelsEffort().timed)
    fits = [partial(entry.train, problem, n_jobs) for n_jobs in (1, 2)]
    title = f"{entry.title}, {shape_of(problem)}"
    yield from thread_scaling_rows(problem.name, title, fits, n_rounds, same_state, MIN_SPEEDUP)


def readme_cost(n_jobs: int) -> Cost:
    """Return the cost of the whole process of README's Python example."""
    example = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None, "README.md has no Python example."
    before, started = children_cpu(), perf_counter()
    subprocess.run([sys.executable, "-c", example[1]], env=environment(n_jobs), capture_output=True, check=True)
    return Cost(children_cpu() - before, perf_counter() - started)


def fit_cost(n_jobs: int) -> Cost:
    """Return the cost of a fit to 30 documents in its own process, without the imports."""
    ended = subprocess.run(
        [sys.executable, "-c", FIT], env=environment(n_jobs), capture_output=True, text=True, check=True
    )
    return Cost(*map(float, ended.stdout.split()))


def environment(n_jobs: int) -> dict[str, str]:
    """Return an environment that limits setwise and the libraries below it to ``n_jobs`` threads."""
    return {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(n_jobs))}


def children_cpu() -> float:
    """Return the processor seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def loaded_cores(n_cores: int) -> Iterator[None]:
    """Load every core with a process that computes until the end of the block."""
    processes = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(n_cores)]
    try:
        sleep(SETTLE_SECONDS)
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
