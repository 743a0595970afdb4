"""How a command runs: exit codes, error messages, and how much of notes and progress goes to standard error."""

from __future__ import annotations

import gc
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from setwise.cli.terminal import escape_control
from setwise.exceptions import InvalidParameter, SetwiseError

if TYPE_CHECKING:
    from setwise.data import Problems

__all__ = [
    "EXIT_FAILURE",
    "EXIT_INTERRUPTED",
    "EXIT_USAGE",
    "Verbosity",
    "command_line",
    "command_name",
    "discard",
    "is_quiet",
    "is_verbose",
    "print_detail",
    "print_note",
    "print_skipped",
    "rare_collections",
    "run",
    "set_verbosity",
    "show_progress",
    "show_spinner",
]

EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""Modules and documents form few cycles, so that Python's search for them, usually every 700 objects, finds little."""

Item = TypeVar("Item")


class Verbosity(Enum):
    """How much a command says on standard error."""

    QUIET = "errors alone"
    NORMAL = "notes, warnings, and progress where it is a terminal"
    VERBOSE = "also versions, times, and every setting that was tried"


_verbosity = Verbosity.NORMAL
"""That of the command that runs; a process runs one at a time."""


def set_verbosity(verbosity: Verbosity) -> None:
    """Set how much the running command says."""
    global _verbosity
    _verbosity = verbosity


def is_quiet() -> bool:
    """Return whether the running command says nothing but errors, and prints only what was asked for."""
    return _verbosity is Verbosity.QUIET


def is_verbose() -> bool:
    """Return whether the running command says how it came to its results."""
    return _verbosity is Verbosity.VERBOSE


def run(command: Callable[[], object]) -> None:
    """Run a command; an error becomes one line on standard error and an exit code."""
    set_verbosity(Verbosity.NORMAL)
    try:
        try:
            command()
        finally:
            sys.stdout.flush()  # here, while an error such as a full disk can still be reported
            _flush_notes()
    except SetwiseError as error:
        _exit(str(error), EXIT_USAGE if isinstance(error, InvalidParameter) else EXIT_FAILURE)
    except KeyboardInterrupt:
        _exit("interrupted.", EXIT_INTERRUPTED)
    except SystemExit as ended:
        if ended.code == EXIT_INTERRUPTED:  # Typer turns Ctrl-C into this exit code, without a message
            _exit("interrupted.", EXIT_INTERRUPTED)
        raise
    except BrokenPipeError:
        discard(sys.stdout)
        sys.exit(EXIT_FAILURE)  # without a message: the reader closed the pipe on purpose
    except OSError as error:
        discard(sys.stdout)
        _exit(f"{error.filename or 'standard output'}: {error.strerror or error}.", EXIT_FAILURE)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let Python search for cycles of objects rarely while the block runs."""
    usual = gc.get_threshold()
    gc.set_threshold(max(OBJECTS_BETWEEN_COLLECTIONS, usual[0]) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def discard(stream: TextIO) -> None:
    """Discard unwritten output; otherwise Python writes it again at exit and prints a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _flush_notes() -> None:
    """Flush standard error; lost notes are no failure, because results go to standard output."""
    try:
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)


def _exit(message: str, code: int) -> None:
    print_note(f"error: {message}", always=True)
    sys.exit(code)


def command_name() -> str:
    """Return the shell-quoted command that calls this installation of setwise."""
    running, on_path = Path(sys.argv[0]).absolute(), shutil.which("setwise")
    if not os.access(running, os.X_OK) or (on_path and running.samefile(on_path)):
        return "setwise"  # also where another program calls `main`, so that argv[0] is not a command
    if not running.is_relative_to(Path.cwd()):
        return shlex.quote(str(running))
    relative = running.relative_to(Path.cwd())
    return shlex.quote(str(relative) if len(relative.parts) > 1 else os.path.join(os.curdir, relative))


def command_line(*arguments: str | os.PathLike[str]) -> str:
    """Return a line that calls this installation of setwise, ready to paste into a shell."""
    return " ".join([command_name(), shlex.join(os.fspath(argument) for argument in arguments)])


def print_note(message: str, *, always: bool = False) -> None:
    """Print a line that is not part of the result to standard error; a quiet command prints it only if it must."""
    if always or not is_quiet():
        _print_to_stderr(message)


def print_detail(message: str) -> None:
    """Print a line about how the result came about to standard error, if the command is verbose."""
    if is_verbose():
        _print_to_stderr(message)


def _print_to_stderr(message: str) -> None:
    with suppress(OSError):  # such as a full disk; what remains is dropped below
        print(escape_control(message), file=sys.stderr)
    _flush_notes()


def print_skipped(problems: Problems) -> None:
    """Print how many documents were skipped, and the first reasons."""
    if problems.n_skipped:
        print_note(f"skipped {problems.n_skipped:,} documents of {problems.file}:")
        for reason in problems.reasons:
            print_note(f"  {reason}")
        if problems.n_skipped > len(problems.reasons):
            print_note("  ...")


def show_progress(
    items: Iterable[Item], description: str, total: int | None = None, size: Callable[[Item], int] | None = None
) -> Iterator[Item]:
    """Yield the items; on a terminal, show how many have been processed, where one item counts as its ``size``."""
    if not _notes_are_seen():
        yield from items
        return
    from rich.progress import MofNCompleteColumn  # late, as in `_progress`

    with _progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(description, total=total)
        for item in items:
            yield item
            progress.advance(task, 1 if size is None else size(item))


@contextmanager
def show_spinner(description: str) -> Iterator[None]:
    """Show a spinner with the elapsed time on a terminal while the block runs."""
    if not _notes_are_seen():
        yield
        return
    with _progress() as progress:
        progress.add_task(description, total=None)
        yield


def _notes_are_seen() -> bool:
    """Return whether somebody sees notes as they come: standard error is a terminal, and the command not quiet."""
    return not is_quiet() and sys.stderr is not None and sys.stderr.isatty()


def _progress(*columns: Any) -> Any:
    """Return a display of tasks on standard error, with more columns between their description and their time."""
    from rich.console import Console  # late: a command whose notes go to a file shows no progress
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    shown = (SpinnerColumn(), TextColumn("{task.description}"), *columns, TimeElapsedColumn())
    return Progress(*shown, console=Console(stderr=True), transient=True)
