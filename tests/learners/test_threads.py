"""Threads change the time of a fit, never its bits; Python goes on meanwhile, and Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from setwise._validation import effective_n_jobs
from setwise.learners import critical_strengths, fit_labels, fit_path
from tests.learners.problems import KINDS, same_bits, small_problem

LARGE = 400
"""Documents of a problem that is worth several threads: smaller ones run on one."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_any_number_of_threads_gives_the_same_bits(kind: str, l1_ratio: float) -> None:
    problem = small_problem(1, n=LARGE, d=30, n_labels=7, kind=kind)
    problem = replace(problem, offset=np.random.default_rng(1).normal(size=(LARGE, 7)))
    one, *others = [
        fit_labels(**problem.data, strength=0.002, l1_ratio=l1_ratio, tol=1e-9, n_jobs=n_jobs)
        for n_jobs in (1, 2, 3, 11, None)
    ]
    for other in others:
        assert same_bits(one, other)
        assert all(np.array_equal(one.history[name], other.history[name]) for name in one.history)


def test_paths_and_critical_strengths_have_the_same_bits_too() -> None:
    problem = small_problem(2, n=LARGE, d=30, n_labels=7)
    one, two = (fit_path(**problem.data, strengths=[0.1, 0.01], tol=1e-9, n_jobs=n) for n in (1, 2))
    assert all(same_bits(a, b) for a, b in zip(one, two, strict=True))
    assert np.array_equal(critical_strengths(**problem.data, n_jobs=1), critical_strengths(**problem.data, n_jobs=2))


def test_the_same_call_twice_gives_the_same_bits() -> None:
    problem = small_problem(3, n=LARGE, d=30, n_labels=7)
    first, second = (fit_labels(**problem.data, strength=0.002, tol=1e-9, n_jobs=2) for _ in range(2))
    assert same_bits(first, second)


def test_python_goes_on_while_a_fit_runs() -> None:
    """A thread counts, with pauses; if the fit held the interpreter it would count nothing."""
    random = np.random.default_rng(4)
    X, y = random.normal(size=(1000, 150)), random.random((1000, 60)) < 0.3
    count, done = 0, threading.Event()

    def keep_counting() -> None:
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.001)

    fit_labels(X[:10], y[:10], strength=1.0)  # whatever happens at a first call
    counter = threading.Thread(target=keep_counting)
    counter.start()
    before = count
    started = time.perf_counter()
    fit_labels(X, y, strength=1e-4, l1_ratio=0.5, tol=1e-10, n_jobs=1)
    elapsed, counted = time.perf_counter() - started, count - before
    done.set()
    counter.join()
    assert elapsed > 0.02, "the fit is too short to tell"
    assert counted > 100 * elapsed  # ten times fewer than an idle machine would count


LONG_FITS = {
    "many labels": "X = random.normal(size=(2000, 300)); y = random.random((2000, 1200)) < 0.5",
    "one hard label": """
X = random.normal(size=(4000, 10)) @ random.normal(size=(10, 1000)) + 0.05 * random.normal(size=(4000, 1000))
y = random.random((4000, 1)) < 0.5""",
}

# A shell that runs the tests in the background has Ctrl-C ignored, and Python then does not raise it by itself.
PROGRAM = """
import signal
import numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)
from setwise.learners import FeatureColumns, fit_labels
random = np.random.default_rng(0)
{data}
columns = FeatureColumns.of(X)
print("fitting", flush=True)
fit_labels(columns, y, strength=1e-6, l1_ratio=0.9, tol=1e-12, n_jobs=2)
print("done", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl-C to a whole console, not to one process")
@pytest.mark.parametrize("data", LONG_FITS.values(), ids=LONG_FITS.keys())
def test_ctrl_c_ends_a_long_fit_soon(data: str) -> None:
    program = [sys.executable, "-c", PROGRAM.format(data=data)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "fitting\n"
            time.sleep(1.5)
            assert process.poll() is None, "the fit is too short to interrupt"
            process.send_signal(signal.SIGINT)
            started = time.perf_counter()
            output, errors = process.communicate(timeout=60)
            elapsed = time.perf_counter() - started
        finally:
            process.kill()
    assert output == ""
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode != 0
    assert elapsed < 3.0  # about a second is promised; the rest is for busy machines


def test_fits_of_several_python_threads_run_side_by_side() -> None:
    problem = small_problem(5, n=LARGE, d=30, n_labels=7)
    alone = fit_labels(**problem.data, strength=0.002, tol=1e-9, n_jobs=2)
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(fit_labels, **problem.data, strength=0.002, tol=1e-9, n_jobs=2) for _ in range(20)]
    assert all(same_bits(alone, future.result(timeout=60)) for future in futures)


FORK = """
import multiprocessing
import numpy as np
from setwise.learners import fit_labels

def total(seed):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(400, 20)), random.random((400, 6)) < 0.4
    return float(fit_labels(X, y, strength=0.01, n_jobs=2).coef.sum())

if __name__ == "__main__":
    here = [total(seed) for seed in range(4)]  # the threads of this process exist before it forks
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(total, range(4)).get(timeout=30) == here
    assert total(0) == here[0]
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_fits_too() -> None:
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr


TASKS = """
import os
import numpy as np
from setwise.learners import fit_labels

def fitted(n):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(n, 20)), random.random((n, 6)) < 0.4
    fit_labels(X, y, strength=0.01, n_jobs=2)
    return len(os.listdir("/proc/self/task"))

before = len(os.listdir("/proc/self/task"))
print(fitted(20) - before, fitted(2000) > before)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="this system does not list the threads of a process")
def test_a_tiny_fit_wakes_no_thread_and_a_large_one_does() -> None:
    found = subprocess.run([sys.executable, "-c", TASKS], capture_output=True, text=True, timeout=120, check=True)
    assert found.stdout.split() == ["0", "True"]


@pytest.mark.skipif(not os.path.isfile("/proc/self/maps"), reason="this system does not list the libraries in use")
def test_the_core_uses_no_openmp_library_whose_threads_would_spin() -> None:
    program = "import setwise._core; print(open('/proc/self/maps').read())"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert "setwise" in found.stdout
    assert not [name for name in ("libgomp", "libomp", "libiomp") if name in found.stdout]


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="this system does not list the threads of a process")
def test_threads_sleep_between_calls() -> None:
    problem = small_problem(6, n=2000, d=30, n_labels=7)
    fit_labels(**problem.data, strength=0.002, tol=1e-9, n_jobs=2)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.1


@pytest.mark.parametrize(
    ("value", "expected"), [("1", 1), ("1,4", 1), (" 1 ", 1), ("0", None), ("many", None), ("", None), ("-2", None)]
)
def test_omp_num_threads_is_honoured(monkeypatch: pytest.MonkeyPatch, value: str, expected: int | None) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = effective_n_jobs(None)
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert effective_n_jobs(None) == (expected or cores)
    assert effective_n_jobs(2) == min(2, os.cpu_count() or 1)  # what is given goes first
    monkeypatch.setenv("OMP_NUM_THREADS", "1000")
    assert effective_n_jobs(None) == cores
