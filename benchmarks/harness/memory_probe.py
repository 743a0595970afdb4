"""The process that ``memory`` starts: load two matrices, run a task on them, print memory sizes as JSON.

The matrices come in binary form: parsing text here would leave free memory in the process, and the task could use it
unseen.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from benchmarks.harness.synthetic import synthetic_classifier
from setwise import models
from setwise.exceptions import NotConverged
from setwise.learners import fit_labels


def process_memory(field: str) -> int:
    """Return bytes as Linux counts them: ``VmRSS`` is the current memory, ``VmHWM`` the peak."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"/proc/self/status has no field {field}.")


def sparse_nbytes(matrix: sp.csr_array) -> int:
    """Return the bytes of a sparse matrix."""
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)


def fit_all_labels(X: sp.csr_array, y: sp.csr_array, options: dict[str, Any]) -> int:
    """Fit all labels with these options of ``fit_labels`` and return the bytes of the result."""
    fits = fit_labels(X, y, n_jobs=os.cpu_count(), **options)
    return sparse_nbytes(sp.csr_array(fits.coef)) + fits.intercept.nbytes


def fit_model(X: sp.csr_array, y: sp.csr_array, options: dict[str, Any]) -> int:
    """Fit a model by class name and parameters and return the bytes of its state."""
    model = getattr(models, options["model"])(n_jobs=os.cpu_count(), **options["parameters"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # few iterations are enough to reach the peak
        model.fit(X, y)
    return sum(array.nbytes for array in model.state().arrays.values())


def predict_sets(X: sp.csr_array, y: sp.csr_array, options: dict[str, Any]) -> int:
    """Predict X in one call, by support inference over the sets of y, and return the bytes of the result.

    X and y need not have the same number of rows.
    """
    return sparse_nbytes(synthetic_classifier(X, y).predict(X))


TASKS = {"labels": fit_all_labels, "model": fit_model, "predict": predict_sets}


def main(folder: Path, task: str, options: dict[str, Any]) -> None:
    """Run a task on the matrices of a folder and print bytes by name."""
    X, y = (sp.load_npz(folder / f"{name}.npz") for name in ("X", "y"))
    before = process_memory("VmRSS")
    result = TASKS[task](X, y, options)
    peak = process_memory("VmHWM")
    data = sparse_nbytes(X) + sparse_nbytes(y)
    print(json.dumps({"before": before, "peak": peak, "data": data, "result": result}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]))
