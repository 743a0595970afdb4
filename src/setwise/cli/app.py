"""The commands, and what becomes of their errors."""

from __future__ import annotations

from typing import Annotated

import typer

from setwise import __version__
from setwise.cli.compare import compare
from setwise.cli.data import data_commands
from setwise.cli.evaluate import evaluate
from setwise.cli.inspect import inspect
from setwise.cli.predict import predict
from setwise.cli.reproduce import reproduce
from setwise.cli.runtime import run
from setwise.cli.settings import Budget, RandomState
from setwise.cli.terminal import prepare_streams, say
from setwise.cli.train import train

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
    prepare_streams()
    run(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"setwise {__version__}")
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
    output: Annotated[str, typer.Option("--output", "-o", help="Where the model goes.")] = "demo.setwise",
    held_out: Annotated[str, typer.Option(help="Where the documents held out go.")] = "demo-held-out.jsonl",
    budget: Budget = "normal",
    random_state: RandomState = 0,
    documents: Annotated[int | None, typer.Option(min=100, help="Take so many documents; all if not given.")] = None,
) -> None:
    """Train on the docstrings of Python, NumPy, SciPy and scikit-learn, and show what is predicted.

    Needs no data and no network: every installation has these texts. Labels are their place (library, package, module)
    and kind (class, method, has an example, ...).
    """
    from setwise.cli.demo import run_demo  # here, so that `setwise --version` need not wait for scikit-learn

    run_demo(output=output, held_out=held_out, budget=budget, random_state=random_state, most=documents)


for command in (train, predict, evaluate, inspect, compare, reproduce):
    app.command()(command)
