"""Manners that all commands share: results to standard output, all else to standard error, and what errors become."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from setwise.cli.terminal import plain
from setwise.exceptions import InvalidParameter, SetwiseError

if TYPE_CHECKING:
    from setwise.data.formats import Problems

__all__ = [
    "FAILED_WORK",
    "INTERRUPTED",
    "WRONG_USE",
    "command_name",
    "example",
    "note",
    "note_skipped",
    "run",
    "watch",
    "working",
]

FAILED_WORK = 1
WRONG_USE = 2
INTERRUPTED = 130

Item = TypeVar("Item")


def run(command: Callable[[], object]) -> None:
    """Run a command; an error becomes one line on standard error and an exit code."""
    try:
        try:
            command()
        finally:
            sys.stdout.flush()  # here, where a full disk can still be told
            _flush_notes()
    except SetwiseError as error:
        _stop(str(error), WRONG_USE if isinstance(error, InvalidParameter) else FAILED_WORK)
    except KeyboardInterrupt:
        _stop("interrupted.", INTERRUPTED)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:  # Typer makes this of Ctrl-C, and says nothing
            _stop("interrupted.", INTERRUPTED)
        raise
    except BrokenPipeError:
        _forget(sys.stdout)
        sys.exit(FAILED_WORK)  # silently: who reads has seen enough
    except OSError as error:
        _forget(sys.stdout)
        _stop(f"{error.filename or 'standard output'}: {error.strerror or error}.", FAILED_WORK)


def _forget(stream: TextIO) -> None:
    """Drop what could not be written, or Python would try again at its end, and print a traceback or fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _flush_notes() -> None:
    """Write the notes that are left; they are no result, so that losing them is no failure."""
    try:
        sys.stderr.flush()
    except OSError:
        _forget(sys.stderr)


def _stop(message: str, code: int) -> None:
    note(f"error: {message}")
    sys.exit(code)


def command_name() -> str:
    """Return what to type to call this very command again, quoted for a shell."""
    running, found = Path(sys.argv[0]).absolute(), shutil.which("setwise")
    if not os.access(running, os.X_OK) or (found and running.samefile(found)):
        return "setwise"  # also where what runs is no command, but a program that calls this one
    if not running.is_relative_to(Path.cwd()):
        return shlex.quote(str(running))
    inside = running.relative_to(Path.cwd())
    return shlex.quote(str(inside) if len(inside.parts) > 1 else os.path.join(os.curdir, inside))


def example(*arguments: str | os.PathLike[str]) -> str:
    """Return a line that calls this very command, to be pasted into a shell."""
    return " ".join([command_name(), shlex.join(os.fspath(one) for one in arguments)])


def note(message: str) -> None:
    """Print a line that is no result to standard error, as plain text."""
    with suppress(OSError):  # such as a full disk; what is left is dropped below
        print(plain(message), file=sys.stderr)
    _flush_notes()


def note_skipped(problems: Problems) -> None:
    """Tell how many documents were skipped, and the first reasons."""
    if problems.n_skipped:
        note(f"skipped {problems.n_skipped:,} of the documents of {problems.file}:")
        for reason in problems.reasons:
            note(f"  {reason}")
        if problems.n_skipped > len(problems.reasons):
            note("  ...")


def watch(items: Iterable[Item], doing: str, total: int | None = None) -> Iterator[Item]:
    """Let items pass, and show on a terminal how many have."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(doing, total=total)
        for item in items:
            yield item
            progress.advance(task)


@contextmanager
def working(doing: str) -> Iterator[None]:
    """Show on a terminal what is being done and for how long, while the block runs."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        progress.add_task(doing, total=None)
        yield
