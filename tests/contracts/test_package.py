"""What is installed, and how it is built."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import setwise

MODULES = sorted(module.name for module in pkgutil.walk_packages(setwise.__path__, prefix="setwise."))


def test_there_are_modules_to_look_at() -> None:
    assert {"setwise.cli", "setwise.labels", "setwise.learners", "setwise.metrics"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_imports_and_offers_what_it_lists(name: str) -> None:
    module = importlib.import_module(name)
    for public in getattr(module, "__all__", ()):
        assert hasattr(module, public), f"{name} lists {public}, which it does not have"


def test_the_installed_version_is_the_one_of_the_project(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert setwise.__version__ == metadata.version("setwise") == project["version"]


def test_types_and_compiled_core_are_installed() -> None:
    package = Path(setwise.__file__).parent
    assert (package / "py.typed").is_file()
    assert list((package / "_core").glob("_native.*"))


def test_what_is_shipped_is_not_tuned_to_the_machine_it_is_built_on(repository: Path) -> None:
    for line in (repository / "CMakeLists.txt").read_text(encoding="utf-8").splitlines():
        code = line.partition("#")[0]
        assert "-march" not in code
        assert "-ffast-math" not in code


def test_importing_the_command_line_loads_no_heavy_library() -> None:
    program = "import sys, setwise.cli; print(*(name for name in ('sklearn', 'scipy', 'numpy') if name in sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


def test_a_missing_compiler_is_one_sentence(repository: Path, tmp_path: Path) -> None:
    cmake = shutil.which("cmake", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if cmake is None:
        pytest.skip("cmake is not installed here")
    result = subprocess.run(
        [cmake, "-S", str(repository), "-B", str(tmp_path), "-DSETWISE_SANITIZE=ON"],
        env={**os.environ, "CXX": "/nonexistent/compiler"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0
    assert "setwise needs a C++20 compiler and found none: install one" in " ".join(result.stderr.split())


def test_make_says_what_it_does_before_it_compiles(repository: Path) -> None:
    """Compiling takes a minute in which a newcomer would otherwise see nothing."""
    planned = subprocess.run(
        ["make", "--dry-run", "--always-make", "install"], cwd=repository, capture_output=True, text=True, check=True
    ).stdout
    said, compiled = planned.index("Compiling and installing setwise"), planned.index("install --no-build-isolation")
    assert said < compiled
