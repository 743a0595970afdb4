"""The source asks a model for its abilities: it never asks for its class or its name, except in the registry."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import setwise
from setwise.models import MODELS

PACKAGE = Path(setwise.__file__).parent
REGISTRY = PACKAGE / "models" / "registry.py"
SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path != REGISTRY)
CLASSES = {entry.model.__name__ for entry in MODELS.values()}


def mentions_class(node: ast.AST) -> bool:
    """Return whether an expression contains the class of a model."""
    names = (getattr(part, "id", getattr(part, "attr", None)) for part in ast.walk(node))
    return any(name in CLASSES for name in names)


def mentions_name(node: ast.AST) -> bool:
    """Return whether an expression contains the name of a model."""
    return any(isinstance(part, ast.Constant) and part.value in MODELS for part in ast.walk(node))


def special_cases(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the places that treat one model differently from the others."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kind]) if mentions_class(kind):
                yield node
            case ast.Compare() if mentions_class(node) or mentions_name(node):
                yield node
            case ast.match_case(pattern=pattern) if mentions_class(pattern) or mentions_name(pattern):
                yield pattern
            case ast.Dict(keys=keys) if any(key is not None and mentions_name(key) for key in keys):
                yield node


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_model_is_a_special_case(path: Path) -> None:
    found = [ast.unparse(node) for node in special_cases(ast.parse(path.read_text(encoding="utf-8")))]
    assert not found


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(model, BinaryRelevance)",
        "isinstance(model, (LabelMatrix, models.PairwiseCRF))",
        "type(model) is BernoulliMixture",
        "name == 'cbm'",
        "name in ('crf', 'cbm')",
        "{'br': 1}",
        "match name:\n    case 'br':\n        pass",
    ],
)
def test_special_cases_are_seen(code: str) -> None:
    assert list(special_cases(ast.parse(code)))
