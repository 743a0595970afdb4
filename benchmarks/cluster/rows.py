"""The rows of the benchmark of executors."""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.cluster import ClusterEffort
from benchmarks.cluster.local_cluster import local_cluster
from benchmarks.cluster.simulated import SimulatedExecutor
from benchmarks.harness.rows import Row
from benchmarks.stream.rows import PRINT_PEAK_MEMORY, setwise_command, train_model
from benchmarks.stream.texts import generate_texts
from setwise import SetClassifier
from setwise.exceptions import NotConverged
from setwise.executors import DaskExecutor, Executor, ProcessExecutor, SerialExecutor

N_WORKERS = 2
GOAL = 1.6
FULL_CORE = 0.95
"""Less of a core than this is noted: other programs use the machine."""

MAX_MB = 400.0
N_DISTINCT_TEXTS = 2000
WORDS_OF_SHORT_TEXTS = 12


@dataclass(frozen=True)
class Tuned:
    """One tuning: its model, and what it cost."""

    digest: str
    seconds: float
    cpu: float

    def note(self, n_cores: int) -> str:
        """Return a remark where the processes did not get their cores."""
        share = self.cpu / self.seconds / n_cores
        return "" if share >= FULL_CORE else f"machine busy, or waiting: {share:.2f} of {n_cores} cores used"


def tune(train: Any, budget: str, executor: Executor) -> Tuned:
    """Tune and save a classifier."""
    before, started = cpu_seconds(), perf_counter()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        parameters: dict[str, Any] = {"budget": budget, "n_jobs": 1, "executor": executor}
        classifier = SetClassifier(**parameters).fit(train.X, train.y)
        seconds = perf_counter() - started
        classifier.save(Path(folder) / "model.setwise")
        digest = hashlib.sha256((Path(folder) / "model.setwise").read_bytes()).hexdigest()
    return Tuned(digest, seconds, cpu_seconds() - before)


