"""The commands of ``setwise``, and its entry point."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from setwise.cli.automate import automate
from setwise.cli.choices import ChoicesCommand
from setwise.cli.compare import compare
from setwise.cli.data import data_commands
from setwise.cli.demo import demo
from setwise.cli.evaluate import evaluate
from setwise.cli.explain import explain
from setwise.cli.inspect import inspect
from setwise.cli.predict import predict
from setwise.cli.report import report
from setwise.cli.runtime import rare_collections, run
from setwise.cli.serve import serve
from setwise.cli.startup import CommandGroup, import_for_predictions
from setwise.cli.terminal import prepare_streams, print_line
from setwise.cli.train import train
from setwise.cli.verbosity import Quiet, Verbose, choose_verbosity, with_verbosity

__all__ = ["app", "main", "program"]

EPILOG = """
Exit codes: 0 it worked, 1 it failed, 2 the command line is wrong, 130 it was
interrupted. Results go to standard output, everything else to standard error.

Examples:

    setwise demo

    setwise train docs.csv -o topics.setwise

    setwise predict topics.setwise new.csv -o predicted.csv

    setwise train --help
"""

app = typer.Typer(
    cls=CommandGroup,
    help="Predict sets of labels for text: for each document, the set with the highest expected F1.",
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(data_commands, name="data")


def main() -> None:
    """Run the command line; an error becomes one line on standard error and an exit code."""
    _run(own_process=False)


def program() -> None:
    """Run the command line as :func:`main` does, in a process of its own: predictions then need no scikit-learn."""
    _run(own_process=True)


def _run(*, own_process: bool) -> None:
    prepare_streams()
    run(partial(app, obj=own_process))


def _print_version(requested: bool) -> None:
    if requested:
        from setwise import __version__  # late: it is read from the metadata of the package

        print_line(f"setwise {__version__}")
        raise typer.Exit


@app.callback()
def _global_options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    choose_verbosity(quiet, verbose)
    if context.obj and context.invoked_subcommand in {command.__name__ for command in PREDICTING}:
        context.with_resource(rare_collections())
        import_for_predictions()


PREDICTING = (predict, evaluate, automate, explain, report, inspect, serve)
"""Commands that load a model and train none."""

for command in (demo, train, *PREDICTING, compare):
    app.command(cls=ChoicesCommand)(with_verbosity(command))
