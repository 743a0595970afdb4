"""The most probable of all label sets, from models that can find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from setwise.abilities import FindsMode, require
from setwise.inference.blocks import documents_that_fit
from setwise.labels import MostProbable

__all__ = ["ModeInference"]


@dataclass(frozen=True, eq=False)
class ModeInference:
    """What the paper calls MAP: no support, no F1, the model's own best set."""

    needs: ClassVar[tuple[str, ...]] = ("mode",)

    def block(self, n_labels: int) -> int:
        """How many documents to ask about at a time."""
        return documents_that_fit(n_labels)

    def infer(self, model: FindsMode, X: Any) -> MostProbable:
        """Give the most probable set of each document of a block."""
        require(model, *self.needs, by="Mode inference")
        return model.mode(X)