def cpu_seconds() -> float:
    """Return the CPU time of this process and of all that it started and that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@cache
def recorded(budget: str) -> Path:
    """Return an empty work folder, which stays until the run of the benchmark ends."""
    folder = tempfile.TemporaryDirectory(prefix="setwise-benchmark-")
    _KEPT.callback(folder.cleanup)
    return Path(folder.name)


_KEPT = ExitStack()
_TUNED: dict[str, Tuned] = {}


def recorded_tuning(train: Any, budget: str) -> tuple[Path, Tuned]:
    """Tune in local processes once per budget; return the work folder with its tasks, and what it cost."""
    folder = recorded(budget)
    if budget not in _TUNED:
        _TUNED[budget] = tune(train, budget, ProcessExecutor(N_WORKERS, folder))
    return folder, _TUNED[budget]


def on_dask(train: Any, budget: str) -> Tuned:
    """Tune on a scheduler and workers of this machine."""
    before = cpu_seconds()
    with tempfile.TemporaryDirectory() as folder, local_cluster(Path(folder), N_WORKERS) as cluster:
        tuned = tune(train, budget, DaskExecutor(cluster.address))
    return Tuned(tuned.digest, tuned.seconds, cpu_seconds() - before)  # the workers have ended only now


def identity_rows(train: Any, effort: ClusterEffort) -> Iterator[Row]:
    """Tune by each executor: all models must have the same bytes."""
    return same_bytes("identity", train, effort.budget)


def thorough_rows(train: Any, effort: ClusterEffort) -> Iterator[Row]:
    """Do the same with the largest budget."""
    return same_bytes("thorough", train, effort.thorough_budget)


def same_bytes(section: str, train: Any, budget: str) -> Iterator[Row]:
    """Compare the model files of all executors."""
    expected = ""
    runs: dict[str, tuple[int, Callable[[], Tuned]]] = {
        "serial": (1, lambda: tune(train, budget, SerialExecutor())),
        "processes": (N_WORKERS, lambda: recorded_tuning(train, budget)[1]),
        "dask": (N_WORKERS, lambda: on_dask(train, budget)),
    }
    for name, (n_cores, run) in runs.items():
        tuned = run()
        expected = expected or tuned.digest
        verdict = "yes" if tuned.digest == expected else "no: another model"
        values: dict[str, float | None] = {"seconds": tuned.seconds, "cpu": tuned.cpu}
        note = "; ".join(filter(None, [f"sha256 {tuned.digest[:16]}", tuned.note(n_cores)]))
        yield Row(section, "bibtex", f"budget {budget}", name, values, verdict, note)


def speed_rows(train: Any, effort: ClusterEffort) -> Iterator[Row]:
    """Tune by one worker and by two, in turn; the fastest round of each counts."""
    best: dict[int, Tuned] = {}
    for _ in range(effort.n_rounds):
        for n_workers in (1, N_WORKERS):
            tuned = tune(train, effort.budget, ProcessExecutor(n_workers))
            if n_workers not in best or tuned.seconds < best[n_workers].seconds:
                best[n_workers] = tuned
    for n_workers, tuned in best.items():
        speedup = best[1].seconds / tuned.seconds
        verdict = "" if n_workers == 1 else "yes" if speedup >= GOAL else f"no: the goal is {GOAL:g}"
        values: dict[str, float | None] = {"seconds": tuned.seconds, "cpu": tuned.cpu, "speedup": speedup}
        entry = f"{n_workers} worker{'s' if n_workers > 1 else ''}"
        yield Row("speed", "bibtex", f"budget {effort.budget}", entry, values, verdict, tuned.note(n_workers))


def simulation_rows(train: Any, effort: ClusterEffort) -> Iterator[Row]:
    """Let more and more workers do the tasks of a tuning, each in the CPU time that it took."""
    folder, _ = recorded_tuning(train, effort.budget)
    alone: float | None = None
    for n_workers in effort.n_workers:
        executor = SimulatedExecutor(folder, n_workers)
        tune(train, effort.budget, executor)
        found = executor.schedule()
        alone = alone or found.duration
        values: dict[str, float | None] = {
            "seconds": found.duration,
            "tasks": found.n_tasks,
            "work": found.work,
            "driver": found.driver,
            "critical path": found.critical_path,
            "speedup": alone / found.duration,
            "efficiency": 100 * alone / found.duration / n_workers,
        }
        verdict = ""
        if n_workers == N_WORKERS:
            verdict = "yes" if alone / found.duration >= GOAL else f"no: the goal is {GOAL:g}"
        yield Row("simulation", "bibtex", f"budget {effort.budget}", f"{n_workers} workers", values, verdict)


def cost_rows(train: Any, effort: ClusterEffort) -> Iterator[Row]:
    """Compare what `setwise train --dry-run` estimates with what the tasks took."""
    folder, _ = recorded_tuning(train, effort.budget)
    executor = SimulatedExecutor(folder, 1)
    tune(train, effort.budget, executor)
    plan = SetClassifier(budget=effort.budget, n_jobs=1).plan(train.X, train.y)  # type: ignore[arg-type]
    measured = executor.measured()
    estimated: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for one in plan.tasks:
        kind = kind_of_plan(one.title)
        estimated[kind][0] += one.n_tasks
        estimated[kind][1] += one.cpu_seconds
    for kind in dict.fromkeys([*estimated, *measured]):
        n_planned, cpu_planned = estimated.get(kind, [0.0, 0.0])
        n_tasks, cpu = measured.get(kind, (0, 0.0))
        yield cost_row(effort.budget, kind, n_planned, cpu_planned, n_tasks, cpu, None, None)
    n_tasks = sum(n for n, _ in measured.values())
    cpu = sum(seconds for _, seconds in measured.values())
    peak = executor.peak_bytes() / 1e6
    yield cost_row(effort.budget, "all", plan.n_tasks, plan.cpu_seconds, n_tasks, cpu, plan.worker_bytes / 1e6, peak)


def cost_row(
    budget: str,
    kind: str,
    n_planned: float,
    cpu_planned: float,
    n_tasks: int,
    cpu: float,
    memory_planned: float | None,
    memory: float | None,
) -> Row:
    values: dict[str, float | None] = {
        "planned": n_planned,
        "tasks": n_tasks,
        "estimate": cpu_planned,
        "cpu": cpu,
        "memory estimate": memory_planned,
        "peak": memory,
    }
    return Row("costs", "bibtex", f"budget {budget}", kind, values)


def kind_of_plan(title: str) -> str:
    """Return the kind of planned tasks, whatever their model."""
    return title.split(" of ")[0] if " of " in title else title


def shard_rows(dataset: str, effort: ClusterEffort) -> Iterator[Row]:
    """Predict a short and a long file by shards: memory must not grow with the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = train_model(folder)
        for number, n_documents in enumerate(effort.n_texts):
            texts = write_short_texts(folder / "texts.jsonl", n_documents)
            arguments = [setwise_command(), "predict", str(model), str(texts)]
            sharded = [*arguments, "-o", str(folder / "sharded.jsonl"), "--cluster", f"local:{N_WORKERS}"]
            before, started = cpu_seconds(), perf_counter()
            ended = subprocess.run(
                [sys.executable, "-c", PRINT_PEAK_MEMORY, *sharded], capture_output=True, text=True, check=True
            )
            tuned = Tuned("", perf_counter() - started, cpu_seconds() - before)
            peak, verdict, note = int(ended.stdout.split()[-1]) / 1024, "", tuned.note(N_WORKERS)
            if number == 0:  # the usual output of a long file would take as long again
                subprocess.run([*arguments, "-o", str(folder / "usual.jsonl")], capture_output=True, check=True)
                same = (folder / "sharded.jsonl").read_bytes() == (folder / "usual.jsonl").read_bytes()
                verdict = "yes" if same else "no: another output"
            elif peak > MAX_MB:
                verdict = f"no: the goal is {MAX_MB:.0f} MB"
            else:
                verdict = "yes"
            values: dict[str, float | None] = {
                "documents": float(n_documents),
                "seconds": tuned.seconds,
                "cpu": tuned.cpu,
                "per second": n_documents / tuned.seconds,
                "peak": peak,
            }
            yield Row("shards", dataset, "12 words per text", f"{N_WORKERS} processes", values, verdict, note)


def write_short_texts(path: Path, n_documents: int) -> Path:
    """Write texts of a few words each, no two of them equal."""
    words = [text.split()[:WORDS_OF_SHORT_TEXTS] for text, _ in generate_texts(N_DISTINCT_TEXTS, 3)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(n_documents):
            text = " ".join(words[number % N_DISTINCT_TEXTS])
            file.write(f'{{"id": "{number}", "text": "{text} number{number}"}}\n')
    return path
