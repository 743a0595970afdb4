"""The commands of ``setwise``, and its entry point."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from setwise.cli.choices import ChoicesCommand
from setwise.cli.compare import compare
from setwise.cli.conversion import CommandGroup
from setwise.cli.data import data_commands
from setwise.cli.demo import demo
from setwise.cli.evaluate import evaluate
from setwise.cli.imports import import_for_predictions
from setwise.cli.inspect import inspect
from setwise.cli.predict import predict
from setwise.cli.runtime import rare_collections, run
from setwise.cli.terminal import prepare_streams, print_line
from setwise.cli.train import train

__all__ = ["app", "main", "program"]

app = typer.Typer(
    cls=CommandGroup,
    help="Predict sets of labels for text: for each document, the set with the highest expected F1.",
    no_args_is_help=True,
    add_completion=False,
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
) -> None:
    if context.obj and context.invoked_subcommand in {command.__name__ for command in PREDICTING}:
        context.with_resource(rare_collections())
        import_for_predictions()


PREDICTING = (predict, evaluate, inspect)
"""Commands that load a model and train none."""

for command in (demo, train, *PREDICTING, compare):
    app.command(cls=ChoicesCommand)(command)
