"""Predictions of a batch of documents, and the formats in which they are written."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, BinaryIO

import numpy as np
import orjson

from setwise.classifier import SetClassifier
from setwise.cli.features import Rows
from setwise.data import Document, Names, TextDocument, VectorDocument, WriteOptions, atomic_writer, open_writer
from setwise.data.formats.spreadsheet import escape_formula
from setwise.data.writing import packed
from setwise.exceptions import Incompatible, InvalidParameter

__all__ = ["Layout", "Predicted", "open_predictions"]

SEPARATOR = ";"
"""Between labels in csv."""

_OURS = re.compile(r"(input_)*(row|id|labels|expected_f1|coverage|sets|marginals|(set|probability)_\d+)")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """Which columns a table of predictions has beside those that it always has."""

    n_sets: int = 0
    """How many of the most probable sets each document gets."""
    marginals: bool = False
    kept: tuple[str, ...] | None = ()
    """Columns of the input; None takes those of the first batch."""
    escape_formulas: bool = True
    """csv: put an apostrophe before what a spreadsheet would run as a formula."""


@dataclass(frozen=True)
class Predicted:
    """Label sets of a batch of documents, and what else was asked for."""

    numbers: Sequence[int]
    """The number of each document in its file, counted from 1."""
    documents: Sequence[Document]
    labels: list[list[str]]
    expected_f1: list[float | None]
    """None where the inference cannot tell."""
    coverage: list[float | None]
    """The share of known words; None where documents are vectors."""
    sets: list[list[tuple[tuple[str, ...], float]]]
    """The most probable of the training sets; empty where none were asked for."""
    marginals: list[dict[str, float]] | None

    @classmethod
    def by(
        cls,
        classifier: SetClassifier,
        numbered: Sequence[tuple[int, Document]],
        rows: Rows,
        top: int,
        least: float | None,
    ) -> Predicted:
        """Predict a batch."""
        decided = classifier.decide(rows.X)
        found = classifier.predict_sets(rows.X, top) if top else [[] for _ in numbered]
        sets = [[(tuple(map(str, one.labels)), one.probability) for one in scored] for scored in found]
        return cls(
            [number for number, _ in numbered],
            [document for _, document in numbered],
            classifier.labels_.with_indicator(decided.sets).name_lists(),
            [None if np.isnan(value) else value for value in decided.value.tolist()],
            [None] * len(numbered) if rows.coverage is None else rows.coverage.tolist(),
            sets,
            None if least is None else _marginals(classifier, rows.X, least),
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one object per document, without its kept columns."""
        for i, (number, document) in enumerate(zip(self.numbers, self.documents, strict=True)):
            row: dict[str, Any] = {"row": number} if document.id is None else {"row": number, "id": document.id}
            row |= {"labels": self.labels[i], "expected_f1": self.expected_f1[i], "coverage": self.coverage[i]}
            if self.sets[i]:
                row["sets"] = [{"labels": list(names), "probability": p} for names, p in self.sets[i]]
            if self.marginals is not None:
                row["marginals"] = self.marginals[i]
            yield row

    def kept(self) -> list[dict[str, object]]:
        """Return the kept columns of each document, under the names that they are written by."""
        kept = (one.kept if isinstance(one, TextDocument) else None for one in self.documents)
        return [{_written_name(name): value for name, value in (fields or {}).items()} for fields in kept]


def _written_name(name: str) -> str:
    """Return the name that a kept column is written by, which is none of ours."""
    return f"input_{name}" if _OURS.fullmatch(name) else name


def _marginals(classifier: SetClassifier, X: Any, least: float) -> list[dict[str, float]]:
    names = [str(name) for name in classifier.classes_]
    found = []
    for chances in classifier.predict_proba(X):
        high = np.flatnonzero(chances >= least)
        found.append({names[label]: float(chances[label]) for label in high[np.argsort(-chances[high], kind="stable")]})
    return found


Write = Callable[[Predicted], None]


