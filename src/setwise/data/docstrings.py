"""A corpus that every installation already has: the docstrings of Python's library, NumPy, SciPy and scikit-learn."""

from __future__ import annotations

import ast
import re
import sysconfig
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

__all__ = ["LIBRARIES", "Docstring", "collect_docstrings"]

LIBRARIES = ("python", "numpy", "scipy", "sklearn")
SHORTEST = 40
"""Letters below which a docstring tells too little to be a document."""
LEAST_DOCUMENTS = 20
"""A label that fewer documents have is dropped."""
_NOT_READ = frozenset(["tests", "test", "idlelib", "lib2to3", "site-packages", "dist-packages", "turtledemo"])


_RAISES = re.compile(r"^\s*Raises\s*$|:raises|\braises? \w*(?:Error|Exception)", re.MULTILINE)
_RETURNS = re.compile(r"^\s*(?:Returns|Yields)\s*$|:returns?:|^Returns? ", re.MULTILINE)
_REFERENCES = re.compile(r"^\s*References\s*$", re.MULTILINE)


class Docstring(NamedTuple):
    """A docstring, the name of what it documents, and its labels."""

    name: str
    text: str
    labels: tuple[str, ...]


def collect_docstrings() -> list[Docstring]:
    """Read the sources that are there, running none of them, and label each docstring by its place and kind."""
    found = [one for library in LIBRARIES for one in _of_library(library)]
    counts = Counter(label for one in found for label in one.labels)
    kept = {label for label, count in counts.items() if count >= LEAST_DOCUMENTS}
    labelled = (one._replace(labels=tuple(label for label in one.labels if label in kept)) for one in found)
    return [one for one in labelled if one.labels]


def _of_library(library: str) -> Iterator[Docstring]:
    root = _root_of(library)
    if root is None:
        return
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if _NOT_READ.isdisjoint(parts):
            module = ".".join([library, *(part for part in parts if part != "__init__")])
            try:
                tree = ast.parse(path.read_bytes())
            except (SyntaxError, ValueError, OSError):
                continue  # a source that this Python cannot read has no docstrings for it
            yield from _of_body(tree, module, module)


def _root_of(library: str) -> Path | None:
    if library == "python":
        return Path(sysconfig.get_path("stdlib"))
    spec = find_spec(library)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _of_body(node: ast.Module | ast.ClassDef, name: str, module: str) -> Iterator[Docstring]:
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            full = f"{name}.{child.name}"
            text = ast.get_docstring(child)
            if text is not None and len(text) >= SHORTEST:
                yield Docstring(full, text, (*_places(module), _kind(child, node), *_features(text)))
            if isinstance(child, ast.ClassDef):
                yield from _of_body(child, full, module)


def _kind(node: ast.AST, parent: ast.AST) -> str:
    if isinstance(node, ast.ClassDef):
        return "class"
    return "method" if isinstance(parent, ast.ClassDef) else "function"


def _places(module: str) -> Iterator[str]:
    """Give the library and its public parts down to the module: 'scipy', 'scipy.stats', ..."""
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        if parts[depth - 1].startswith("_"):
            return  # what is private has no name that users know
        yield ".".join(parts[:depth])


def _features(text: str) -> Iterator[str]:
    """Give what a reader would find in it."""
    if ">>> " in text:
        yield "has an example"
    if _RAISES.search(text):
        yield "raises"
    if _RETURNS.search(text):
        yield "returns"
    if _REFERENCES.search(text):
        yield "has references"
