"""A demo corpus that every installation has: docstrings of Python's library, NumPy, SciPy and scikit-learn."""

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
# Shorter docstrings say too little to be documents.
MIN_CHARACTERS = 40
# Labels of fewer documents are dropped.
MIN_DOCUMENTS = 20
_SKIPPED_FOLDERS = frozenset(["tests", "test", "idlelib", "lib2to3", "site-packages", "dist-packages", "turtledemo"])
_RAISES = re.compile(r"^\s*Raises\s*$|:raises|\braises? \w*(?:Error|Exception)", re.MULTILINE)
_RETURNS = re.compile(r"^\s*(?:Returns|Yields)\s*$|:returns?:|^Returns? ", re.MULTILINE)
_REFERENCES = re.compile(r"^\s*References\s*$", re.MULTILINE)


class Docstring(NamedTuple):
    """A docstring: the name of the documented object, the text, and the labels."""

    name: str
    text: str
    labels: tuple[str, ...]


def collect_docstrings() -> list[Docstring]:
    """Collect docstrings from source files, without importing them, labeled by module, kind and content.

    Labels of fewer than ``MIN_DOCUMENTS`` documents are dropped, and then documents without labels.
    """
    docstrings = [one for library in LIBRARIES for one in _library_docstrings(library)]
    counts = Counter(label for one in docstrings for label in one.labels)
    frequent = {label for label, count in counts.items() if count >= MIN_DOCUMENTS}
    labeled = (one._replace(labels=tuple(label for label in one.labels if label in frequent)) for one in docstrings)
    return [one for one in labeled if one.labels]


def _library_docstrings(library: str) -> Iterator[Docstring]:
    root = _library_root(library)
    if root is None:
        return
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if _SKIPPED_FOLDERS.isdisjoint(parts):
            module = ".".join([library, *(part for part in parts if part != "__init__")])
            try:
                tree = ast.parse(path.read_bytes())
            except (SyntaxError, ValueError, OSError):
                continue  # not valid source for this version of Python
            yield from _body_docstrings(tree, module, module)


def _library_root(library: str) -> Path | None:
    if library == "python":
        return Path(sysconfig.get_path("stdlib"))
    spec = find_spec(library)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _body_docstrings(node: ast.Module | ast.ClassDef, name: str, module: str) -> Iterator[Docstring]:
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            full_name = f"{name}.{child.name}"
            text = ast.get_docstring(child)
            if text is not None and len(text) >= MIN_CHARACTERS:
                labels = (*_module_labels(module), _kind_label(child, node), *_content_labels(text))
                yield Docstring(full_name, text, labels)
            if isinstance(child, ast.ClassDef):
                yield from _body_docstrings(child, full_name, module)


def _kind_label(node: ast.AST, parent: ast.AST) -> str:
    if isinstance(node, ast.ClassDef):
        return "class"
    return "method" if isinstance(parent, ast.ClassDef) else "function"


def _module_labels(module: str) -> Iterator[str]:
    """Yield the library and its public packages down to the module: 'scipy', 'scipy.stats', ..."""
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        if parts[depth - 1].startswith("_"):
            return  # users do not know the names of private modules
        yield ".".join(parts[:depth])


def _content_labels(text: str) -> Iterator[str]:
    """Yield labels for what the docstring contains."""
    if ">>> " in text:
        yield "has an example"
    if _RAISES.search(text):
        yield "raises"
    if _RETURNS.search(text):
        yield "returns"
    if _REFERENCES.search(text):
        yield "has references"
