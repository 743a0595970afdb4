"""The process that trains the default: read matrices, train, print what it took as JSON."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from time import perf_counter, process_time

import scipy.sparse as sp

from benchmarks.harness.memory_probe import process_memory
from setwise import SetClassifier
from setwise.exceptions import NotConverged
from setwise.metrics import instance_f1
from setwise.models import BudgetName

MB = 1e6


def main(folder: Path, budget: BudgetName, n_jobs: int) -> None:
    """Train on the matrices of a folder."""
    X, y = (sp.load_npz(folder / f"{name}.npz") for name in ("X", "y"))
    started, cpu = perf_counter(), process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        classifier = SetClassifier(budget=budget, n_jobs=n_jobs).fit(X, y)
    seconds, cpu = perf_counter() - started, process_time() - cpu
    peak = process_memory("VmHWM") / MB
    X_test, y_test = (sp.load_npz(folder / f"{name}.npz") for name in ("X_test", "y_test"))
    f1 = 100 * instance_f1(y_test, classifier.predict(X_test))
    result = classifier.tuning_
    trials = "" if result is None else ", ".join(f"{one.name} {100 * one.value:.1f}" for one in result.model_trials)
    print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, "F1": f1, "stages": trials}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))  # type: ignore[arg-type]
