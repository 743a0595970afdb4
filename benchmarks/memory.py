"""Section ``memory``: what fitting all labels adds to what the process held before."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import scipy.sparse as sp

from benchmarks.peers import Refused
from benchmarks.problem import Penalty, Problem
from benchmarks.rows import Row

MB = 1e6
ALLOWED_MB = 150.0  # beyond the data, which is held before, and the result


def memory_rows(problem: Problem) -> Iterator[Row]:
    for l1_ratio in (1.0, 0.0):
        sizes = probe(problem, Penalty.from_c(1.0, l1_ratio, problem.n_samples))
        in_mb = {name: size / MB for name, size in sizes.items()}
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


def probe(problem: Problem, penalty: Penalty) -> dict[str, int]:
    if not Path("/proc/self/status").exists():
        raise Refused("memory is read from /proc, which this system lacks")
    with TemporaryDirectory() as folder:
        parts = {"X": problem.X, "Y": sp.csr_array(problem.Y)}
        for name, matrix in parts.items():
            sp.save_npz(Path(folder) / f"{name}.npz", matrix, compressed=False)
        arguments = [folder, str(penalty.strength), str(penalty.l1_ratio)]
        command = [sys.executable, "-m", "benchmarks.memory_probe", *arguments]
        root = Path(__file__).parents[1]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"the probe failed: {done.stderr.strip().splitlines()[-1]}")
    sizes: dict[str, int] = json.loads(done.stdout)
    return sizes
