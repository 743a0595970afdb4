"""Run the tests that reach each mutant, in a process per mutant that is forked once all tests are imported.

A tool that starts pytest for each mutant would spend seconds per mutant on imports, hours in all; and it would change
files of ``src``, while tests import the installed package with its compiled core. Here a mutant is a function of the
running process that gets other code.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from mutation.live import function_of, put_in_place
from mutation.mutants import Mutant, mutants_of

__all__ = ["Outcome", "Runner", "cpu_of_children", "key_of"]

EXAMPLES = 25
"""Examples of a property that says no other number; the same ones every time."""

CPU_FACTOR, CPU_EXTRA = 5, 5
"""A mutant that takes so many times as long as the tests do without it, and seconds, is in an endless loop."""

MORE_BYTES = 4 * 2**30
"""Memory that a mutant may take beyond what the tests have."""

NOTICED, UNNOTICED, OTHER_VARIABLES = 1, 0, 77
"""Exit codes of the process of a mutant."""


@dataclass(frozen=True)
class Outcome:
    """What happened to one mutant."""

    package: str
    file: str
    mutant: Mutant
    fate: str
    """killed, timeout, survived or unreached."""


@dataclass
class _Reached:
    """What one test reaches, and how long it takes."""

    lines: set[tuple[str, int]] = field(default_factory=set)
    seconds: float = 0.0


class Runner:
    """Plugin of pytest that runs all tests once, and then those that reach each mutant."""

    def __init__(
        self, packages: list[str], seconds: float, only: str = "", known: dict[str, str] | None = None
    ) -> None:
        self._packages = packages
        self._seconds = seconds
        self._only = only
        self._known = known or {}
        self.outcomes: list[Outcome] = []
        self.n_tests = self.n_left = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Let properties take the same few examples each time, and stop at the first that fails."""
        import hypothesis  # late: its plugin of pytest has to be the first to import it

        hypothesis.settings.register_profile(
            "mutation",
            parent=hypothesis.settings.get_profile("setwise"),
            max_examples=EXAMPLES,
            derandomize=True,
            database=None,
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        )
        hypothesis.settings.load_profile("mutation")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests as they are, and then each mutant."""
        mutants = [
            (package, path, module, mutant)
            for package in self._packages
            for path, module in _modules(package)
            for mutant in mutants_of(path.read_text(encoding="utf-8"), str(path))
            if self._only in f"{module}:{mutant.function}"
        ]
        reached = self._run_all(session, {str(path) for _, path, _, _ in mutants})
        self.n_tests = len(reached)
        deadline = time.process_time() + cpu_of_children() + self._seconds
        for number, (package, path, module, mutant) in enumerate(mutants, 1):
            if time.process_time() + cpu_of_children() > deadline:
                self.n_left = len(mutants) - number + 1
                break
            if fate := self._known.get(key_of(module, mutant)):
                self.outcomes.append(Outcome(package, path.name, mutant, fate))
                continue
            fate = self._try(mutant, module, str(path), reached)
            self.outcomes.append(Outcome(package, path.name, mutant, fate))
            if number % 100 == 0 or fate in ("survived", "unreached"):
                note = f"{number}/{len(mutants)} {fate}: {module}:{mutant.line} {mutant.function}: {mutant.change}"
                print(note, file=sys.__stderr__, flush=True)
        return True

    def _run_all(self, session: pytest.Session, files: set[str]) -> dict[Any, _Reached]:
        """Run every test, and return what each one that passes reaches of the files."""
        reached: dict[Any, _Reached] = {}
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            current = _Reached()
            started = time.process_time()
            with _Tracing(current.lines, files):
                reports = runtestprotocol(item, log=False, nextitem=following)
            current.seconds = time.process_time() - started
            if all(report.passed for report in reports):
                reached[item] = current
            elif any(report.failed for report in reports):
                print(f"fails without any mutant: {item.nodeid}", file=sys.__stderr__, flush=True)
        return reached

    def _try(self, mutant: Mutant, module: str, file: str, reached: dict[Any, _Reached]) -> str:
        """Return what happens to a mutant."""
        tests = [item for item, one in reached.items() if any((file, line) in one.lines for line in mutant.lines)]
        if not tests:
            return "unreached"
        of_file: dict[Path, float] = {}
        for item in tests:  # fixtures of a file are made once if its tests follow one another
            of_file[item.path] = min(of_file.get(item.path, 1e9), reached[item].seconds)
        tests.sort(key=lambda item: (of_file[item.path], str(item.path), reached[item].seconds))
        limit = CPU_EXTRA + int(CPU_FACTOR * sum(reached[item].seconds for item in tests))
        process = os.fork()
        if process == 0:
            _become(mutant, module, tests, limit)
        _, status = os.waitpid(process, 0)
        if os.WIFSIGNALED(status):
            return "timeout" if os.WTERMSIG(status) == signal.SIGXCPU else "killed"
        fates = {NOTICED: "killed", UNNOTICED: "survived", OTHER_VARIABLES: "unreached"}
        return fates[os.WEXITSTATUS(status)]


def key_of(module: str, mutant: Mutant) -> str:
    """Return what tells a mutant from all others, as long as the file stays as it is."""
    return f"{module}:{mutant.line}:{mutant.function}:{mutant.number}:{mutant.change}"


def _become(mutant: Mutant, module: str, tests: list[Any], limit: int) -> None:
    """Run the tests with the mutant in place, in this process, and end it."""
    code = NOTICED
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (_bytes_of_this_process() + MORE_BYTES,) * 2)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        function = function_of(module, mutant.function, mutant.first_line)
        if function is None or not put_in_place(function, mutant.code):
            os._exit(OTHER_VARIABLES)
        for item, following in zip(tests, [*tests[1:], None], strict=True):
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                os._exit(NOTICED)
        code = UNNOTICED
    finally:
        os._exit(code)


class _Tracing:
    """Collect the lines of some files that run while the block does."""

    def __init__(self, lines: set[tuple[str, int]], files: set[str]) -> None:
        self._lines, self._files = lines, files

    def __enter__(self) -> None:
        sys.settrace(self._enter_function)
        threading.settrace(self._enter_function)

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def _enter_function(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._note_line if frame.f_code.co_filename in self._files else None

    def _note_line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._note_line


def _modules(package: str) -> Iterator[tuple[Path, str]]:
    """Yield the installed modules of a package, and their names."""
    import importlib

    folder = Path(str(importlib.import_module(package).__file__)).parent
    for path in sorted(folder.glob("*.py")):
        if path.name != "__init__.py":
            yield path, f"{package}.{path.stem}"


def cpu_of_children() -> float:
    """Return the processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _bytes_of_this_process() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
