"""What a run has found: rows of JSON that stand for themselves, a file a dataset."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.exceptions import InvalidData
from setwise.tuning.store import whole_lines

__all__ = [
    "Corpus",
    "Heat",
    "Row",
    "Score",
    "as_stored",
    "mean_by_document",
    "packed",
    "read_rows",
    "row_of",
    "unpacked",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Corpus:
    """A dataset: what the paper's Table 1 tells of one."""

    dataset: str
    labels: int
    label_sets: int
    """Distinct ones of training documents."""
    features: int
    instances: int
    cardinality: float
    instances_per_label: float
    """Training documents a label, on average."""
    n_train: int
    n_test: int
    unseen: int
    """Test documents whose label set no training document has."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What the row is about."""
        return ("corpus", self.dataset)


@dataclass(frozen=True)
class Score:
    """What a recipe came to on the test documents, once."""

    dataset: str
    model: str
    recipe: str
    repeat: int
    seed: int
    f1: float
    """Mean over the test documents, of 1 at most."""
    validation_f1: float
    """On the documents that the settings were chosen by."""
    settings: dict[str, Any]
    iterations: int | None
    """That training was stopped after; None where it went to its end."""
    n_features_used: int
    n_nonzero: int
    n_bytes: int
    seconds: float
    """Of the choice of settings, of training and of prediction, where they were not shared with an earlier row."""
    peak_mb: float
    """Of the process that found it, so far."""
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
        return unpacked(self.documents)


@dataclass(frozen=True)
class Heat:
    """Test F1 over strength and L1 ratio, every other thing the same."""

    dataset: str
    model: str
    recipe: str
    seed: int
    l1_ratios: list[float]
    strengths: list[list[float]]
    """Of each ratio, strongest first."""
    shares: list[float]
    """The same as shares of the ratio's critical strength, at which no label has any weight."""
    f1: list[list[float]]
    seconds: float
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[Any, ...]:
        """What the row is about."""
        return ("heat", self.dataset)


Row = Corpus | Score | Heat
_KINDS: dict[str, Any] = {"corpus": Corpus, "score": Score, "heat": Heat}


_SIMPLE: dict[str, Any] = {
    "int": int,
    "float": (int, float),
    "str": str,
    "int | None": (int, NoneType),
    "dict[str, Any]": dict,
}


def row_of(found: dict[str, Any]) -> Row:
    """Read a row as it is stored."""
    values = dict(found)
    try:
        row: Row = _KINDS[values.pop("kind")](**values)
        _check(row)
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise InvalidData(f"A row must be one of {', '.join(_KINDS)} with its fields; {error}.") from error
    return row


def _check(row: Row) -> None:
    """See that the fields are what they say, for a file may have been damaged or written by hand."""
    for one in fields(row):
        value = getattr(row, one.name)
        if not isinstance(value, _SIMPLE.get(str(one.type), object)):
            raise TypeError(f"{one.name} is {value!r}")
    if isinstance(row, Score) and not np.isclose(row.by_document.mean(), row.f1):
        raise ValueError(f"f1 is {row.f1} and not the mean over the documents")
    if isinstance(row, Heat) and np.shape(row.f1) != (len(row.l1_ratios), len(row.shares)):
        raise ValueError("f1 has not a value for each strength of each ratio")


def as_stored(row: Row) -> dict[str, Any]:
    """Give what :func:`row_of` reads."""
    return {"kind": row.key[0], **asdict(row)}


def read_rows(folder: str | Path) -> list[Row]:
    """Read the rows of every dataset, in the order of names and then of keys, so that no order of work is seen."""
    rows = []
    for path in sorted(Path(folder).glob("*.jsonl")):
        lines = enumerate(whole_lines(path.read_bytes(), path), start=1)
        for number, found in islice(lines, 1, None):  # the first says what run it is
            try:
                rows.append(row_of(found))
            except InvalidData as error:
                raise InvalidData(f"{path}, line {number}: {error} Hint: remove that line, and run again.") from error
    return sorted(rows, key=lambda row: row.key)


def packed(values: Iterable[float]) -> str:
    """Write numbers of which few differ in a few letters: the distinct ones, then the place of each among them."""
    array = np.asarray(list(values), dtype="<f8")
    distinct, places = np.unique(array, return_inverse=True)
    wide = "<u1" if distinct.size <= 256 else "<u4"
    content = np.uint32(distinct.size).astype("<u4").tobytes() + distinct.tobytes() + places.astype(wide).tobytes()
    return base64.b64encode(zlib.compress(content, 9)).decode()


def unpacked(text: str) -> Array:
    """Read what :func:`packed` wrote."""
    content = zlib.decompress(base64.b64decode(text))
    n_distinct = int(np.frombuffer(content, "<u4", 1)[0])
    distinct = np.frombuffer(content, "<f8", n_distinct, 4)
    places = np.frombuffer(content, "<u1" if n_distinct <= 256 else "<u4", offset=4 + 8 * n_distinct)
    return np.asarray(distinct[places], dtype=np.float64)


def mean_by_document(repeats: Sequence[Score]) -> Array:
    """F1 of every test document, averaged over repeats."""
    return np.asarray(np.mean([row.by_document for row in repeats], axis=0))