@contextmanager
def open_predictions(output: str, format: str | None, labels: tuple[str, ...], layout: Layout) -> Iterator[Write]:
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
        yield stack.enter_context({"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}[format](file, layout))


def _format_of(output: str) -> str:
    endings = {".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet", ".svm": "libsvm", ".libsvm": "libsvm"}
    ending = PurePath(output.removesuffix(".gz")).suffix.lower()
    if ending not in endings:
        raise InvalidParameter(
            f"{output} must end in one of {', '.join(endings)}, or have its format given by --format."
        )
    return endings[ending]


@contextmanager
def _jsonl(file: BinaryIO, layout: Layout) -> Iterator[Write]:
    def write(predicted: Predicted) -> None:
        rows = zip(predicted.rows(), predicted.kept(), strict=True)
        file.write(b"".join(orjson.dumps(row | kept, default=str) + b"\n" for row, kept in rows))
        file.flush()

    yield write


class _KeptColumns:
    """The kept columns of a table, which has the same for all documents."""

    def __init__(self, layout: Layout) -> None:
        self.names = None if layout.kept is None else [_written_name(name) for name in layout.kept]

    def cells(self, predicted: Predicted) -> list[dict[str, object]]:
        """Return the kept columns of each document, with the value None where it has no such field."""
        kept = predicted.kept()
        if self.names is None:
            self.names = list(dict.fromkeys(name for fields in kept for name in fields))
        for number, fields in zip(predicted.numbers, kept, strict=True):
            if late := fields.keys() - set(self.names):
                raise Incompatible(
                    f"A table has the columns of its first documents; document {number} also has {min(late)!r}. "
                    f"Hint: write jsonl, or name the columns with --keep."
                )
        return [{name: fields.get(name) for name in self.names} for fields in kept]


@contextmanager
def _csv(file: BinaryIO, layout: Layout) -> Iterator[Write]:
    columns, started = _KeptColumns(layout), False
    escape: Callable[[str], str] = escape_formula if layout.escape_formulas else str
    of_sets = [f"{word}_{k}" for k in range(1, layout.n_sets + 1) for word in ("set", "probability")]

    def put(rows: list[list[Any]]) -> None:
        nonlocal started
        text = io.StringIO()
        if not started:
            more = ["marginals"] * layout.marginals + [escape(name) for name in columns.names or []]
            rows = [["row", "id", "labels", "expected_f1", "coverage", *of_sets, *more], *rows]
            started = True
        csv.writer(text).writerows(rows)
        file.write(text.getvalue().encode())
        file.flush()

    def write(predicted: Predicted) -> None:
        rows = []
        for row, kept in zip(predicted.rows(), columns.cells(predicted), strict=True):
            cells = [row["row"], escape(row.get("id", "")), _joined(row["labels"], escape)]
            cells += [row["expected_f1"], row["coverage"]]
            for one in row.get("sets", []):
                cells += [_joined(one["labels"], escape), one["probability"]]
            if layout.marginals:
                cells.append(_joined((f"{name}={p:.6g}" for name, p in row["marginals"].items()), escape))
            cells += [_kept_cell(value, escape) for value in kept.values()]
            rows.append(cells)
        put(rows)

    yield write
    if not started:  # there are no documents
        put([])


def _joined(names: Iterable[str], escape: Callable[[str], str]) -> str:
    found = [escape(name) for name in names]
    if any(SEPARATOR in name for name in found):
        raise Incompatible(f"csv joins labels by {SEPARATOR!r}, which a label has in its name. Hint: write jsonl.")
    return SEPARATOR.join(found)


def _kept_cell(value: object, escape: Callable[[str], str]) -> str | None:
    """Return a kept value as text; a number is no formula, though it may begin with a sign."""
    text = _as_text(value)
    return text if text is None or _NUMBER.fullmatch(text) else escape(text)


def _as_text(value: object) -> str | None:
    """Return a kept value as text: strings as they are, numbers and lists as JSON, None where there is none."""
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value, default=str).decode() if isinstance(value, int | float | list | dict) else str(value)


@contextmanager
def _parquet(file: BinaryIO, layout: Layout) -> Iterator[Write]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    scored = pa.struct([("labels", pa.list_(pa.string())), ("probability", pa.float64())])
    always = [
        ("row", pa.int64()),
        ("id", pa.string()),
        ("labels", pa.list_(pa.string())),
        ("expected_f1", pa.float64()),
        ("coverage", pa.float64()),
        ("sets", pa.list_(scored)),
        ("marginals", pa.map_(pa.string(), pa.float64())),
    ]
    columns = _KeptColumns(layout)
    with ExitStack() as stack:
        table: Any = None

        def put(rows: list[dict[str, Any]]) -> None:
            nonlocal table
            schema = pa.schema(always + [(name, pa.string()) for name in columns.names or []])
            if table is None:
                table = stack.enter_context(pq.ParquetWriter(file, schema))
            table.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))

        def write(predicted: Predicted) -> None:
            kept = [{name: _as_text(value) for name, value in one.items()} for one in columns.cells(predicted)]
            rows = []
            for row, more in zip(predicted.rows(), kept, strict=True):
                marginals = list(row["marginals"].items()) if "marginals" in row else None
                rows.append({**row, "marginals": marginals, **more})
            put(rows)

        yield write
        if table is None:  # there are no documents
            put([])


def _write_vectors(write_document: Callable[[Document], None], predicted: Predicted) -> None:
    for document, labels in zip(predicted.documents, predicted.labels, strict=True):
        if not isinstance(document, VectorDocument):
            raise Incompatible("libsvm holds vectors; the documents are texts. Hint: write jsonl, csv or parquet.")
        write_document(replace(document, labels=tuple(labels)))
