"""Choices of options, read from the registries when a command runs or shows its help.

The registries import NumPy and scikit-learn. Reading them late keeps ``setwise --version`` fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import typer

from setwise.cli.startup import LazyConversions, import_for_predictions

__all__ = ["ChoicesCommand", "choice_option", "model_names"]

EXAMPLES = "Examples:\n"
"""Line of the docstring of a command from which on it is printed below the options."""


def model_names() -> tuple[str, ...]:
    """Return the names of all models, and the one under which the model is chosen."""
    from setwise.models import AUTO, MODELS

    return (AUTO, *MODELS)


def _scoring_names() -> tuple[str, ...]:
    """Return the names of all metrics that a model can be tuned for."""
    from setwise.metrics import METRICS

    return tuple(METRICS)


def _inference_names() -> tuple[str, ...]:
    from setwise.inference import INFERENCES

    return ("tuned", *INFERENCES)


def _decision_names() -> tuple[str, ...]:
    from setwise.decision import DECISIONS

    return ("tuned", *DECISIONS)


def _calibration_names() -> tuple[str, ...]:
    return ("tuned", "none", "likelihood", "f1")


def _budget_names() -> tuple[str, ...]:
    from setwise.models import BUDGETS

    return BUDGETS


def _preferences() -> tuple[str, ...]:
    from setwise.tuning import Preference

    return get_args(Preference)


def _format_names() -> tuple[str, ...]:
    from setwise.data import FORMATS

    return tuple(FORMATS)


def _prediction_formats() -> tuple[str, ...]:
    from setwise.cli.predictions import WRITERS

    return tuple(WRITERS)


_CHOICES: dict[str, Callable[[], tuple[str, ...]]] = {
    "models": model_names,
    "inferences": _inference_names,
    "decisions": _decision_names,
    "calibrations": _calibration_names,
    "budgets": _budget_names,
    "preferences": _preferences,
    "metrics": _scoring_names,
    "formats": _format_names,
    "prediction formats": _prediction_formats,
}
"""The choices by the name that stands for them, in braces, in the help of an option."""


def choice_option(choices: str, *flags: str, help: str, **more: Any) -> Any:
    """Return an option whose value must be one of the registered ``choices``."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        if ctx.find_root().obj:  # a process of its own, which lists names and ends
            import_for_predictions()
        return [name for name in _CHOICES[choices]() if name.startswith(incomplete)]

    def parse_choice(value: str) -> str:
        names = _CHOICES[choices]()
        if value not in names:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(names)}.")
        return value

    options: dict[str, Any] = {"parser": parse_choice, "autocompletion": complete, "metavar": "NAME", **more}
    return typer.Option(*flags, help=help, **options)


class ChoicesCommand(LazyConversions):
    """Command whose help lists registered choices in place of their name in braces, and ends with its examples."""

    def __init__(self, *arguments: Any, help: str | None = None, **options: Any) -> None:
        description, heading, examples = (help or "").partition(EXAMPLES)
        options["epilog"] = f"\n{heading}{examples}" if heading else options.get("epilog")
        super().__init__(*arguments, help=description.rstrip(), **options)

    def format_help(self, *arguments: Any) -> None:
        """Write the help; the choices are those of the registries now."""
        parameters: list[Any] = [parameter for parameter in self.params if getattr(parameter, "help", None)]
        templates = [(parameter, parameter.help) for parameter in parameters]
        for parameter, template in templates:
            for choices, names in _CHOICES.items():
                if f"{{{choices}}}" in template:
                    parameter.help = template.replace(f"{{{choices}}}", ", ".join(names()))
        try:
            super().format_help(*arguments)
        finally:
            for parameter, template in templates:
                parameter.help = template
