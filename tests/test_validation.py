"""Parameter tables: what each constraint accepts, how it describes itself, and how parameters are converted."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from setwise._validation import (
    BETA,
    L1_RATIO,
    MAX_ITER,
    N_JOBS,
    STRENGTH,
    TOL,
    AnyOf,
    Boolean,
    Constraint,
    InstanceOf,
    Interval,
    NoneOr,
    OneOf,
    RandomState,
    Seed,
    check_parameters,
    effective_n_jobs,
    random_seed,
)
from setwise.exceptions import InvalidParameter

HUGE = 10**400  # beyond every float
NOT_NUMBERS = [True, False, np.True_, None, "1", 1j, [1], np.array([1])]

CONSTRAINTS: dict[str, tuple[Constraint, str, list[Any], list[Any]]] = {
    "real, closed below": (
        Interval("real", 0),
        "a finite number of at least 0",
        [0, 0.0, 1e308, np.float32(0.5), np.int64(3), Fraction(1, 3)],
        [-1e-9, np.nan, np.inf, HUGE, *NOT_NUMBERS],
    ),
    "real, open below": (Interval("real", 0, closed="neither"), "a finite number above 0", [5e-324], [0, 0.0, -1.0]),
    "real, closed": (Interval("real", 0, 1), "a number between 0 and 1", [0, 0.5, 1], [-0.1, 1.1, np.nan]),
    "real, open": (Interval("real", 0, 1, closed="neither"), "a number above 0 and below 1", [0.5], [0, 1]),
    "real, half open": (
        Interval("real", 0, 1e100, closed="right"),
        "a number above 0 and at most 1e+100",
        [1e-9, 1e100],
        [0.0, 1.1e100, np.inf],
    ),
    "integer": (
        Interval("integer", 1),
        "an integer of at least 1",
        [1, HUGE, np.int32(7), np.uint8(1)],
        [0, -1, 1.0, np.float64(2), *NOT_NUMBERS],
    ),
    "integer, closed": (Interval("integer", 1, 2**31 - 2), "an integer between 1 and 2,147,483,646", [1], [2**31 - 1]),
    "integer, at most": (Interval("integer", high=-1), "an integer of at most -1", [-1, -HUGE], [0, 1]),
    "integer, any": (Interval("integer"), "an integer", [0, -HUGE], [0.5, True]),
    "strings": (OneOf(("gfm", "threshold")), "one of 'gfm', 'threshold'", ["gfm"], ["GFM", "", None, 1, ["gfm"]]),
    "booleans": (Boolean(), "True or False", [True, np.False_], [0, 1, None, "True"]),
    "instances": (InstanceOf((list, tuple), "a list"), "a list", [[], ()], [{}, None]),
    "seeds": (Seed(), "an integer between 0 and 2^64 - 1", [0, 2**64 - 1, np.uint64(3)], [-1, 2**64, 1.0, None, True]),
    "random states": (
        RandomState(),
        "None, an integer between 0 and 2^64 - 1 or a numpy Generator or RandomState",
        [None, 0, np.random.default_rng(0), np.random.RandomState(0)],
        [-1, 2**64, 0.5, "0", True],
    ),
    "alternatives": (
        AnyOf(OneOf(("tuned",)), Interval("real", 0, 1)),
        "'tuned' or a number between 0 and 1",
        ["tuned", 0.5],
        ["other", 2, None],
    ),
    "None or alternatives": (
        NoneOr(AnyOf(Boolean(), Interval("integer", 2))),
        "None, True or False or an integer of at least 2",
        [None, True, 2],
        [1, "None"],
    ),
}


@pytest.mark.parametrize(("constraint", "description", "valid", "invalid"), CONSTRAINTS.values(), ids=CONSTRAINTS)
def test_each_constraint_accepts_and_refuses(
    constraint: Constraint, description: str, valid: list[Any], invalid: list[Any]
) -> None:
    assert constraint.description == description
    assert all(constraint.holds(value) for value in valid)
    assert not any(constraint.holds(value) for value in invalid)


@pytest.mark.parametrize(
    ("constraint", "value", "message"),
    [
        (STRENGTH, -1.0, "x must be a finite number of at least 0; got -1.0."),
        (
            L1_RATIO,
            2,
            "x must be a number between 0 and 1; got 2. Hint: the overall weight of the penalty is strength.",
        ),
        (TOL, 0.0, "x must be None or a finite number above 0; got 0.0."),
        (MAX_ITER, 1.5, "x must be an integer of at least 0; got 1.5."),
        (BETA, 0.0, "x must be a number above 0 and at most 1e+100; got 0.0."),
        (
            N_JOBS,
            0,
            "x must be None or an integer other than 0; got 0. Hint: None and -1 use every core, -2 all but one.",
        ),
    ],
)
def test_the_message_says_what_is_allowed_and_what_came(constraint: Constraint, value: Any, message: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        check_parameters({"x": constraint}, {"x": value})
    assert str(caught.value) == message


def test_the_first_violation_of_the_table_is_reported_and_other_values_are_ignored() -> None:
    table: dict[str, Constraint] = {"a": Boolean(), "b": Interval("real", 0), "c": Boolean()}
    check_parameters(table, {"c": True, "b": 1, "a": False, "d": "not in the table"})
    with pytest.raises(InvalidParameter, match=r"^b must be"):
        check_parameters(table, {"a": True, "b": -1, "c": 3})


def test_a_registry_as_values_is_read_at_the_time_of_the_check() -> None:
    registry = {"one": 1}
    constraint = OneOf(registry)
    assert not constraint.holds("two")
    registry["two"] = 2
    assert constraint.holds("two")
    assert constraint.description == "one of 'one', 'two'"


def test_negative_n_jobs_count_down_from_every_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = effective_n_jobs(None)
    assert effective_n_jobs(-1) == cores
    assert effective_n_jobs(-2) == max(1, cores - 1)
    assert effective_n_jobs(-cores - 5) == 1
    assert effective_n_jobs(np.int64(1)) == 1
    assert effective_n_jobs(HUGE) == os.cpu_count()
    with pytest.raises(InvalidParameter, match=r"^n_jobs must be None or an integer"):
        effective_n_jobs(0)


def test_random_seeds() -> None:
    assert random_seed(7) == 7
    assert random_seed(np.uint64(2**64 - 1)) == 2**64 - 1
    assert random_seed(None) != random_seed(None)
    for make in (np.random.default_rng, np.random.RandomState):
        first, again, source = random_seed(make(3)), random_seed(make(3)), make(3)
        assert first == again == random_seed(source) != random_seed(source)
        assert 0 <= first < 2**64
    with pytest.raises(InvalidParameter, match=r"^random_state must be None, an integer"):
        random_seed("0")
