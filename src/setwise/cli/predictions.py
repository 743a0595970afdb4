"""What was predicted for some documents, and the forms in which it is written."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, BinaryIO

import numpy as np
import orjson

from setwise.classifier import SetClassifier
from setwise.data import Document, Names, VectorDocument, WriteOptions, atomic_writer, open_writer
from setwise.data.writing import packed
from setwise.exceptions import Incompatible, InvalidParameter

__all__ = ["Predicted", "open_predictions"]

SEPARATOR = ";"
"""Between labels in csv."""


@dataclass(frozen=True)
class Predicted:
    """Label sets of a batch of documents, and what else was asked for."""

    documents: Sequence[Document]
    labels: list[list[str]]
    expected_f1: list[float | None]
    """None where the inference cannot tell."""
    sets: list[list[tuple[tuple[str, ...], float]]]
    """The most probable of the training sets; empty where none were asked for."""
    marginals: list[dict[str, float]] | None

    @classmethod
    def by(
        cls, classifier: SetClassifier, documents: Sequence[Document], X: Any, top: int, least: float | None
    ) -> Predicted:
        """Predict a batch."""
        decided = classifier.decide(X)
        expected = [None if np.isnan(value) else value for value in decided.value.tolist()]
        found = classifier.predict_sets(X, top) if top else [[] for _ in documents]
        sets = [[(tuple(map(str, one.labels)), one.probability) for one in scored] for scored in found]
        return cls(
            documents,
            classifier.labels_.with_indicator(decided.sets).name_lists(),
            expected,
            sets,
            None if least is None else _marginals(classifier, X, least),
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Give one object a document."""
        for i, (document, labels, expected) in enumerate(
            zip(self.documents, self.labels, self.expected_f1, strict=True)
        ):
            row: dict[str, Any] = {} if document.id is None else {"id": document.id}
            row |= {"labels": labels, "expected_f1": expected}
            if self.sets[i]:
                row["sets"] = [{"labels": list(names), "probability": p} for names, p in self.sets[i]]
            if self.marginals is not None:
                row["marginals"] = self.marginals[i]
            yield row


def _marginals(classifier: SetClassifier, X: Any, least: float) -> list[dict[str, float]]:
    names = [str(name) for name in classifier.classes_]
    found = []
    for chances in classifier.predict_proba(X):
        high = np.flatnonzero(chances >= least)
        found.append({names[label]: float(chances[label]) for label in high[np.argsort(-chances[high], kind="stable")]})
    return found


Write = Callable[[Predicted], None]


@contextmanager
def open_predictions(output: str, format: str | None, labels: tuple[str, ...]) -> Iterator[Write]:
    """Open what predictions are written to; a file is there whole or not at all."""
    format = format or ("jsonl" if output == "-" else _format_of(output))
    if format == "libsvm":
        with open_writer(output, Names(labels=labels), WriteOptions("libsvm")) as write_document:
            yield lambda predicted: _write_vectors(write_document, predicted)
        return
    if format == "parquet" and output == "-":
        raise InvalidParameter("parquet must go to a file; give one with -o.")
    with ExitStack() as stack:
        file = sys.stdout.buffer if output == "-" else stack.enter_context(atomic_writer(output))
        if format != "parquet":  # which packs by itself
            file = stack.enter_context(packed(file, output))
        yield stack.enter_context({"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}[format](file))


def _format_of(output: str) -> str:
    endings = {".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet", ".svm": "libsvm", ".libsvm": "libsvm"}
    ending = PurePath(output.removesuffix(".gz")).suffix.lower()
    if ending not in endings:
        raise InvalidParameter(
            f"{output} must end in one of {', '.join(endings)}, or have its format given by --format."
        )
    return endings[ending]


@contextmanager
def _jsonl(file: BinaryIO) -> Iterator[Write]:
    def write(predicted: Predicted) -> None:
        file.write(b"".join(orjson.dumps(row) + b"\n" for row in predicted.rows()))
        file.flush()

    yield write


@contextmanager
def _csv(file: BinaryIO) -> Iterator[Write]:
    started = False

    def write(predicted: Predicted) -> None:
        nonlocal started
        text = io.StringIO()
        writer = csv.writer(text)
        n_sets = max(map(len, predicted.sets), default=0)
        if not started:
            more = [f"{word}_{k}" for k in range(1, n_sets + 1) for word in ("set", "probability")]
            writer.writerow(
                ["id", "labels", "expected_f1", *more, *(["marginals"] if predicted.marginals is not None else [])]
            )
            started = True
        for i, document in enumerate(predicted.documents):
            cells: list[Any] = [document.id or "", _joined(predicted.labels[i]), predicted.expected_f1[i]]
            for names, probability in predicted.sets[i]:
                cells += [_joined(names), probability]
            cells += [""] * (2 * (n_sets - len(predicted.sets[i])))
            if predicted.marginals is not None:
                cells.append(_joined(f"{name}={p:.6g}" for name, p in predicted.marginals[i].items()))
            writer.writerow(cells)
        file.write(text.getvalue().encode())
        file.flush()

    yield write


def _joined(names: Any) -> str:
    found = list(names)
    if any(SEPARATOR in name for name in found):
        raise Incompatible(f"csv joins labels by {SEPARATOR!r}, which a label has in its name. Hint: write jsonl.")
    return SEPARATOR.join(found)


@contextmanager
def _parquet(file: BinaryIO) -> Iterator[Write]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    scored = pa.struct([("labels", pa.list_(pa.string())), ("probability", pa.float64())])
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("labels", pa.list_(pa.string())),
            ("expected_f1", pa.float64()),
            ("sets", pa.list_(scored)),
            ("marginals", pa.map_(pa.string(), pa.float64())),
        ]
    )
    with pq.ParquetWriter(file, schema) as writer:

        def write(predicted: Predicted) -> None:
            rows = [
                {**row, "marginals": None if "marginals" not in row else list(row["marginals"].items())}
                for row in predicted.rows()
            ]
            writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))

        yield write


def _write_vectors(write_document: Callable[[Document], None], predicted: Predicted) -> None:
    for document, labels in zip(predicted.documents, predicted.labels, strict=True):
        if not isinstance(document, VectorDocument):
            raise Incompatible("libsvm holds vectors; the documents are texts. Hint: write jsonl, csv or parquet.")
        write_document(replace(document, labels=tuple(labels)))
