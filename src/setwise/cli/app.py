"""The commands, and what becomes of their errors."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from setwise import __version__
from setwise.cli.data import data_commands
from setwise.cli.manners import run

__all__ = ["app", "main"]

app = typer.Typer(
    help="Predict sets of labels for text: the set with the best expected F1.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(data_commands, name="data")


def main() -> None:
    """Run the command line; an error becomes one line on standard error and an exit code."""
    run(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"setwise {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
def demo(
    documents: Annotated[int, typer.Option(help="How many documents to make up.")] = 1500,
    seed: Annotated[int, typer.Option(help="The same seed makes the same documents.")] = 0,
) -> None:
    """Fit the labels of a small made-up corpus and show what they predict."""
    from setwise.cli.demo import run_demo  # here, so that `setwise --version` need not wait for scikit-learn

    run_demo(Console(), n_documents=documents, seed=seed)
