"""Mutants differ from the code in one thing, and take the place of a function of the running process."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mutation.live import function_of, put_in_place
from mutation.mutants import mutants_of
from mutation.page import explanations, name_of, page
from mutation.run import Outcome

SOURCE = '''
"""A module."""
import functools

LIMIT = 3


def clipped(values: list[int], most: int = 5) -> list[int]:
    """Keep what is small."""
    if not values:
        raise ValueError("no values: %d" % 0)
    return sorted((one for one in values if one < most and one != LIMIT), reverse=True)


class Box:
    def __init__(self, side):
        self.side = side

    @functools.cached_property
    def area(self):
        return self.side * self.side

    @classmethod
    def unit(cls):
        return cls(-1)

    @staticmethod
    def n_sides():
        return 4

    @property
    def half(self):
        part = lambda: self.side / 2
        return part()
'''


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    file = tmp_path / "boxes_under_test.py"
    file.write_text(SOURCE)
    spec: Any = importlib.util.spec_from_file_location("boxes_under_test", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["boxes_under_test"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["boxes_under_test"]


def changes(function: str) -> list[str]:
    return [one.change for one in mutants_of(SOURCE, "boxes.py") if one.function == function]


def test_every_operator_condition_number_and_keyword_is_changed_once() -> None:
    assert changes("clipped") == [
        "if not values: -> if not not values:",
        "not values -> values",
        "raise ValueError('no values: %d' % 0) -> pass",
        "return sorted((one for one in values if one < most and one != LIMIT... -> return None",
        "sorted(...) without reverse=True",
        "for one in values if one < most and one != LIMIT -> for one in values if not (one < most and one != LIMIT)",
        "one < most and one != LIMIT -> one < most or one != LIMIT",
        "one < most -> one <= most",
        "one != LIMIT -> one == LIMIT",
        "True -> False",
    ]
    assert changes("Box.__init__") == ["self.side = side -> pass"]
    assert "self.side * self.side -> self.side / self.side" in changes("Box.area")
    assert {"-1 -> 1", "1 -> 2"} <= set(changes("Box.unit"))


def test_the_source_is_as_before_after_each_mutant() -> None:
    first, again = ([one.change for one in mutants_of(SOURCE, "boxes.py")] for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("function", "change", "call", "before", "after"),
    [
        ("clipped", "one < most -> one <= most", lambda m: m.clipped([5, 4, 3]), [4], [5, 4]),
        ("clipped", "True -> False", lambda m: m.clipped([1, 2]), [2, 1], [1, 2]),
        ("Box.area", "self.side * self.side -> self.side / self.side", lambda m: m.Box(3).area, 9, 1),
        ("Box.unit", "-1 -> 1", lambda m: m.Box.unit().side, -1, 1),
        ("Box.n_sides", "4 -> 5", lambda m: m.Box.n_sides(), 4, 5),
        ("Box.half", "2 -> 3", lambda m: m.Box(6).half, 3, 2),
    ],
)
def test_a_mutant_takes_the_place_of_its_function(
    module: ModuleType, function: str, change: str, call: Any, before: Any, after: Any
) -> None:
    (mutant,) = [
        one for one in mutants_of(SOURCE, str(module.__file__)) if (one.function, one.change) == (function, change)
    ]
    live = function_of("boxes_under_test", function, mutant.first_line)
    assert live is not None
    assert call(module) == before
    assert put_in_place(live, mutant.code)
    assert call(module) == after


def test_functions_that_are_not_there(module: ModuleType) -> None:
    assert function_of("boxes_under_test", "Box.volume", 1) is None
    assert function_of("boxes_under_test", "LIMIT", 1) is None
    assert function_of("boxes_under_test", "clipped", 1) is None  # another line: another function of this name


def test_the_page_counts_what_is_killed_and_lists_the_rest() -> None:
    mutants = list(mutants_of(SOURCE, "boxes.py"))[:3]
    fates = ("killed", "survived", "timeout")
    outcomes = [Outcome("setwise.boxes", "boxes.py", *pair) for pair in zip(mutants, fates, strict=True)]
    text = page(outcomes, 7, 0)
    assert "| `setwise.boxes` | 3 | 1 | 1 | 1 | 66.7 % |" in text
    assert "3 mutants, 7 tests." in text
    assert "- `boxes/boxes.py`, `clipped`: `not values -> values`. **not explained yet.**" in text


def test_every_explained_survivor_is_a_mutant(repository: Path) -> None:
    """A reason for code that is gone would hide the next survivor of this name."""
    names = set()
    for package in ("labels", "metrics", "decision", "prediction"):
        for path in (repository / "src" / "setwise" / package).glob("*.py"):
            for mutant in mutants_of(path.read_text(encoding="utf-8"), str(path)):
                names.add(name_of(Outcome(f"setwise.{package}", path.name, mutant, "survived")))
    assert set(explanations()) <= names


def test_every_survivor_of_the_page_is_explained(repository: Path) -> None:
    text = (repository / "docs" / "mutation.md").read_text(encoding="utf-8")
    assert "not explained yet" not in text
    assert "were not run" not in text
