"""The rows of the benchmark of a long file: the command's time and memory, and where the time goes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks.rows import Row
from benchmarks.synthetic_texts import made_texts, write_texts
from setwise.persistence import load

ALLOWED_MB = 500.0
N_TRAINED_ON = 4000
N_OF_SHARE = 5000

# Runs a command, and prints the most memory it held, in kilobytes: that of a child is known when it has ended.
WATCHED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def command_rows(dataset: str, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Predict a short and a long file: memory must not grow with the file."""
    with tempfile.TemporaryDirectory() as folder:
        model = trained(Path(folder))
        for n_documents in sizes:
            texts = write_texts(Path(folder) / "texts.jsonl", n_documents, 1)
            started = perf_counter()
            command = [setwise(), "predict", str(model), str(texts), "-o", str(Path(folder) / "out.jsonl")]
            ended = subprocess.run(
                [sys.executable, "-c", WATCHED, *command], capture_output=True, text=True, check=True
            )
            seconds, peak = perf_counter() - started, int(ended.stdout.split()[-1]) / 1024
            values = {
                "documents": float(n_documents),
                "seconds": seconds,
                "a second": n_documents / seconds,
                "peak": peak,
            }
            verdict = "yes" if peak <= ALLOWED_MB else f"no: the goal is {ALLOWED_MB:.0f} MB"
            yield Row("command", dataset, "40 labels, 20,000 words", "setwise predict", values, verdict)


def share_rows(dataset: str, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Time the two halves of a prediction in this process: words into numbers, numbers into sets."""
    n_documents = min(N_OF_SHARE, max(sizes))
    with tempfile.TemporaryDirectory() as folder:
        saved = load(trained(Path(folder)))
    texts = [text for text, _ in made_texts(n_documents, 2)]
    assert saved.text is not None
    started = perf_counter()
    X = saved.text.transform(texts)
    between = perf_counter()
    saved.classifier.decide(X)
    ended = perf_counter()
    parts = {"words into TF-IDF": between - started, "TF-IDF into sets": ended - between}
    for title, seconds in parts.items():
        values = {
            "seconds": seconds,
            "a second": n_documents / seconds,
            "percent": 100 * seconds / (ended - started),
        }
        yield Row("share", dataset, f"{n_documents:,} documents", title, values)


def trained(folder: Path) -> Path:
    texts, model = write_texts(folder / "train.jsonl", N_TRAINED_ON, 0), folder / "made.setwise"
    subprocess.run(
        [setwise(), "train", str(texts), "-o", str(model), "--budget", "quick"], capture_output=True, check=True
    )
    return model


def setwise() -> str:
    return str(Path(sys.executable).parent / "setwise")
