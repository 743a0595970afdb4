"""A small model and documents that it has not seen, with mistakes of every kind."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from setwise import SetClassifier
from setwise.reports import Report, make_report
from tests.cli.corpus import news

__all__ = ["LABELS", "TEXTS", "noisy", "report", "trained"]


def noisy(n: int, random_state: int) -> tuple[list[str], list[list[str]]]:
    """Return texts with labels, a quarter of which are drawn anew: some empty, some of a label that none else has."""
    documents, source = news(n, random_state), random.Random(random_state)
    others: list[list[str]] = [[], ["sport", "weather", "economy"], ["politics"], ["economy"]]
    labels = [source.choice(others) if source.random() < 0.25 else list(one["labels"]) for one in documents]
    return [str(one["text"]) for one in documents], labels


TEXTS, LABELS = noisy(240, 5)
LABELS[7] = ["never seen", "sport"]


@cache
def trained(model: Any = "br", **options: Any) -> SetClassifier:
    """Return a classifier of texts, trained on other documents."""
    return SetClassifier(model, budget="quick", n_jobs=1, **options).fit(*noisy(200, 1))


@cache
def report() -> Report:
    """Return the report of the model on the documents."""
    return make_report(trained(), TEXTS, LABELS)
