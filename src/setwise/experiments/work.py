"""One piece of work, done."""

from __future__ import annotations

from collections.abc import Iterator

from setwise.experiments.corpora import Parts
from setwise.experiments.corpus_work import corpus_row
from setwise.experiments.documents import Documents
from setwise.experiments.heat_work import heat_row
from setwise.experiments.model_work import ModelWork
from setwise.experiments.plan import Work
from setwise.experiments.rows import Row
from setwise.experiments.run_config import Circumstances, Tell

__all__ = ["found_by"]


def found_by(work: Work, run: Circumstances, tell: Tell = lambda done, total: None) -> Iterator[Row]:
    """Give the wanted rows of a piece of work, each as soon as it is found."""
    documents = Documents(Parts(work.dataset, run.data))
    match work.kind:
        case "corpus":
            yield corpus_row(documents)
        case "heat":
            yield heat_row(documents, run, tell)
        case _:
            yield from ModelWork(work, run, tell).rows()
