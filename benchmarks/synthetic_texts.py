"""Texts that are made up, with labels that their words tell of, as many as are asked for and one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson

N_WORDS = 20_000
N_LABELS = 40
WORDS_A_LABEL = 50
SHARE_OF_OWN_WORDS = 0.3
LENGTH = 80


def write_texts(path: Path, n_documents: int, seed: int) -> Path:
    with path.open("wb") as file:
        for number, (text, labels) in enumerate(made_texts(n_documents, seed)):
            file.write(orjson.dumps({"id": str(number), "text": text, "labels": labels}) + b"\n")
    return path


def made_texts(n_documents: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    random = np.random.default_rng(seed)
    names = [f"word{number:05d}" for number in range(N_WORDS)]
    chances = 1.0 / np.arange(1, N_WORDS + 1)
    chances /= chances.sum()
    of_label = np.random.default_rng(0).choice(N_WORDS, size=(N_LABELS, WORDS_A_LABEL))
    for _ in range(n_documents):
        main = int(random.integers(N_LABELS))
        labels = [main, (main + 1) % N_LABELS] if random.random() < 0.5 else [main]
        words = random.choice(N_WORDS, size=LENGTH, p=chances)
        own = random.random(LENGTH) < SHARE_OF_OWN_WORDS
        words[own] = of_label[
            random.choice(labels, size=int(own.sum())), random.integers(WORDS_A_LABEL, size=own.sum())
        ]
        yield " ".join(names[word] for word in words), sorted(f"label {label}" for label in labels)
