"""Functions that workers run in the tests of executors."""

from __future__ import annotations

import os
import signal
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from setwise.executors import Data, Outcome, Task

MODULE = "tests.executors.tasks"


def task(function: str, inputs: dict[str, Any] | None = None, **parameters: Any) -> Task:
    return Task(f"{MODULE}:{function}", parameters, inputs or {}, title=f"the test {function}")


def add(context: Any, *, numbers: list[Data | Outcome], more: float) -> Any:
    return {"total": sum(np.asarray(one.value["total"]).sum() for one in numbers) + more}


def square(context: Any, *, number: int) -> Any:
    return {"total": number * number, "array": np.full(number, 0.1)}


def warn(context: Any, *, text: str) -> Any:
    warnings.warn(text, UserWarning, stacklevel=2)
    return {"total": 0}


def fail(context: Any, *, text: str) -> Any:
    raise ValueError(text)


def run_out_of_memory(context: Any) -> Any:
    raise MemoryError


def die_once(context: Any, *, marker: str) -> Any:
    """Kill the own process, unless that was done before."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"total": 1}


def die(context: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def sleep(context: Any, *, seconds: float, number: int = 0) -> Any:
    time.sleep(seconds)
    return {"total": number}


def blas_threads(context: Any) -> Any:
    return {"total": max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")}
