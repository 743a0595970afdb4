"""Peak memory of one task, measured in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import scipy.sparse as sp

from benchmarks.harness.problem import Problem
from benchmarks.harness.timing import Skipped

MB = 1e6
REPOSITORY = Path(__file__).parents[2]


def measure_memory(problem: Problem, task: str, options: dict[str, Any]) -> dict[str, float]:
    """Run a task of ``memory_probe`` in a fresh process; raise ``Skipped`` where it fails.

    Returns megabytes by name: ``data`` (the matrices), ``before`` the task, at its ``peak``, and of its ``result``.
    """
    if not Path("/proc/self/status").exists():
        raise Skipped("memory is read from /proc, which this system lacks")
    with TemporaryDirectory() as folder:
        for name, matrix in {"X": problem.X, "y": sp.csr_array(problem.y)}.items():
            sp.save_npz(Path(folder) / f"{name}.npz", matrix, compressed=False)
        command = [sys.executable, "-m", "benchmarks.harness.memory_probe", folder, task, json.dumps(options)]
        ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if ended.returncode:
        lines = ended.stderr.strip().splitlines() or [f"no message, exit code {ended.returncode}"]
        raise Skipped(f"the memory probe failed: {lines[-1]}")
    return {name: size / MB for name, size in json.loads(ended.stdout).items()}
