"""A small synthetic news corpus, as files that the commands read."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

__all__ = ["COMMON", "WORDS", "news", "write_jsonl"]

WORDS = {
    "economy": ["inflation", "wages", "budget", "prices", "bank", "growth", "deficit"],
    "politics": ["minister", "vote", "parliament", "election", "party", "cabinet", "debate"],
    "sport": ["match", "goal", "coach", "league", "striker", "season", "stadium"],
    "weather": ["rain", "storm", "wind", "forecast", "flood", "snow", "sun"],
}
COMMON = ["the", "a", "of", "to", "in", "and", "on", "for", "with", "said", "new", "after", "week"]
SETS = [["sport"], ["weather"], ["economy", "politics"], ["politics"], ["sport", "weather"], ["economy"]]


def news(n: int, random_state: int = 0) -> list[dict[str, Any]]:
    """Return ``n`` documents whose words depend on their labels."""
    random_source = random.Random(random_state)
    documents: list[dict[str, Any]] = []
    for number in range(n):
        labels = random_source.choice(SETS)
        label_words = [word for label in labels for word in WORDS[label]]
        words = random_source.choices(label_words, k=6) + random_source.choices(COMMON, k=10)
        random_source.shuffle(words)
        documents.append({"id": f"d{number}", "text": " ".join(words), "labels": labels})
    return documents


def write_jsonl(path: Path, documents: list[dict[str, Any]]) -> Path:
    """Write the documents, one JSON object per line."""
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    return path
