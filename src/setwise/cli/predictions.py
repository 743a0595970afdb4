"""Predictions for a batch of documents, and the formats in which they are written."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, BinaryIO

import orjson

from setwise.batch_predictions import RankedPredictions
from setwise.classifier import SetClassifier
from setwise.cli.features import EncodedDocuments
from setwise.cli.standard_output import standard_output
from setwise.data import (
    FORMATS,
    Document,
    Names,
    TextDocument,
    VectorDocument,
    WriteOptions,
    atomic_writer,
    escape_formula,
    gzip_by_suffix,
    open_writer,
    require_pyarrow,
)
from setwise.exceptions import Incompatible, InvalidParameter

__all__ = ["WRITERS", "Layout", "Predictions", "open_predictions"]

SEPARATOR = ";"
"""Text between labels in csv."""

_PREDICTION_COLUMN = re.compile(
    r"(input_)*(row|id|labels|action|confidence|expected_f1|coverage|sets|marginals|(set|probability)_\d+)"
)
"""Names of prediction columns; an input column of such a name is written with one more ``input_``."""
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """Optional columns of a table of predictions."""

    n_sets: int = 0
    """Number of most probable label sets per document."""
    marginals: bool = False
    """Whether label probabilities are written."""
    actions: bool = False
    """Whether each document is marked ``accept`` or ``review``."""
    extra_columns: tuple[str, ...] | None = ()
    """Columns copied from the input; None copies the columns of the first batch."""
    escape_formulas: bool = True
    """In csv, put an apostrophe before text that a spreadsheet would run as a formula."""


@dataclass(frozen=True)
class Predictions:
    """Predicted label sets of a batch of documents."""

    row_numbers: Sequence[int]
    """Position of each document in its file, counted from 1."""
    documents: Sequence[Document]
    labels: list[list[str]]
    confidence: list[float | None]
    """Probability that each predicted set is exactly right; None if the model has no confidence."""
    expected_f1: list[float | None]
    """Expected F1 of each predicted set; None if the inference cannot compute it."""
    coverage: list[float | None]
    """Share of the words that the vocabulary contains; None for vectors."""
    sets: list[list[tuple[tuple[str, ...], float]]]
    """Most probable training sets with their probabilities; empty lists if not requested."""
    marginals: list[dict[str, float]] | None
    """Label probabilities from ``min_probability`` up; None if not requested."""
    actions: list[str] | None = None
    """``accept`` or ``review`` for each document; None if the model has no automation threshold."""

    @classmethod
    def compute(
        cls,
        classifier: SetClassifier,
        numbered: Sequence[tuple[int, Document]],
        encoded: EncodedDocuments,
        top: int,
        min_probability: float | None,
        threshold: float | None = None,
    ) -> Predictions:
        """Predict a batch of numbered documents; with ``threshold``, all labels of at least this probability."""
        X, coverage = encoded.X, encoded.coverage
        answers = RankedPredictions.compute(classifier, X, coverage, top, min_probability, threshold)
        return cls.of(numbered, answers)

    @classmethod
    def of(cls, numbered: Sequence[tuple[int, Document]], answers: RankedPredictions) -> Predictions:
        """Put predictions and the numbered documents together that they were made for."""
        batch = answers.batch
        return cls(
            row_numbers=[number for number, _ in numbered],
            documents=[document for _, document in numbered],
            labels=batch.labels,
            confidence=batch.confidence,
            expected_f1=batch.expected_f1,
            coverage=batch.coverage,
            sets=answers.sets,
            marginals=answers.marginals,
            actions=batch.actions,
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one object per document, without the columns copied from the input."""
        columns = (self.row_numbers, self.documents, self.labels, self.confidence, self.expected_f1, self.coverage)
        for i, (number, document, labels, confidence, expected_f1, coverage) in enumerate(zip(*columns, strict=True)):
            row: dict[str, Any] = {"row": number}
            if document.id is not None:
                row["id"] = document.id
            row["labels"] = labels
            if self.actions is not None:
                row["action"] = self.actions[i]
            row["confidence"], row["expected_f1"], row["coverage"] = confidence, expected_f1, coverage
            if self.sets[i]:
                row["sets"] = [{"labels": list(names), "probability": p} for names, p in self.sets[i]]
            if self.marginals is not None:
                row["marginals"] = self.marginals[i]
            yield row

    def extra_columns(self) -> list[dict[str, object]]:
        """Return the columns copied from the input, by output name, for each document."""
        extra = (document.extra if isinstance(document, TextDocument) else None for document in self.documents)
        return [{_output_name(name): value for name, value in (columns or {}).items()} for columns in extra]


