"""The stored results of a run: self-contained rows of JSON, in one file per dataset."""

from __future__ import annotations

import base64
import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.run.choices import Choice
from reproduction.run.run_config import peak_mb, versions
from setwise.exceptions import InvalidData
from setwise.models import LabelModel
from setwise.tuning import whole_lines

__all__ = [
    "CorpusRow",
    "HeatMapRow",
    "Row",
    "ScoreRow",
    "mean_by_document",
    "pack",
    "read_row_file",
    "read_rows",
    "row_from_json",
    "row_to_json",
    "score_row",
    "unpack",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CorpusRow:
    """The counts of a dataset that the paper's Table 1 shows."""

    dataset: str
    labels: int
    label_sets: int
    """Distinct label sets of training documents."""
    features: int
    instances: int
    cardinality: float
    instances_per_label: float
    """Mean number of training documents per label."""
    n_train: int
    n_test: int
    unseen: int
    """Test documents whose label set occurs in no training document."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What the row is about."""
        return ("corpus", self.dataset)


@dataclass(frozen=True)
class ScoreRow:
    """One test of a recipe."""

    dataset: str
    model: str
    recipe: str
    repeat: int
    seed: int
    f1: float
    """Mean over the test documents, between 0 and 1."""
    validation_f1: float
    """F1 on the held-out documents that the settings were chosen on."""
    settings: dict[str, Any]
    iterations: int | None
    """Iterations of early stopping; None where training ran to convergence."""
    n_features_used: int
    n_nonzero: int
    n_bytes: int
    seconds: float
    """Time of tuning, training and prediction, without what an earlier row already did."""
    peak_mb: float
    """Peak memory of the process until this row."""
    versions: dict[str, str]
    documents: str
    """F1 of every test document, packed."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What the row is about."""
        return ("score", self.dataset, self.model, self.recipe, self.repeat)

    @property
    def by_document(self) -> Array:
        """F1 of every test document."""
        return unpack(self.documents)


@dataclass(frozen=True)
class HeatMapRow:
    """Test F1 by strength and L1 ratio."""

    dataset: str
    model: str
    recipe: str
    seed: int
    l1_ratios: list[float]
    strengths: list[list[float]]
    """Per L1 ratio, the strongest first."""
    shares: list[float]
    """The strengths as shares of the critical strength of their ratio, at which no label has any weight."""
    f1: list[list[float]]
    seconds: float
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[Any, ...]:
        """What the row is about."""
        return ("heat", self.dataset)


Row = CorpusRow | ScoreRow | HeatMapRow
_KINDS: dict[str, Any] = {"corpus": CorpusRow, "score": ScoreRow, "heat": HeatMapRow}

_SIMPLE_TYPES: dict[str, Any] = {
    "int": int,
    "float": (int, float),
    "str": str,
    "int | None": (int, NoneType),
    "dict[str, Any]": dict,
}


def score_row(
    key: tuple[Any, ...], seed: int, choice: Choice, model: LabelModel, f1: Array, started: float
) -> ScoreRow:
    """Return the row of a key, from the F1 of every test document and the time at which the work on it started."""
    _, dataset, name, recipe, repeat = key
    size = model.size()
    return ScoreRow(
        dataset=dataset,
        model=name,
        recipe=recipe,
        repeat=repeat,
        seed=seed,
        f1=float(f1.mean()),
        validation_f1=choice.value,
        settings=choice.settings,
        iterations=choice.n_iterations,
        n_features_used=size.n_features_used,
        n_nonzero=size.n_nonzero,
        n_bytes=size.n_bytes,
        seconds=round(time.perf_counter() - started, 2),
        peak_mb=peak_mb(),
        versions=versions(),
        documents=pack(f1),
    )


def row_from_json(stored: dict[str, Any]) -> Row:
    """Return the row of a JSON object, after checking its fields."""
    values = dict(stored)
    try:
        row: Row = _KINDS[values.pop("kind")](**values)
        _check(row)
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise InvalidData(f"A row must be one of {', '.join(_KINDS)} with its fields; {error}.") from error
    return row


def _check(row: Row) -> None:
    """Raise unless the fields have their types and agree: a file may be damaged, or written by hand."""
    for one in fields(row):
        value = getattr(row, one.name)
        if not isinstance(value, _SIMPLE_TYPES.get(str(one.type), object)):
            raise TypeError(f"{one.name} is {value!r}")
    if isinstance(row, ScoreRow) and not np.isclose(row.by_document.mean(), row.f1):
        raise ValueError(f"f1 is {row.f1}, which is not the mean over the documents")
    if isinstance(row, HeatMapRow) and np.shape(row.f1) != (len(row.l1_ratios), len(row.shares)):
        raise ValueError("f1 does not have one value per strength and ratio")


def row_to_json(row: Row) -> dict[str, Any]:
    """Return the JSON object that :func:`row_from_json` reads."""
    return {"kind": row.key[0], **asdict(row)}


def read_rows(folder: str | Path) -> list[Row]:
    """Read the rows of every dataset, in the order of their keys, which does not depend on the order of the tasks."""
    rows = [row for path in sorted(Path(folder).glob("*.jsonl")) for row in read_row_file(path)]
    return sorted(rows, key=lambda row: row.key)


def read_row_file(path: Path) -> list[Row]:
    """Read the rows of one file; a missing file has none."""
    rows = []
    lines = enumerate(whole_lines(path.read_bytes(), path) if path.exists() else (), start=1)
    for number, stored in islice(lines, 1, None):  # the first line identifies the run
        try:
            rows.append(row_from_json(stored))
        except InvalidData as error:
            raise InvalidData(f"{path}, line {number}: {error} Hint: remove that line, and run again.") from error
    return rows


def pack(values: Iterable[float]) -> str:
    """Encode numbers with few distinct values: the distinct ones, then the index of each, compressed."""
    array = np.asarray(list(values), dtype="<f8")
    distinct, indices = np.unique(array, return_inverse=True)
    index_type = "<u1" if distinct.size <= 256 else "<u4"
    size = np.uint32(distinct.size).astype("<u4")
    content = size.tobytes() + distinct.tobytes() + indices.astype(index_type).tobytes()
    return base64.b64encode(zlib.compress(content, 9)).decode()


def unpack(text: str) -> Array:
    """Decode the numbers that :func:`pack` encoded."""
    content = zlib.decompress(base64.b64decode(text))
    n_distinct = int(np.frombuffer(content, "<u4", 1)[0])
    distinct = np.frombuffer(content, "<f8", n_distinct, 4)
    indices = np.frombuffer(content, "<u1" if n_distinct <= 256 else "<u4", offset=4 + 8 * n_distinct)
    return np.asarray(distinct[indices], dtype=np.float64)


def mean_by_document(repeats: Sequence[ScoreRow]) -> Array:
    """Return the F1 of every test document, averaged over repeats."""
    return np.asarray(np.mean([row.by_document for row in repeats], axis=0))
