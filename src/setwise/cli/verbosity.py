"""``-q`` and ``-v``: how much a command says on standard error."""

from __future__ import annotations

import inspect
import platform
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from time import perf_counter, process_time
from typing import Annotated, Any

import typer

from setwise.cli.runtime import Verbosity, is_quiet, is_verbose, print_detail, set_verbosity
from setwise.exceptions import InvalidParameter

__all__ = ["Quiet", "Verbose", "choose_verbosity", "with_verbosity"]

MESSAGES = "Messages"
"""Title of these options in the help of a command."""

REPORTED = ("numpy", "scipy", "scikit-learn")
"""Packages whose versions results may depend on."""

Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        rich_help_panel=MESSAGES,
        help="Say nothing but errors: no progress, notes or warnings, and no summary of a training.",
    ),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        rich_help_panel=MESSAGES,
        help="Also say, on standard error, versions, times, and every setting that was tried.",
    ),
]


def choose_verbosity(quiet: bool, verbose: bool) -> None:
    """Set how much the command says as its options ask for; without any, it stays as it is."""
    if (quiet and (verbose or is_verbose())) or (verbose and is_quiet()):
        raise InvalidParameter("-q and -v contradict each other. Use one of them.")
    if quiet or verbose:
        set_verbosity(Verbosity.QUIET if quiet else Verbosity.VERBOSE)


def with_verbosity(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``-q`` and ``-v`` to a command."""
    signature = inspect.signature(command, eval_str=True)

    @wraps(command)
    def wrapper(*, quiet: bool, verbose: bool, **values: Any) -> None:
        choose_verbosity(quiet, verbose)
        with _saying_little() if is_quiet() else _saying_much():
            command(**values)

    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)
        for name, annotation in (("quiet", Quiet), ("verbose", Verbose))
    ]
    keywords = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in signature.parameters.values()]
    wrapper.__signature__ = signature.replace(parameters=keywords + options)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {one.name: one.annotation for one in keywords + options}
    return wrapper


@contextmanager
def _saying_little() -> Iterator[None]:
    """Hide the warnings of the library, which Python prints to standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _saying_much() -> Iterator[None]:
    """Say which versions run, and how long the command took."""
    if not is_verbose():
        yield
        return
    print_detail(_versions())
    started, worked = perf_counter(), process_time()
    try:
        yield
    finally:
        took, of_processors = perf_counter() - started, process_time() - worked
        print_detail(f"took {took:.2f} s, {of_processors:.2f} s of processor time")


def _versions() -> str:
    from importlib.metadata import version  # late: few commands are verbose

    from setwise import __version__

    packages = ", ".join(f"{name} {version(name)}" for name in REPORTED)
    return f"setwise {__version__}, Python {platform.python_version()}, {packages}, {platform.machine()}"
