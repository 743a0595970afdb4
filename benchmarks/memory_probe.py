"""Run in a process of its own by ``memory``: read matrices, fit all labels, and print what the process held, as JSON.

The matrices come ready-made: parsing text here would leave free memory behind, in which a fit could hide.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import scipy.sparse as sp

from setwise.learners import fit_labels


def held(field: str) -> int:
    """Bytes by Linux's own account: ``VmRSS`` is held now, ``VmHWM`` was held at most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"/proc/self/status must tell {field}; it does not.")


def size_of(matrix: sp.csr_array) -> int:
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)


def main(folder: Path, strength: float, l1_ratio: float) -> None:
    X, Y = (sp.load_npz(folder / f"{name}.npz") for name in "XY")
    before = held("VmRSS")
    fits = fit_labels(X, Y, strength=strength, l1_ratio=l1_ratio, n_threads=os.cpu_count())
    peak = held("VmHWM")
    result = size_of(sp.csr_array(fits.coef)) + fits.intercept.nbytes
    print(json.dumps({"before": before, "peak": peak, "data": size_of(X) + size_of(Y), "result": result}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
