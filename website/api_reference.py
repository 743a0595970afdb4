"""The API reference: one page per public package, with everything that the package lists in ``__all__``."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["PACKAGES", "constant_documentation", "write_api_reference"]

PACKAGES = {
    "setwise": "The classifier",
    "setwise.models": "Models of label sets",
    "setwise.text": "Features of texts",
    "setwise.metrics": "Metrics",
    "setwise.data": "Documents and files",
    "setwise.prediction": "Recipes, and any classifier",
    "setwise.inference": "Inference",
    "setwise.decision": "Decisions",
    "setwise.tuning": "Tuning",
    "setwise.confidence": "Confidence",
    "setwise.explain": "Explanations",
    "setwise.reports": "Reports",
    "setwise.labels": "Label sets as data",
    "setwise.learners": "Linear learners",
    "setwise.posterior": "The posterior",
    "setwise.persistence": "The model file",
    "setwise.serve": "The service",
    "setwise.executors": "Processes and clusters",
    "setwise.exceptions": "Errors and warnings",
}
"""The public packages in the order of the page, what users meet first at the top."""


def write_api_reference(folder: Path) -> None:
    """Write one page per package into a folder; a file that would not change is left as it is."""
    folder.mkdir(exist_ok=True)
    described: dict[int, str] = {}
    for name, title in PACKAGES.items():
        _write(folder / f"{name}.rst", _package_page(name, title, described))


def _package_page(name: str, title: str, described: dict[int, str]) -> str:
    """Return the page of a package; ``described`` has what earlier pages describe, which is not described again."""
    module = importlib.import_module(name)
    members = {one: getattr(module, one) for one in module.__all__ if not one.startswith("__")}
    earlier = {one: described[id(value)] for one, value in members.items() if id(value) in described}
    members = {one: value for one, value in members.items() if one not in earlier}
    described |= {
        id(value): f"{name}.{one}"
        for one, value in members.items()
        if _is_own_class(value) or inspect.isfunction(value)
    }
    classes = [one for one, value in members.items() if _is_own_class(value)]
    functions = [one for one, value in members.items() if inspect.isfunction(value)]
    constants = [one for one in members if one not in (*classes, *functions)]
    heading = f"{name}: {title[0].lower()}{title[1:]}"
    lines = [heading, "=" * len(heading), "", f".. automodule:: {name}", f".. currentmodule:: {name}", ""]
    for kind, names in (("Classes", classes), ("Functions", functions)):
        if names:
            lines += [f".. rubric:: {kind}", "", ".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
            lines += [*(f"   {one}" for one in names), ""]
    if earlier:
        lines += ["See also " + ", ".join(f":py:obj:`{full_name}`" for full_name in earlier.values()) + ".", ""]
    if constants:
        lines += [".. rubric:: Constants and types", ""]
        for one in constants:
            lines += [f".. py:data:: {one}", "", *_indented(constant_documentation(module, one)), ""]
    return "\n".join(lines)


def _is_own_class(value: Any) -> bool:
    """Return whether a value is a class of setwise; other classes are types under another name."""
    return inspect.isclass(value) and value.__module__.startswith("setwise")


def constant_documentation(module: ModuleType, name: str) -> str:
    """Return the string below the definition of a constant, in the module that defines it; or its value."""
    tree = ast.parse(inspect.getsource(module))
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for imported in statement.names:
                if (imported.asname or imported.name) == name:
                    return constant_documentation(importlib.import_module(statement.module), imported.name)
    for statement, following in zip(tree.body, [*tree.body[1:], None], strict=True):
        if name in _assigned(statement):
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                text = following.value.value
                if isinstance(text, str):
                    return inspect.cleandoc(text)
            return f"``{ast.unparse(statement)}``"
    return ""


def _assigned(statement: ast.stmt) -> list[str]:
    """Return the names to which a statement assigns."""
    targets: list[Any] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _indented(text: str) -> list[str]:
    return [f"   {line}" if line else "" for line in text.splitlines()]


def _write(file: Path, text: str) -> None:
    """Write a file only if its text changes, so that Sphinx reads again only what is new."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
