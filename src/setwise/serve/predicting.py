"""From the texts of requests to the bodies of answers: all requests of a batch with the same options at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from setwise.batch_predictions import BatchPredictions, label_probabilities
from setwise.exceptions import SetwiseError
from setwise.explain import Rival
from setwise.posterior import lacking
from setwise.serve.models import LoadedModel
from setwise.serve.problems import Problem

__all__ = ["Options", "PredictJob", "Row", "predict_jobs", "predictions_body"]

Row = dict[str, Any]
"""What is said about one document, as the service answers it."""


@dataclass(frozen=True)
class Options:
    """What is asked about each document."""

    top: int = 0
    """Number of alternatives."""
    least_probability: float | None = None
    """Labels of at least this probability are listed; None lists none."""
    threshold: float | None = None
    """Labels of at least this probability are predicted; None leaves the decision to the model."""


@dataclass(frozen=True, eq=False)
class PredictJob:
    """The texts of one request."""

    model: LoadedModel
    texts: list[str]
    options: Options
    render: Callable[[LoadedModel, list[Row]], bytes]
    """Turns the rows into the body of the answer."""


def predict_jobs(jobs: Sequence[PredictJob]) -> list[bytes | Exception]:
    """Return the body of each answer, or why there is none."""
    groups: dict[tuple[int, Options], list[int]] = {}
    for position, job in enumerate(jobs):
        groups.setdefault((id(job.model), job.options), []).append(position)
    answers: list[bytes | Exception] = [b""] * len(jobs)
    for positions in groups.values():
        for position, answer in zip(positions, _answers([jobs[k] for k in positions]), strict=True):
            answers[position] = answer
    return answers


def _answers(jobs: list[PredictJob]) -> list[bytes | Exception]:
    """Predict jobs that have a model and options in common; where that fails, find out which of them is to blame."""
    try:
        rows = predicted_rows(jobs[0].model, [text for job in jobs for text in job.texts], jobs[0].options)
        answers: list[bytes | Exception] = []
        start = 0
        for job in jobs:
            end = start + len(job.texts)
            answers.append(job.render(job.model, rows[start:end]))
            start = end
    except Exception as error:
        if len(jobs) > 1:
            return [answer for job in jobs for answer in _answers([job])]
        return [Problem(422, str(error)) if isinstance(error, SetwiseError) else error]
    return answers


def predicted_rows(model: LoadedModel, texts: list[str], options: Options) -> list[Row]:
    """Return what is said about each text."""
    if not texts:
        return []
    classifier = model.classifier
    X, coverage = classifier.vectorizer_.transform_with_coverage(texts)
    if options.threshold is None:
        batch = BatchPredictions.compute(classifier, X, coverage)
    else:
        batch = BatchPredictions.above(classifier, X, coverage, options.threshold)
    alternatives: list[list[Rival]] = [[] for _ in texts]
    if options.top and not lacking(classifier.model_, "log_prob"):
        alternatives = classifier.alternatives(X, options.top)
    columns = (batch.labels, batch.confidence, batch.expected_f1, batch.coverage, alternatives)
    rows: list[Row] = [
        {
            "labels": labels,
            "action": None if batch.actions is None else batch.actions[i],
            "confidence": confidence,
            "expected_f1": expected_f1,
            "coverage": share,
            "alternatives": likely,
        }
        for i, (labels, confidence, expected_f1, share, likely) in enumerate(zip(*columns, strict=True))
    ]
    if options.least_probability is not None:
        for row, marginals in zip(rows, label_probabilities(classifier, X, options.least_probability), strict=True):
            row["marginals"] = marginals
    return rows


def predictions_body(ids: Sequence[str | None]) -> Callable[[LoadedModel, list[Row]], bytes]:
    """Return what makes the answer to ``predict`` from rows; a document that came with an id has it again."""

    def render(model: LoadedModel, rows: list[Row]) -> bytes:
        with_ids = [row if one is None else {"id": one, **row} for one, row in zip(ids, rows, strict=True)]
        return orjson.dumps({"model": model.name, "version": model.version, "predictions": with_ids})

    return render
