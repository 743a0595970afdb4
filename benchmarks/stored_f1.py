"""Per-document F1 in a file, one number a line, for comparisons that come later."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def write_f1(path: Path, f1: Array) -> None:
    lines = "".join(f"{value:.6f}\n" for value in f1)
    path.parent.mkdir(parents=True, exist_ok=True)
    # No time in the file: the same numbers give the same bytes.
    path.write_bytes(gzip.compress(lines.encode("ascii"), mtime=0))


def read_f1(path: Path) -> Array:
    return np.array(gzip.decompress(path.read_bytes()).split(), dtype=np.float64)
