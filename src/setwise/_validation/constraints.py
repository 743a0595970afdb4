"""Constraints on parameters, declared in tables: one row per parameter, read by :func:`check_parameters`.

A class with parameters declares a mapping from their names to constraints, and checks them all in one call::

    check_parameters({"strength": Interval("real", 0), "soft": Boolean()}, {"strength": 0.1, "soft": True})
"""

from __future__ import annotations

import numbers
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from setwise.exceptions import InvalidParameter

__all__ = [
    "AnyOf",
    "Boolean",
    "Constraint",
    "InstanceOf",
    "Interval",
    "ListOf",
    "NonZeroInteger",
    "NoneOr",
    "OneOf",
    "RandomState",
    "Seed",
    "check_parameters",
]

LARGEST_SEED = 2**64 - 1
"""The random generators of the package take a 64-bit key."""


class Constraint(Protocol):
    """A condition on the value of one parameter."""

    @property
    def description(self) -> str:
        """Complete the sentence "<parameter> must be ..."."""
        ...

    @property
    def hint(self) -> str:
        """Advise what to do when the condition is violated; may be empty."""
        ...

    def holds(self, value: Any) -> bool:
        """Return whether ``value`` satisfies the condition."""
        ...


def check_parameters(constraints: Mapping[str, Constraint], values: Mapping[str, Any]) -> None:
    """Raise ``InvalidParameter`` for the first parameter whose value violates its constraint.

    Parameters
    ----------
    constraints : mapping of str to Constraint
        The table: one constraint per parameter.
    values : mapping of str to object
        The value of every parameter in the table, for example ``estimator.get_params(deep=False)``. Values without a
        constraint are ignored.

    Examples
    --------
    >>> check_parameters({"l1_ratio": Interval("real", 0, 1)}, {"l1_ratio": 2})
    Traceback (most recent call last):
    ...
    setwise.exceptions.InvalidParameter: l1_ratio must be a number between 0 and 1; got 2.
    """
    for name, constraint in constraints.items():
        if not constraint.holds(values[name]):
            hint = f" Hint: {constraint.hint}" if constraint.hint else ""
            raise InvalidParameter(f"{name} must be {constraint.description}; got {values[name]!r}.{hint}")


@dataclass(frozen=True)
class Interval:
    """Numbers of one kind between two bounds; booleans, NaN and infinities never belong.

    Parameters
    ----------
    kind : {"real", "integer"}
        "real" accepts integers and floats of Python and numpy, "integer" only integers.
    low, high : float or None
        Bounds; None means no bound.
    closed : {"both", "left", "right", "neither"}
        Which bounds belong to the interval.
    hint : str
        Advice that ends the error message.
    """

    kind: Literal["real", "integer"]
    low: float | None = None
    high: float | None = None
    closed: Literal["both", "left", "right", "neither"] = "both"
    hint: str = ""

    @property
    def description(self) -> str:
        """Describe kind and bounds, as in "an integer of at least 1"."""
        unbounded = self.low is None or self.high is None
        number = "an integer" if self.kind == "integer" else "a finite number" if unbounded else "a number"
        if self.low is not None and self.high is not None and self.closed == "both":
            return f"{number} between {_written(self.low)} and {_written(self.high)}"
        bounds = []
        if self.low is not None:
            bounds.append(f"{'of at least' if self._has_low else 'above'} {_written(self.low)}")
        if self.high is not None:
            at_most = "at most" if bounds else "of at most"
            bounds.append(f"{at_most if self._has_high else 'below'} {_written(self.high)}")
        return " ".join([number, " and ".join(bounds)]).rstrip()

    @property
    def _has_low(self) -> bool:
        return self.closed in ("both", "left")

    @property
    def _has_high(self) -> bool:
        return self.closed in ("both", "right")

    def holds(self, value: Any) -> bool:
        """Return whether ``value`` is a number of this kind inside the bounds."""
        if isinstance(value, bool | np.bool_):
            return False
        if not isinstance(value, numbers.Integral if self.kind == "integer" else numbers.Real):
            return False
        if self.kind == "real":
            try:
                value = float(value)
            except OverflowError:  # an integer or a fraction beyond every float
                return False
            if not np.isfinite(value):
                return False
        above = self.low is None or (value >= self.low if self._has_low else value > self.low)
        below = self.high is None or (value <= self.high if self._has_high else value < self.high)
        return bool(above and below)


