"""The command ``python -m benchmarks.stream``: what ``setwise predict`` takes for a long file of texts."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.benchmark import Benchmark
from benchmarks.command import main

HEAD = """\
# Benchmark of predicting a long file

This page is made by a machine: `make bench-stream` measures and writes it, and the next run undoes changes by hand. Its
rows, as data, are in `{data}`.

**How to read it.** Texts are made up: words by Zipf's law from 20,000, some of them telling of their labels. A model is
trained by `setwise train`; then `setwise predict` runs in a process of its own on files of texts as jsonl.
"""

STREAM = Benchmark(
    name="stream",
    aim="Measure time and memory of setwise predict on a long file.",
    head=HEAD,
    page=Path("docs/benchmarks-stream.md"),
    datasets={"command": ("made_texts",), "share": ("made_texts",)},
    module="benchmarks.stream_sections",
    full=(10_000, 100_000),
    quick=(200, 1_000),
    quick_text="1,000 documents",
    packages=("setwise", "scikit-learn", "numpy", "scipy", "orjson"),
    load=str,
)

if __name__ == "__main__":
    main(STREAM, sys.argv[1:])
