"""Time and memory of ``setwise predict`` on a long file of texts."""

from __future__ import annotations

from benchmarks.harness.benchmark import Benchmark

INTRODUCTION = """\
**How to read it.** The texts are synthetic: words drawn by Zipf's law from 20,000, some of them typical of the labels.
A model is trained by `setwise train`; then `setwise predict` runs in its own process on JSON lines files of texts.
"""

STREAM = Benchmark(
    name="stream",
    description="Measure time and memory of setwise predict on a long file.",
    title="Benchmark of predicting a long file",
    introduction=INTRODUCTION,
    datasets={"command": ("synthetic_texts",), "share": ("synthetic_texts",)},
    full_effort=(10_000, 100_000),
    quick_effort=(200, 1_000),
    quick_description="1,000 documents",
    packages=("setwise", "scikit-learn", "numpy", "scipy", "orjson"),
    load=str,
)
