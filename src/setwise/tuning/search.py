"""The search: every cell is trained on a part of the documents and judged on the rest."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sklearn.base import clone

from setwise.exceptions import InvalidData
from setwise.metrics.named import MetricName, checked_metric, oriented
from setwise.models.model_size import ModelSize, model_size
from setwise.prediction import Candidate, Recipe, judged, tune_recipe
from setwise.tuning.fingerprint import fingerprint
from setwise.tuning.grid import Cell, Line
from setwise.tuning.stopping import EarlyStopping, Patience
from setwise.tuning.store import CellStore
from setwise.tuning.validation import Part

__all__ = ["PAPER", "Progress", "Tried", "Watcher", "best_of", "search", "tried_of_row"]

PAPER = Candidate("paper", Recipe("support", "gfm"))
"""The paper's prediction: support inference, then the set of the best expected F1."""


@dataclass(frozen=True)
class Tried:
    """What a cell scored under one judge."""

    cell: Cell
    judge: str
    iterations: int | None
    """To train for; None where training goes to its own end."""
    value: float
    """The metric, on the documents held out."""
    row: dict[str, Any]
    """All that is known of it, as stored."""


@dataclass(frozen=True)
class Progress:
    """How far a training is."""

    done: int = 0
    total: int | None = None
    """None where the steps of the stage cannot be counted."""
    best: Tried | None = None
    stage: str = "tuning"


Watcher = Callable[[Progress], None]


