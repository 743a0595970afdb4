"""Which packages import which: earlier ones only, through their ``__init__``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "reproduction"
PACKAGES = ("paper", "plan", "run", "report")
COMMAND_LINE_HELPERS = {"setwise.cli.runtime", "setwise.cli.terminal"}
"""The command line exports nothing but its entry point; the command shares its error messages and exit codes."""


def imported_modules(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_every_package_has_its_layer() -> None:
    assert {path.parent.name for path in FOLDER.glob("*/__init__.py")} == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_from_earlier_packages_only(package: str) -> None:
    earlier = {f"reproduction.{name}" for name in PACKAGES[: PACKAGES.index(package)]}
    for file in (FOLDER / package).glob("*.py"):
        for module in imported_modules(file):
            if module.startswith("reproduction") and not module.startswith(f"reproduction.{package}."):
                assert module in earlier, f"{file.name} imports {module}"


def test_setwise_is_imported_through_its_packages() -> None:
    for file in FOLDER.rglob("*.py"):
        for module in imported_modules(file):
            if module.startswith("setwise."):
                assert module.count(".") == 1 or module in COMMAND_LINE_HELPERS, f"{file.name} imports {module}"