def _output_name(name: str) -> str:
    """Return the output name of an input column, which differs from all prediction columns."""
    return f"input_{name}" if _PREDICTION_COLUMN.fullmatch(name) else name


Write = Callable[[Predictions], None]


@contextmanager
def open_predictions(output: str, format: str | None, labels: tuple[str, ...], layout: Layout) -> Iterator[Write]:
    """Open a file for predictions, which is written completely or not at all; ``-`` is standard output."""
    format = format or ("jsonl" if output == "-" else _format_of(output))
    with WRITERS[format](output, labels, layout) as write:
        yield write


def _format_of(output: str) -> str:
    suffixes = {suffix: name for name in WRITERS for suffix in FORMATS[name].suffixes}
    suffix = PurePath(output.removesuffix(".gz")).suffix.lower()
    if suffix not in suffixes:
        raise InvalidParameter(
            f"The format of {output} is unknown. Use a suffix of {', '.join(suffixes)}, or add --format."
        )
    return suffixes[suffix]


@contextmanager
def _open_output(output: str, *, may_be_gzip: bool = True) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        file = standard_output() if output == "-" else stack.enter_context(atomic_writer(output))
        yield stack.enter_context(gzip_by_suffix(file, output)) if may_be_gzip else file


@contextmanager
def _jsonl(output: str, labels: tuple[str, ...], layout: Layout) -> Iterator[Write]:
    with _open_output(output) as file:

        def write(predictions: Predictions) -> None:
            rows: Iterable[dict[str, Any]] = predictions.rows()
            if layout.extra_columns != ():
                rows = (row | extra for row, extra in zip(rows, predictions.extra_columns(), strict=True))
            lines = [orjson.dumps(row, default=str, option=orjson.OPT_APPEND_NEWLINE) for row in rows]
            file.write(b"".join(lines))
            file.flush()

        yield write


class _ExtraColumns:
    """Columns copied from the input into a table, the same for all documents."""

    def __init__(self, layout: Layout) -> None:
        self.names = None if layout.extra_columns is None else [_output_name(name) for name in layout.extra_columns]

    def cells(self, predictions: Predictions) -> list[dict[str, object]]:
        """Return the cells of each document; None where it has no such column."""
        extra = predictions.extra_columns()
        if self.names is None:
            self.names = list(dict.fromkeys(name for columns in extra for name in columns))
        for number, columns in zip(predictions.row_numbers, extra, strict=True):
            if late := columns.keys() - set(self.names):
                raise Incompatible(
                    f"Document {number} has the column {min(late)!r}, which the first documents do not have. "
                    f"Write jsonl, or name the columns with --keep."
                )
        return [{name: columns.get(name) for name in self.names} for columns in extra]


@contextmanager
def _csv(output: str, labels: tuple[str, ...], layout: Layout) -> Iterator[Write]:
    columns, header_written = _ExtraColumns(layout), False
    escape: Callable[[str], str] = escape_formula if layout.escape_formulas else str
    set_columns = [f"{name}_{k}" for k in range(1, layout.n_sets + 1) for name in ("set", "probability")]

    with _open_output(output) as file:

        def write_rows(rows: list[list[Any]]) -> None:
            nonlocal header_written
            text = io.StringIO()
            if not header_written:
                more = ["marginals"] * layout.marginals + [escape(name) for name in columns.names or []]
                action = ["action"] * layout.actions
                stated = ["confidence", "expected_f1", "coverage"]
                rows = [["row", "id", "labels", *action, *stated, *set_columns, *more], *rows]
                header_written = True
            csv.writer(text).writerows(rows)
            file.write(text.getvalue().encode())
            file.flush()

        def write(predictions: Predictions) -> None:
            rows = zip(predictions.rows(), columns.cells(predictions), strict=True)
            write_rows([_csv_cells(row, extra, layout, escape) for row, extra in rows])

        yield write
        if not header_written:  # there were no documents
            write_rows([])


