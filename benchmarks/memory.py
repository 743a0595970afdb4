"""Section ``memory``: what a fit adds to what the process held before."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import scipy.sparse as sp

from benchmarks.peers import Refused
from benchmarks.problem import Penalty, Problem
from benchmarks.rows import Row

MB = 1e6
ALLOWED_MB = 150.0  # beyond the data, which is held before, and the result


def memory_rows(problem: Problem) -> Iterator[Row]:
    for l1_ratio in (1.0, 0.0):
        in_mb = probe(problem, "labels", asdict(Penalty.from_c(1.0, l1_ratio, problem.n_samples)))
        extra = in_mb["peak"] - in_mb["before"] - in_mb["result"]
        yield Row(
            "memory",
            problem.name,
            f"C = 1, l1_ratio = {l1_ratio:g}, {len(problem.all_labels)} labels",
            "setwise, a thread a core",
            {name: in_mb[name] for name in ("data", "before", "peak", "result")},
            "yes" if extra <= ALLOWED_MB else f"no: the goal is {ALLOWED_MB:g} MB",
            f"{max(extra, 0):.0f} MB beyond the data and the result",
        )


def probe(problem: Problem, work: str, options: dict[str, Any]) -> dict[str, float]:
    """Do one of ``memory_probe``'s works in a fresh process; megabytes of the data, before, at the peak, the result."""
    if not Path("/proc/self/status").exists():
        raise Refused("memory is read from /proc, which this system lacks")
    with TemporaryDirectory() as folder:
        parts = {"X": problem.X, "y": sp.csr_array(problem.y)}
        for name, matrix in parts.items():
            sp.save_npz(Path(folder) / f"{name}.npz", matrix, compressed=False)
        command = [sys.executable, "-m", "benchmarks.memory_probe", folder, work, json.dumps(options)]
        root = Path(__file__).parents[1]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        words = done.stderr.strip().splitlines() or [f"it said nothing and ended with {done.returncode}"]
        raise Refused(f"the probe failed: {words[-1]}")
    return {name: size / MB for name, size in json.loads(done.stdout).items()}
