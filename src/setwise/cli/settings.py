"""Options that several commands share, spelt once."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

__all__ = [
    "Budget",
    "Calibration",
    "Decision",
    "EscapeFormulas",
    "Inference",
    "Metric",
    "ModelFile",
    "ModelName",
    "RandomState",
    "Threads",
]

_TUNING = "What is tuned, and how"


ModelName = Annotated[
    Literal["br", "pcc", "crf", "cbm", "lsf"],
    typer.Option(help="The model to train."),
]
Inference = Annotated[
    Literal["tuned", "support", "exact", "sampled", "mode", "blend"],
    typer.Option(
        help="How label sets get their probabilities.",
        rich_help_panel=_TUNING,
    ),
]
Decision = Annotated[
    Literal["tuned", "gfm", "most_probable", "threshold"],
    typer.Option(
        help="How the label set is chosen; gfm takes the one with the best expected F1.",
        rich_help_panel=_TUNING,
    ),
]
Calibration = Annotated[
    Literal["tuned", "none", "likelihood", "f1"],
    typer.Option(
        help="How the probabilities of label sets are calibrated.",
        rich_help_panel=_TUNING,
    ),
]
Budget = Annotated[
    Literal["quick", "normal", "thorough"],
    typer.Option(
        help="How many settings of the model are tried; more take longer.",
        rich_help_panel=_TUNING,
    ),
]
Metric = Annotated[
    Literal["instance_f1", "set_accuracy", "micro_f1", "macro_f1", "hamming_loss"],
    typer.Option(
        help="The metric to tune for.",
        rich_help_panel=_TUNING,
    ),
]
RandomState = Annotated[int, typer.Option(min=0, help="The same random_state gives the same model.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Number of threads; all cores if not given.")]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas/--no-escape-formulas",
        help="In csv and tsv, put an apostrophe before labels and ids that a spreadsheet would run as formulas.",
    ),
]