def _csv_cells(
    row: dict[str, Any], extra: dict[str, object], layout: Layout, escape: Callable[[str], str]
) -> list[str | float | None]:
    cells = [row["row"], escape(row.get("id", "")), _join(row["labels"], escape)]
    if layout.actions:
        cells.append(row["action"])
    cells += [row["confidence"], row["expected_f1"], row["coverage"]]
    for scored in row.get("sets", []):
        cells += [_join(scored["labels"], escape), scored["probability"]]
    if layout.marginals:
        cells.append(_join((f"{name}={p:.6g}" for name, p in row["marginals"].items()), escape))
    return cells + [_extra_cell(value, escape) for value in extra.values()]


def _join(names: Iterable[str], escape: Callable[[str], str]) -> str:
    escaped = [escape(name) for name in names]
    if any(SEPARATOR in name for name in escaped):
        raise Incompatible(f"A label contains {SEPARATOR!r}, which separates labels in csv. Write jsonl instead.")
    return SEPARATOR.join(escaped)


def _extra_cell(value: object, escape: Callable[[str], str]) -> str | None:
    """Return a copied value as text; a number is never escaped, though it may begin with a sign."""
    text = _as_text(value)
    return text if text is None or _NUMBER.fullmatch(text) else escape(text)


def _as_text(value: object) -> str | None:
    """Return a copied value as text: strings unchanged, numbers and lists as JSON."""
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value, default=str).decode() if isinstance(value, int | float | list | dict) else str(value)


@contextmanager
def _parquet(output: str, labels: tuple[str, ...], layout: Layout) -> Iterator[Write]:
    if output == "-":
        raise InvalidParameter("parquet cannot be written to standard output. Name a file with -o.")
    require_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    scored = pa.struct([("labels", pa.list_(pa.string())), ("probability", pa.float64())])
    fields = [
        ("row", pa.int64()),
        ("id", pa.string()),
        ("labels", pa.list_(pa.string())),
        *([("action", pa.string())] * layout.actions),
        ("confidence", pa.float64()),
        ("expected_f1", pa.float64()),
        ("coverage", pa.float64()),
        ("sets", pa.list_(scored)),
        ("marginals", pa.map_(pa.string(), pa.float64())),
    ]
    columns = _ExtraColumns(layout)
    with _open_output(output, may_be_gzip=False) as file, ExitStack() as stack:
        table: Any = None

        def write_rows(rows: list[dict[str, Any]]) -> None:
            nonlocal table
            schema = pa.schema(fields + [(name, pa.string()) for name in columns.names or []])
            if table is None:
                table = stack.enter_context(pq.ParquetWriter(file, schema))
            table.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))

        def write(predictions: Predictions) -> None:
            rows = []
            for row, extra in zip(predictions.rows(), columns.cells(predictions), strict=True):
                marginals = list(row["marginals"].items()) if "marginals" in row else None
                rows.append({**row, "marginals": marginals, **{name: _as_text(value) for name, value in extra.items()}})
            write_rows(rows)

        yield write
        if table is None:  # there were no documents
            write_rows([])


@contextmanager
def _libsvm(output: str, labels: tuple[str, ...], layout: Layout) -> Iterator[Write]:
    with open_writer(output, Names(labels=labels), WriteOptions("libsvm")) as write_document:

        def write(predictions: Predictions) -> None:
            for document, names in zip(predictions.documents, predictions.labels, strict=True):
                if not isinstance(document, VectorDocument):
                    raise Incompatible("Texts cannot be written as libsvm. Write jsonl, csv or parquet.")
                write_document(replace(document, labels=tuple(names)))

        yield write


WRITERS: dict[str, Callable[[str, tuple[str, ...], Layout], AbstractContextManager[Write]]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "parquet": _parquet,
    "libsvm": _libsvm,
}
"""Formats of predictions; each writer opens the file named first."""
