"""Why a figure of ours is below the paper's, as far as it is known."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

__all__ = ["reason"]


def reason(dataset: str, model: str) -> str | None:
    """Give the sentence that ``reasons.toml`` has; None where nobody has found out."""
    return _reasons().get((dataset, model))


@cache
def _reasons() -> dict[tuple[str, str], str]:
    found = tomllib.loads(files(__package__).joinpath("reasons.toml").read_text(encoding="utf-8"))["reasons"]
    return {(one["dataset"], model): one["why"] for one in found for model in one["models"]}
