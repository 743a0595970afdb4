"""Run in a process of its own by ``memory``: read matrices, work on them, and print what the process held, as JSON.

The matrices come ready-made: parsing text here would leave free memory behind, in which the work could hide.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from benchmarks.prediction import with_made_weights
from setwise import models
from setwise.exceptions import NotConverged
from setwise.learners import fit_labels


def held(field: str) -> int:
    """Bytes by Linux's own account: ``VmRSS`` is held now, ``VmHWM`` was held at most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"/proc/self/status must tell {field}; it does not.")


def size_of(matrix: sp.csr_array) -> int:
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)


def fit_all_labels(X: sp.csr_array, y: sp.csr_array, options: dict[str, Any]) -> int:
    """Fit the labels with these options of ``fit_labels``; bytes of the result."""
    fits = fit_labels(X, y, n_jobs=os.cpu_count(), **options)
    return size_of(sp.csr_array(fits.coef)) + fits.intercept.nbytes


def fit_model(X: sp.csr_array, y: sp.csr_array, options: dict[str, Any]) -> int:
    """Fit a model by its name and parameters; bytes of the result."""
    model = getattr(models, options["model"])(n_jobs=os.cpu_count(), **options["parameters"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # the peak is there after few iterations
        model.fit(X, y)
    return sum(array.nbytes for array in model.state().arrays.values())


def predict_sets(X: sp.csr_array, y: sp.csr_array, options: dict[str, Any]) -> int:
    """Predict all documents in one call, by support inference over the sets of y, which may be more; bytes of the
    result.
    """
    return size_of(with_made_weights(X, y).predict(X))


WORKS = {"labels": fit_all_labels, "model": fit_model, "predict": predict_sets}


def main(folder: Path, work: str, options: dict[str, Any]) -> None:
    X, y = (sp.load_npz(folder / f"{name}.npz") for name in "XY")
    before = held("VmRSS")
    result = WORKS[work](X, y, options)
    peak = held("VmHWM")
    print(json.dumps({"before": before, "peak": peak, "data": size_of(X) + size_of(y), "result": result}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]))
