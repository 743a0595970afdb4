"""Docstrings: examples run as shown, everything public has one, and the sentences are plain English."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import setwise
from setwise import decision
from setwise.inference import INFERENCES
from setwise.metrics import METRICS
from setwise.models import MODELS

PACKAGE = Path(setwise.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
MODULES = ["setwise", *sorted(module.name for module in pkgutil.walk_packages(setwise.__path__, prefix="setwise."))]
COMPILED = "setwise._core._native"

# "a row a document" and its like, for "one row per document".
PER = re.compile(
    r"\b(?:a|an|one) (?!is\b)\w+ an? "
    r"(?:class|column|component|document|feature|file|fold|iteration|label|line|model|name|pair|row|set)\b"
)


def docstrings(path: Path) -> Iterator[str]:
    """Yield the docstrings of a file: of modules, classes and functions, and those below attributes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield inspect.cleandoc(node.value.value)


def public(module_name: str) -> Iterator[Any]:
    """Yield the classes and functions that a module lists as public and whose source is in setwise."""
    module = importlib.import_module(module_name)
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        named = (inspect.isclass(value) or inspect.isfunction(value)) and "<locals>" not in value.__qualname__
        if named and value.__module__.startswith("setwise") and value.__module__ != COMPILED:
            yield value


def examples_expected() -> list[Any]:
    """Return what a user meets first: the front door, and everything that is chosen by name."""
    front_door = [value for value in public("setwise") if inspect.isfunction(value) or hasattr(value, "get_params")]
    registered: list[Any] = [entry.model for entry in MODELS.values()]
    registered += [one for entry in INFERENCES.values() for one in entry.inferences]
    registered += [metric.function for metric in METRICS.values()]
    registered += [decision.gfm, decision.most_probable, decision.threshold, decision.expected_jaccard]
    return [*front_door, *registered]


@pytest.mark.parametrize("name", [name for name in MODULES if name != COMPILED])
def test_examples_run_as_shown(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("value", examples_expected(), ids=lambda value: value.__name__)
def test_what_users_choose_has_an_example(value: Any) -> None:
    text = inspect.getdoc(value) or ""
    assert "Examples\n--------" in text
    assert ">>> " in text


@pytest.mark.parametrize("name", MODULES)
def test_everything_public_has_a_docstring(name: str) -> None:
    for value in public(name):
        assert value.__doc__, f"{value.__qualname__} has no docstring"
        assert not value.__doc__.startswith(f"{value.__name__}("), f"{value.__qualname__} has a generated docstring"
        for method_name, method in vars(value).items() if inspect.isclass(value) else ():
            if inspect.isfunction(method) and not method_name.startswith("_"):
                assert inspect.getdoc(getattr(value, method_name)), (
                    f"{value.__qualname__}.{method_name} has no docstring"
                )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_sentences_are_plain_english(path: Path) -> None:
    for text in docstrings(path):
        assert not text.startswith("Give"), text
    text = " ".join(path.read_text(encoding="utf-8").split())
    assert not PER.findall(text)
