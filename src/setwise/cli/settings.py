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
    "Seed",
    "Threads",
]

_TUNING = "What is tuned, and how"


ModelName = Annotated[
    Literal["br", "pcc", "crf", "cbm", "lsf"],
    typer.Option(help="Which model is trained."),
]
Inference = Annotated[
    Literal["tuned", "support", "exact", "sampled", "mode", "blend"],
    typer.Option(
        help="What is asked of the model.",
        rich_help_panel=_TUNING,
    ),
]
Decision = Annotated[
    Literal["tuned", "gfm", "most_probable", "threshold"],
    typer.Option(
        help="Which set is taken: gfm is the one of the best expected F1.",
        rich_help_panel=_TUNING,
    ),
]
Calibration = Annotated[
    Literal["tuned", "none", "likelihood", "f1"],
    typer.Option(
        help="How the probabilities of sets are corrected.",
        rich_help_panel=_TUNING,
    ),
]
Budget = Annotated[
    Literal["quick", "normal", "thorough"],
    typer.Option(
        help="How many settings of the model are tried.",
        rich_help_panel=_TUNING,
    ),
]
Metric = Annotated[
    Literal["instance_f1", "set_accuracy", "micro_f1", "macro_f1", "hamming_loss"],
    typer.Option(
        help="What is tuned for.",
        rich_help_panel=_TUNING,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")]
Threads = Annotated[int | None, typer.Option(min=1, help="How many cores to use; all if not given.")]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas/--no-escape-formulas",
        help="In csv and tsv, put an apostrophe before labels and ids that a spreadsheet would run as formulas.",
    ),
]
