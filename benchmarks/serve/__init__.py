"""The service under load: texts and requests per second, and how long requests take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.harness.benchmark import Benchmark

INTRODUCTION = """\
**How to read it.** A model is served by `setwise serve`, one worker, with its default options; the client runs on the
same machine. The texts of synthetic_texts are drawn by Zipf's law, 20 words each; those of goemotions are comments.
The rival, *scikit-learn*, is the same service with another predictor behind it: `TfidfVectorizer` and
`OneVsRestClassifier(LogisticRegression())`, cut at one half. It says nothing about confidence or coverage. *p50* and
*p99* are milliseconds that half and 99 of 100 good requests did not exceed, *lost* are good requests without their
answer, and *relative* is the speed of setwise divided by that of the rival.
"""


@dataclass(frozen=True)
class ServeEffort:
    """How long and by how many connections each service is asked."""

    seconds: float = 60.0
    warm_up_seconds: float = 2.0
    n_train: int | None = None  # training documents; None: all


def load(name: str) -> Any:
    """Return the texts of a data set, and models that are trained when they are first needed."""
    from benchmarks.serve.corpora import ServedCorpus

    return ServedCorpus(name)


NAMES = ("synthetic_texts", "goemotions")

SERVE = Benchmark(
    name="serve",
    description="Measure the HTTP service under load, against the same service with scikit-learn behind it.",
    title="Benchmark of the service",
    introduction=INTRODUCTION,
    datasets={"batches": NAMES, "single": NAMES, "malformed": NAMES},
    full_effort=ServeEffort(),
    quick_effort=ServeEffort(seconds=3.0, warm_up_seconds=0.5, n_train=2000),
    quick_description="three seconds per load, 2,000 training documents",
    packages=("setwise", "scikit-learn", "numpy", "orjson", "starlette", "uvicorn"),
    load=load,
)
"""The command ``python -m benchmarks.serve``."""
