"""Synthetic texts whose words depend on their labels, generated one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson

N_WORDS = 20_000
N_LABELS = 40
WORDS_PER_LABEL = 50
LABEL_WORD_SHARE = 0.3  # of the words of a text, how many come from its labels
WORDS_PER_TEXT = 80


def write_texts(path: Path, n_documents: int, seed: int) -> Path:
    """Write texts with their labels as JSON lines and return the path."""
    with path.open("wb") as file:
        for number, (text, labels) in enumerate(generate_texts(n_documents, seed)):
            file.write(orjson.dumps({"id": str(number), "text": text, "labels": labels}) + b"\n")
    return path


def generate_texts(n_documents: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Yield texts with one or two labels each; the words of a label do not depend on the seed."""
    random = np.random.default_rng(seed)
    vocabulary = [f"word{number:05d}" for number in range(N_WORDS)]
    frequencies = 1.0 / np.arange(1, N_WORDS + 1)
    frequencies /= frequencies.sum()
    label_words = np.random.default_rng(0).choice(N_WORDS, size=(N_LABELS, WORDS_PER_LABEL))
    for _ in range(n_documents):
        main = int(random.integers(N_LABELS))
        labels = [main, (main + 1) % N_LABELS] if random.random() < 0.5 else [main]
        words = random.choice(N_WORDS, size=WORDS_PER_TEXT, p=frequencies)
        from_label = random.random(WORDS_PER_TEXT) < LABEL_WORD_SHARE
        n_from_label = int(from_label.sum())
        words[from_label] = label_words[
            random.choice(labels, size=n_from_label), random.integers(WORDS_PER_LABEL, size=n_from_label)
        ]
        yield " ".join(vocabulary[word] for word in words), sorted(f"label {label}" for label in labels)
