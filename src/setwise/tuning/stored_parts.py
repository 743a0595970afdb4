"""Parts as tasks read them: in plain form where another process does, and laid out for training once per process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from setwise.executors import Data, Input, Scheduler, TaskContext
from setwise.labels import LabelMatrix, Support
from setwise.learners import FeatureColumns
from setwise.tuning.costs import PartSize, fit_seconds
from setwise.tuning.label_blocks import FitPiece, pieces_of_fit
from setwise.tuning.validation import Part

__all__ = ["StoredPart", "read_part"]


@dataclass(frozen=True, eq=False)
class StoredPart:
    """A part that tasks can read."""

    part: Part
    data: Data
    is_shared: bool
    """Whether tasks run beside this process: then their costs matter, and fits are split in label blocks."""

    @classmethod
    def of(cls, scheduler: Scheduler, part: Part) -> StoredPart:
        """Make a part ready for tasks to read."""
        return cls(part, scheduler.data(part, _packed_part), scheduler.works_ahead)

    @cached_property
    def size(self) -> PartSize:
        """What the cost of tasks depends on."""
        return PartSize.of(self.part)

    def seconds(self, model: Any, *, cold: bool = False) -> float:
        """Return the CPU seconds that a fit will probably take; they do not matter in one process."""
        return fit_seconds(model, self.size, cold=cold) if self.is_shared else 1.0

    def pieces(self, model: Any, *, cold: bool = False) -> list[FitPiece]:
        """Return the label blocks that a fit of the model is split in; one piece where it stays in this process.

        They are the same for all strengths of a path, and whatever the number of workers.
        """
        return pieces_of_fit(model, self.part.y, self.size, cold=cold) if self.is_shared else [FitPiece()]


def read_part(context: TaskContext, given: Input) -> Part:
    """Return a part, laid out for training once per process."""

    def read() -> Part:
        value = given.value
        return value if isinstance(value, Part) else _unpacked_part(value)

    part: Part = context.remember(("part", given.key), read)
    return part


def _packed_part(part: Part) -> dict[str, Any]:
    support = part.support
    return {
        "X": FeatureColumns.matrix_of(part.X),
        "y": _packed_labels(part.y),
        "X_held": part.X_held,
        "y_held": _packed_labels(part.y_held),
        "support": {"sets": _packed_labels(support.sets), "counts": support.counts, "set_of": support.set_of},
        "sample_weight": part.sample_weight,
        "coverage": part.coverage,
    }


def _unpacked_part(value: dict[str, Any]) -> Part:
    support = Support(**{**value["support"], "sets": _unpacked_labels(value["support"]["sets"])})
    return Part(
        value["X"],
        _unpacked_labels(value["y"]),
        value["X_held"],
        _unpacked_labels(value["y_held"]),
        lambda _: support,
        value["sample_weight"],
        coverage=value["coverage"],
    )


def _packed_labels(labels: LabelMatrix) -> dict[str, Any]:
    return {"names": labels.names, "indicator": labels.indicator, "kind": labels.kind}


def _unpacked_labels(value: dict[str, Any]) -> LabelMatrix:
    return LabelMatrix(tuple(value["names"]), value["indicator"], value["kind"])