def search(
    model: Any,
    lines: Sequence[Line],
    parts: Sequence[Part],
    *,
    judges: Sequence[Candidate] = (PAPER,),
    metric: MetricName = "instance_f1",
    stopping: Patience | None = None,
    dataset: str = "",
    path: str | Path | None = None,
    watcher: Watcher | None = None,
) -> list[Tried]:
    """Train every cell of the lines on each part, and judge it by each judge: cell after cell, judge after judge.

    With ``stopping`` each fit is watched by the first judge, and the iterations are chosen with the cell; without, fits
    go to their end, each from where the stronger one ended. With several parts a value is that of all their documents
    together, and the iterations are the median of theirs. A judge that has numbers to find finds them on the documents
    that it judges.

    ``path`` names a file of finished cells: a run that was ended in any way goes on there, and gives the same. Only
    documents of the parts are ever read.
    """
    run = _Run(model, parts, judges, checked_metric(metric), stopping, dataset)
    done: dict[tuple[Cell, str], Tried] = {}
    total = sum(len(line.strengths) for line in lines)

    def note(tried: Tried) -> None:
        done[tried.cell, tried.judge] = tried

    def report() -> None:
        if watcher is not None:
            watcher(Progress(len(done) // len(judges), total, best_of(list(done.values()), run.metric)))

    with ExitStack() as stack:
        store = None
        if path is not None:
            what = fingerprint(model, lines, parts, judges, metric, stopping)
            store = stack.enter_context(CellStore(path, {"dataset": dataset, "fingerprint": what}))
            for tried in run.restored(store, lines):
                note(tried)
        report()
        for line in lines:
            missing = {cell for cell in line.cells if any((cell, judge.name) not in done for judge in judges)}
            for found in run.line(line, missing) if missing else ():
                for tried in found:
                    if (tried.cell, tried.judge) not in done:
                        if store is not None:
                            store.add(tried.row)
                        note(tried)
                report()
    return [done[cell, judge.name] for line in lines for cell in line.cells for judge in judges]


def best_of(tried: Sequence[Tried], metric: MetricName = "instance_f1") -> Tried | None:
    """Give the best, the first of equals; None where nothing was tried."""
    return max(tried, key=lambda one: oriented(metric, one.value), default=None)


@dataclass(frozen=True, eq=False)
class _Trained:
    """A cell with its models, one a part, and what was seen of each while it trained."""

    cell: Cell
    models: list[Any]
    iterations: int | None = None
    history: list[list[tuple[float, float]]] = field(default_factory=list)
    """Of each part: iterations that were looked at, and the metric there."""


@dataclass(frozen=True, eq=False)
class _Run:
    model: Any
    parts: Sequence[Part]
    judges: Sequence[Candidate]
    metric: MetricName
    stopping: Patience | None
    dataset: str

    def restored(self, store: CellStore, lines: Sequence[Line]) -> Iterator[Tried]:
        """Read the rows of an earlier run, each checked, so that a damaged one is found before any training."""
        cells = {cell: cell for line in lines for cell in line.cells}
        for number, row in enumerate(store.rows, start=2):
            try:
                self._check_row(row)
                tried = tried_of_row(row)
                cell = cells[tried.cell]
            except (KeyError, TypeError):  # a setting is missing, is not in the grid, or is a list
                reason = "its settings are not of this run"
            except ValueError as error:
                reason = str(error)
            else:
                yield replace(tried, cell=cell)
                continue
            raise InvalidData(
                f"{store.path}, line {number}: a row must be one that this run wrote; {reason}. "
                f"Hint: remove that line, and run again."
            )

    def _check_row(self, row: dict[str, Any]) -> None:
        """Raise ``ValueError`` unless each field of a stored row but its settings has a value that it can have."""
        possible: dict[str, Callable[[Any], bool]] = {
            "dataset": lambda name: name == self.dataset,
            "model": lambda name: name == type(self.model).__name__,
            "judge": lambda name: name in [judge.name for judge in self.judges],
            "iterations": lambda count: count is None or _is_count(count),
            "metric": lambda name: name == self.metric,
            "value": _is_number,
            "seconds": _is_number,
            **dict.fromkeys(ModelSize._fields, _is_count),
            "history": _is_history,
        }
        for name, holds in possible.items():
            if name not in row or not holds(row[name]):
                raise ValueError(f"its {name} is {row.get(name)!r:.40}")

    def line(self, line: Line, wanted: set[Cell]) -> Iterator[list[Tried]]:
        """Train the line and judge the cells that are wanted.

        Where fits start from stronger ones, the whole line is trained anew, so that a run that was cut gives the same.
        """
        base = clone(self.model).set_params(**line.parameters)
        started = time.perf_counter()
        for trained in self._watched(base, line, wanted) if self.stopping else self._path(base, line):
            if trained.cell in wanted:
                seconds = time.perf_counter() - started
                yield [self._judged(trained, judge, seconds) for judge in self.judges]
                started = time.perf_counter()

    def _path(self, base: Any, line: Line) -> Iterator[_Trained]:
        paths = [base.fit_path(part.X, part.y, line.strengths) for part in self.parts]
        for cell, *models in zip(line.cells, *paths, strict=True):
            yield _Trained(cell, models)

    def _watched(self, base: Any, line: Line, wanted: set[Cell]) -> Iterator[_Trained]:
        for cell in line.cells:
            if cell in wanted:
                found = [self._stopped(clone(base).set_params(strength=cell.strength), part) for part in self.parts]
                known = [watch.best_iteration for _, watch in found if watch.best_iteration is not None]
                yield _Trained(
                    cell,
                    [model for model, _ in found],
                    round(statistics.median(known)) if known else None,
                    [
                        [(row["iteration"], oriented(self.metric, row["oriented"])) for row in watch.rows]
                        for _, watch in found
                    ],
                )

    def _stopped(self, model: Any, part: Part) -> tuple[Any, EarlyStopping]:
        """Train until the first judge has seen enough; give the model where it was best, and what was seen."""
        watch = EarlyStopping(
            lambda trained: oriented(self.metric, self._value(self.judges[0], [trained], [part])),
            self.stopping,
            keep=True,
        )
        model.fit(part.X, part.y, callback=watch)
        if watch.best_state is None:  # it was over before the first look
            return model, watch
        return type(model).from_state(watch.best_state), watch

    def _value(self, judge: Candidate, models: Sequence[Any], parts: Sequence[Part]) -> float:
        held = [part.held_out(model) for part, model in zip(parts, models, strict=True)]
        return judged(tune_recipe(judge.recipe, judge.wishes, held, self.metric), held, self.metric)

    def _judged(self, trained: _Trained, judge: Candidate, seconds: float) -> Tried:
        started = time.perf_counter()
        value = self._value(judge, trained.models, self.parts)
        size = model_size(trained.models[0])
        row = {
            "dataset": self.dataset,
            "model": type(self.model).__name__,
            **trained.cell.settings,
            "judge": judge.name,
            "iterations": trained.iterations,
            "metric": self.metric,
            "value": value,
            "seconds": round(seconds + time.perf_counter() - started, 4),
            **size._asdict(),
            "history": trained.history,
        }
        return tried_of_row(row)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_history(value: Any) -> bool:
    """Whether it is, of each part, a list of pairs: an iteration and the metric there."""
    return isinstance(value, list) and all(
        isinstance(part, list)
        and all(isinstance(look, list) and len(look) == 2 and all(map(_is_number, look)) for look in part)
        for part in value
    )


_NOT_SETTINGS = frozenset(
    ["dataset", "model", "judge", "iterations", "metric", "value", "seconds", *ModelSize._fields, "history"]
)


def tried_of_row(row: dict[str, Any]) -> Tried:
    """Read a row as stored."""
    settings = {name: value for name, value in row.items() if name not in _NOT_SETTINGS}
    strength = settings.pop("strength")
    cell = Cell(strength, tuple(sorted(settings.items())))
    return Tried(cell, row["judge"], row["iterations"], row["value"], row)
