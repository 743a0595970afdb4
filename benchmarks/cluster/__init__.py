"""A tuning on several processes: the same bytes, the time it takes, and how it would scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.harness.benchmark import Benchmark

INTRODUCTION = """\
**How to read it.** *serial* tunes in one process, *processes* in two local workers, and *dask* on a scheduler and two
workers that are processes of their own on loopback. All train with one thread per process. *cpu* is the CPU time of
all processes together, in seconds; it says more than *seconds* where other programs use the machine. The simulation
takes the CPU time that each task of a tuning took, and lets the scheduler of setwise itself, with the work of the
process that sends the tasks, distribute them over more workers than this machine has.
"""


@dataclass(frozen=True)
class ClusterEffort:
    """What is tuned and predicted."""

    budget: str = "normal"
    thorough_budget: str = "thorough"
    n_rounds: int = 3
    n_workers: tuple[int, ...] = (1, 2, 8, 64, 512)
    n_texts: tuple[int, ...] = (50_000, 1_000_000)


def load(name: str) -> Any:
    """Return the training documents of a corpus; synthetic texts are only named."""
    from benchmarks.harness.corpora import Parts

    return Parts(name).train() if name == "bibtex" else name


CORPUS = ("bibtex",)

CLUSTER = Benchmark(
    name="cluster",
    description="Compare a tuning in one process, in several, and on a Dask cluster of this machine.",
    title="Benchmark of executors",
    introduction=INTRODUCTION,
    datasets={
        "identity": CORPUS,
        "speed": CORPUS,
        "simulation": CORPUS,
        "costs": CORPUS,
        "shards": ("synthetic_texts",),
        "thorough": CORPUS,
    },
    full_effort=ClusterEffort(),
    quick_effort=ClusterEffort("quick", "quick", 1, n_texts=(5_000, 10_000)),
    quick_description="the quick budget, 10,000 texts",
    packages=("setwise", "scikit-learn", "numpy", "scipy", "distributed"),
    load=load,
)