def _written(bound: float) -> str:
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:g}"


@dataclass(frozen=True)
class OneOf:
    """Strings from a collection, which may be a registry: its keys are read when a value is checked."""

    values: Collection[str]
    hint: str = ""

    @property
    def description(self) -> str:
        """List the strings, as in "one of 'gfm', 'threshold'"; a single one stands alone."""
        listed = ", ".join(map(repr, self.values))
        return listed if len(self.values) == 1 else f"one of {listed}"

    def holds(self, value: Any) -> bool:
        """Return whether ``value`` is one of the strings."""
        return isinstance(value, str) and value in self.values


@dataclass(frozen=True)
class ListOf:
    """Lists or tuples of at least one value that another constraint permits."""

    values: Constraint

    @property
    def description(self) -> str:
        """Describe the values, as in "a list of transformers"."""
        return f"a list of {self.values.description}"

    @property
    def hint(self) -> str:
        """Return the hint of the values."""
        return self.values.hint

    def holds(self, value: Any) -> bool:
        """Return whether ``value`` is such a list."""
        return isinstance(value, list | tuple) and len(value) > 0 and all(map(self.values.holds, value))


@dataclass(frozen=True)
class InstanceOf:
    """Instances of one class, or of one of several."""

    types: type | tuple[type, ...]
    description: str
    hint: str = ""

    def holds(self, value: Any) -> bool:
        """Return whether ``value`` is an instance of one of the classes."""
        return isinstance(value, self.types)


@dataclass(frozen=True)
class Boolean:
    """True or False, of Python or numpy."""

    description: str = "True or False"
    hint: str = ""

    def holds(self, value: Any) -> bool:
        """Return whether ``value`` is a boolean."""
        return isinstance(value, bool | np.bool_)


@dataclass(frozen=True)
class NonZeroInteger:
    """Integers other than 0, as ``n_jobs`` takes them."""

    description: str = "an integer other than 0"
    hint: str = ""

    def holds(self, value: Any) -> bool:
        """Return whether ``value`` is an integer other than 0."""
        return Interval("integer").holds(value) and value != 0


@dataclass(frozen=True)
class Seed:
    """Integers that can seed a random generator."""

    description: str = "an integer between 0 and 2^64 - 1"
    hint: str = ""

    def holds(self, value: Any) -> bool:
        """Return whether ``value`` is a seed."""
        return Interval("integer", 0, LARGEST_SEED).holds(value)


class AnyOf:
    """Values that satisfy at least one of several constraints."""

    def __init__(self, *constraints: Constraint, hint: str = "") -> None:
        self.constraints = constraints
        self.hint = hint or next((constraint.hint for constraint in constraints if constraint.hint), "")

    @property
    def description(self) -> str:
        """List the alternatives, as in "None, 'auto' or an integer of at least 1"."""
        *others, last = (constraint.description for constraint in self.constraints)
        return f"{', '.join(others)} or {last}" if others else last

    def holds(self, value: Any) -> bool:
        """Return whether ``value`` satisfies one of the constraints."""
        return any(constraint.holds(value) for constraint in self.constraints)


class NoneOr(AnyOf):
    """None, or values that satisfy a constraint."""

    def __init__(self, constraint: Constraint, hint: str = "") -> None:
        alternatives = constraint.constraints if isinstance(constraint, AnyOf) else (constraint,)
        super().__init__(InstanceOf(type(None), "None"), *alternatives, hint=hint or constraint.hint)


class RandomState(NoneOr):
    """Sources of randomness that :func:`setwise._validation.random_seed` turns into a seed."""

    def __init__(self) -> None:
        generators = InstanceOf((np.random.Generator, np.random.RandomState), "a numpy Generator or RandomState")
        super().__init__(AnyOf(Seed(), generators))
