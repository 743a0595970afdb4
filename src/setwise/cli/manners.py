"""Manners that all commands share: results to standard output, all else to standard error, and what errors become."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO, TypeVar

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from setwise.cli.terminal import plain
from setwise.exceptions import InvalidParameter, SetwiseError

if TYPE_CHECKING:
    from setwise.data.formats import Problems

__all__ = ["FAILED_WORK", "INTERRUPTED", "WRONG_USE", "command_name", "note", "note_skipped", "run", "watch"]

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
    """How the command can be called again: by its name, or from where it is if no shell would find it."""
    return "setwise" if shutil.which("setwise") else os.path.relpath(sys.argv[0])


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
