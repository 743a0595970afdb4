"""Fits as tasks return them, in plain form where another process reads them, and the models that they make up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

from setwise._estimator import clone
from setwise.executors import Input, Outcome
from setwise.labels import LabelMatrix
from setwise.models import LabelBlock, LabelModel, ModelState, join_blocks

__all__ = ["Fit", "Fits", "History", "members_of", "read_fits", "with_threads"]

History = list[tuple[int, list[float]]]
"""Iterations that were evaluated during a training, and the metric under each recipe."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A model that was trained on a part, or its labels of one block."""

    model: Any
    best_iteration: int | None = None
    """Where early stopping found the best one; None where there was none."""
    history: History = field(default_factory=list)
    block: LabelBlock | None = None
    """None where it is the whole model."""

    def pack(self) -> dict[str, Any]:
        """Return the fit as plain values and arrays."""
        return {
            "model": _packed(self.model),
            "best_iteration": self.best_iteration,
            "history": self.history,
            "block": self.block,
        }

    @classmethod
    def of(cls, value: Any, model: Any) -> Fit:
        """Return a fit from its plain form; ``model`` has its class and its parameters."""
        if isinstance(value, Fit):
            return value
        history = [(iteration, list(values)) for iteration, values in value["history"]]
        return cls(_unpacked(value["model"], model), value["best_iteration"], history, _block_of(value))


class Fits(Sequence[Any]):
    """The models of all parts, which are read when they are asked for."""

    def __init__(self, outcomes: Sequence[Outcome], model: Any, labels: Sequence[LabelMatrix]) -> None:
        self.outcomes = tuple(outcomes)
        """Of one task per part, or per part, member of an ensemble and label block."""
        self.model = model
        """Their class and parameters."""
        self._labels = labels
        self._read: list[Fit] | None = None

    @property
    def fits(self) -> list[Fit]:
        """Return the fits, read once."""
        if self._read is None:
            self._read = read_fits(self.outcomes, [self.model] * len(self), self._labels)
        return self._read

    def read(self) -> Fits:
        """Read the models now."""
        assert self.fits
        return self

    @overload
    def __getitem__(self, place: int) -> Any: ...

    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...

    def __getitem__(self, place: int | slice) -> Any:
        return [one.model for one in self.fits][place]

    def __len__(self) -> int:
        return len(self._labels)


def read_fits(given: Sequence[Input], models: Sequence[Any], labels: Sequence[LabelMatrix]) -> list[Fit]:
    """Return the fits of some models, whose label blocks and members are fits of their own that follow one another.

    Parameters
    ----------
    given : sequence of Input
    models : sequence of LabelModel
        Their classes and parameters.
    labels : sequence of LabelMatrix
        What each was trained on.
    """
    whole: list[list[Any]] = []
    for value in (one.value for one in given):
        block = _block_of(value)
        if block is None or block.first == 0:
            whole.append([])
        whole[-1].append(value)
    remaining = iter(whole)
    return [_fit_of(remaining, model, y) for model, y in zip(models, labels, strict=True)]


def _fit_of(remaining: Iterator[list[Any]], model: Any, y: LabelMatrix) -> Fit:
    if members := members_of(model):
        return Fit(model.with_fitted([_fit_of(remaining, one.model, y).model for one in members], y))
    pieces = [Fit.of(value, model) for value in next(remaining)]
    blocks = [one.block for one in pieces if one.block is not None]
    return Fit(join_blocks(blocks, [one.model for one in pieces])) if blocks else pieces[0]


def members_of(model: Any) -> Sequence[Any]:
    """Return the members of an ensemble; none of another model."""
    members: Sequence[Any] = getattr(model, "members", ())
    return members


def _block_of(value: Any) -> LabelBlock | None:
    if isinstance(value, Fit):
        return value.block
    return None if value["block"] is None else LabelBlock(*value["block"])


def _packed(model: Any) -> dict[str, Any]:
    """Return a fitted model without its parameters, which are known to who asked for it."""
    state = model.state()
    return {"values": state.values, "arrays": state.arrays, "members": [_packed(one) for one in state.members]}


def _unpacked(value: dict[str, Any], model: Any) -> Any:
    parameters = {name: one for name, one in model.get_params(deep=False).items() if name != "members"}
    members = tuple(
        _unpacked(one, member.model) for one, member in zip(value["members"], members_of(model), strict=False)
    )
    arrays = value["arrays"]
    fitted = type(model).from_state(ModelState(type(model).__name__, parameters, value["values"], arrays, members))
    for name in arrays:
        if name.endswith(".indptr"):  # scipy may have narrowed them, and a model states the bytes that it takes
            weights = getattr(fitted, name.removesuffix(".indptr"))
            weights.indices, weights.indptr = arrays[name.removesuffix("indptr") + "indices"], arrays[name]
    return fitted


def with_threads(n_jobs: int | None, model: Any) -> Any:
    """Return the model with so many threads, as it is where that is None; no result depends on them."""
    if n_jobs is None:
        return model
    changed = clone(model)
    if isinstance(changed, LabelModel) and "n_jobs" in changed.get_params(deep=False):
        changed.set_params(n_jobs=n_jobs)
    if members := members_of(changed):
        changed.members = [replace(one, model=with_threads(n_jobs, one.model)) for one in members]
    return changed
