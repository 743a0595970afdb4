"""The rows of the benchmark of a long file: time and memory of the command, and where the time goes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks.harness.rows import Row
from benchmarks.stream.texts import generate_texts, write_texts
from setwise import load

MAX_MB = 250.0
N_TRAIN = 4000
MAX_SHARE_DOCUMENTS = 5000

# Runs a command and prints its peak memory in kilobytes, which the system reports when a child has ended.
PRINT_PEAK_MEMORY = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def command_rows(dataset: str, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Predict a short and a long file: memory must not grow with the file."""
    with tempfile.TemporaryDirectory() as folder:
        model = train_model(Path(folder))
        for n_documents in sizes:
            texts = write_texts(Path(folder) / "texts.jsonl", n_documents, 1)
            started = perf_counter()
            command = [setwise_command(), "predict", str(model), str(texts), "-o", str(Path(folder) / "out.jsonl")]
            ended = subprocess.run(
                [sys.executable, "-c", PRINT_PEAK_MEMORY, *command], capture_output=True, text=True, check=True
            )
            seconds, peak = perf_counter() - started, int(ended.stdout.split()[-1]) / 1024
            values: dict[str, float | None] = {
                "documents": float(n_documents),
                "seconds": seconds,
                "per second": n_documents / seconds,
                "peak": peak,
            }
            verdict = "yes" if peak <= MAX_MB else f"no: the goal is {MAX_MB:.0f} MB"
            yield Row("command", dataset, "40 labels, 20,000 words", "setwise predict", values, verdict)


def share_rows(dataset: str, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Time the two halves of a prediction in this process: text to features, features to label sets."""
    n_documents = min(MAX_SHARE_DOCUMENTS, max(sizes))
    with tempfile.TemporaryDirectory() as folder:
        classifier = load(train_model(Path(folder)))
    texts = [text for text, _ in generate_texts(n_documents, 2)]
    assert classifier.vectorizer_ is not None
    started = perf_counter()
    X = classifier.vectorizer_.transform(texts)
    transformed = perf_counter()
    classifier.predict_with_value(X)
    ended = perf_counter()
    halves = {"text to TF-IDF": transformed - started, "TF-IDF to label sets": ended - transformed}
    for title, seconds in halves.items():
        values: dict[str, float | None] = {
            "seconds": seconds,
            "per second": n_documents / seconds,
            "percent": 100 * seconds / (ended - started),
        }
        yield Row("share", dataset, f"{n_documents:,} documents", title, values)


def train_model(folder: Path) -> Path:
    """Train a model on synthetic texts by the command line and return its file."""
    texts, model = write_texts(folder / "train.jsonl", N_TRAIN, 0), folder / "synthetic.setwise"
    command = [setwise_command(), "train", str(texts), "-o", str(model), "--budget", "quick"]
    subprocess.run(command, capture_output=True, check=True)
    return model


def setwise_command() -> str:
    """Return the path of the ``setwise`` command of this environment."""
    return str(Path(sys.executable).parent / "setwise")
