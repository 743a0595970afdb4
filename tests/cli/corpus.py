"""A small corpus of made-up news, as files that the commands read."""

from __future__ import annotations

import json
import random
from pathlib import Path

__all__ = ["WORDS", "news", "write_jsonl"]

WORDS = {
    "economy": ["inflation", "wages", "budget", "prices", "bank", "growth", "deficit"],
    "politics": ["minister", "vote", "parliament", "election", "party", "cabinet", "debate"],
    "sport": ["match", "goal", "coach", "league", "striker", "season", "stadium"],
    "weather": ["rain", "storm", "wind", "forecast", "flood", "snow", "sun"],
}
COMMON = ["the", "a", "of", "to", "in", "and", "on", "for", "with", "said", "new", "after", "week"]
SETS = [["sport"], ["weather"], ["economy", "politics"], ["politics"], ["sport", "weather"], ["economy"]]


def news(n: int, random_state: int = 0) -> list[dict[str, object]]:
    """Make up documents whose words tell their labels."""
    dice = random.Random(random_state)
    made: list[dict[str, object]] = []
    for number in range(n):
        labels = dice.choice(SETS)
        own = [word for label in labels for word in WORDS[label]]
        words = dice.choices(own, k=6) + dice.choices(COMMON, k=10)
        dice.shuffle(words)
        made.append({"id": f"d{number}", "text": " ".join(words), "labels": labels})
    return made


def write_jsonl(path: Path, documents: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in documents), encoding="utf-8")
    return path
