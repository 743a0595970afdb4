"""Constraints that several parameter tables share, and parameters converted to what the algorithms read."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from setwise._validation.constraints import (
    LARGEST_SEED,
    Constraint,
    Interval,
    NoneOr,
    NonZeroInteger,
    RandomState,
    check_parameters,
)
from setwise.exceptions import InvalidParameter

__all__ = [
    "BETA",
    "L1_RATIO",
    "MAX_ITER",
    "N_JOBS",
    "PENALTY_CONSTRAINTS",
    "SOLVER_CONSTRAINTS",
    "STRENGTH",
    "TOL",
    "checked_beta",
    "checked_count",
    "checked_l1_ratio",
    "checked_n_jobs",
    "checked_strength",
    "checked_strengths",
    "effective_n_jobs",
    "random_seed",
]

STRENGTH: Constraint = Interval("real", 0)
L1_RATIO: Constraint = Interval("real", 0, 1, hint="the overall weight of the penalty is strength.")
TOL: Constraint = NoneOr(Interval("real", 0, closed="neither"))
MAX_ITER: Constraint = Interval("integer", 0)
N_JOBS: Constraint = NoneOr(NonZeroInteger(hint="None and -1 use every core, -2 all but one."))
BETA: Constraint = Interval("real", 0, 1e100, closed="right")  # the square of beta must be finite too

PENALTY_CONSTRAINTS: Mapping[str, Constraint] = {"strength": STRENGTH, "l1_ratio": L1_RATIO}
"""Parameters of the elastic net."""

SOLVER_CONSTRAINTS: Mapping[str, Constraint] = {"tol": TOL, "max_iter": MAX_ITER, "n_jobs": N_JOBS}
"""Parameters of every iterative fit."""


def effective_n_jobs(n_jobs: Any) -> int:
    """Return the number of threads that ``n_jobs`` stands for, at least one and at most one per core.

    None and -1 stand for every core that this process may use, or for the number in the environment variable
    ``OMP_NUM_THREADS`` where that is smaller. -2 stands for one less than that, and so on, as in joblib.
    """
    check_parameters({"n_jobs": N_JOBS}, {"n_jobs": n_jobs})
    if n_jobs is not None and n_jobs > 0:
        return min(int(n_jobs), os.cpu_count() or 1)  # more threads than cores only wait
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    available = min(_omp_num_threads() or cores, cores)
    return max(1, available + 1 + int(-1 if n_jobs is None else n_jobs))


def _omp_num_threads() -> int | None:
    """Return the number in ``OMP_NUM_THREADS``; None where it is not set or not a positive integer.

    The variable may list one number per level of nesting, as in "4,2"; the first applies to the outermost loops.
    """
    first = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(first) if first.isascii() and first.isdigit() and int(first) >= 1 else None


def random_seed(random_state: Any) -> int:
    """Return a seed between 0 and 2^64 - 1.

    An integer is its own seed, a numpy ``Generator`` or ``RandomState`` draws one, and None draws a fresh one from the
    operating system.
    """
    check_parameters({"random_state": RandomState()}, {"random_state": random_state})
    if random_state is None:
        return secrets.randbits(64)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, LARGEST_SEED, dtype=np.uint64, endpoint=True))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, LARGEST_SEED + 1, dtype=np.uint64))
    return int(random_state)


def checked_strengths(strengths: Any) -> list[float]:
    """Return penalty strengths as a list of floats; raise ``InvalidParameter`` where it is empty or one is invalid."""
    if not isinstance(strengths, Iterable):
        raise InvalidParameter(f"strengths must be a list of numbers; got {strengths!r}.")
    checked = [checked_strength(strength, f"strengths[{place}]") for place, strength in enumerate(strengths)]
    if not checked:
        raise InvalidParameter("strengths must contain at least one number; got none.")
    return checked


# Checks of one parameter, for callers without a table of their own.


def checked_strength(value: Any, name: str = "strength") -> float:
    """Return the weight of a penalty as a float."""
    check_parameters({name: STRENGTH}, {name: value})
    return float(value)


def checked_l1_ratio(value: Any, name: str = "l1_ratio") -> float:
    """Return the share of the L1 term as a float."""
    check_parameters({name: L1_RATIO}, {name: value})
    return float(value)


def checked_beta(value: Any) -> float:
    """Return the weight of recall in F_beta as a float."""
    check_parameters({"beta": BETA}, {"beta": value})
    return float(value)


def checked_count(value: Any, name: str, least: int = 1) -> int:
    """Return an integer of at least ``least`` as an int."""
    check_parameters({name: Interval("integer", least)}, {name: value})
    return int(value)


def checked_n_jobs(value: Any) -> int:
    """Return the number of threads that ``value`` stands for."""
    return effective_n_jobs(value)
