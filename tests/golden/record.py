"""The stored golden record: written by ``python -m tests.golden.record``, read by ``test_golden.py``."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.golden.cells import MODELS, TASKS, Cell, cells, defaults

CELLS = Path(__file__).with_name("cells.npz")
CHOICES = Path(__file__).with_name("choices.json")

_FIELDS = ("sets", "value", "marginals")


def read_cells(task: str, model: str) -> dict[str, Cell]:
    """Return the stored predictions of one model on one corpus, by combination."""
    with np.load(CELLS) as record:
        names = record[f"{task} | {model} | names"]
        fields = [record[f"{task} | {model} | {field}"] for field in _FIELDS]
    return {str(name): Cell(*(array[k] for array in fields)) for k, name in enumerate(names)}


def processor() -> list[str]:
    """Return the instruction sets that numpy uses here; the last bits of its exp and log depend on them."""
    features = import_module("numpy._core._multiarray_umath").__cpu_features__
    return sorted(name for name, available in features.items() if available)


def is_same_processor() -> bool:
    """Return whether the record was written on a processor of this kind."""
    return bool(json.loads(CHOICES.read_text(encoding="utf-8"))["processor"] == processor())


def read_choices(task: str) -> dict[str, Any]:
    """Return what the default chose on one corpus, by model."""
    choices: dict[str, Any] = json.loads(CHOICES.read_text(encoding="utf-8"))[task]
    return choices


def main() -> None:
    """Write the record of today's code over the stored one."""
    arrays: dict[str, NDArray[Any]] = {}
    choices: dict[str, Any] = {"processor": processor()}
    for task_name, make_task in TASKS.items():
        task = make_task()
        for model in MODELS:
            predicted = dict(cells(task, model))
            arrays[f"{task_name} | {model} | names"] = np.array(list(predicted))
            for field in _FIELDS:
                stacked = np.stack([getattr(cell, field) for cell in predicted.values()])
                arrays[f"{task_name} | {model} | {field}"] = stacked
        choices[task_name] = defaults(task)
        print(task_name, flush=True)
    np.savez_compressed(CELLS, **arrays)  # type: ignore[arg-type]
    CHOICES.write_text(json.dumps(choices, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
