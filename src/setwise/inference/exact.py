"""Exact size marginals, from models that have them: no set is left out, and nothing is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from setwise.abilities import GivesScaledSizeMarginals, GivesSizeMarginals, require
from setwise.inference.blocks import documents_that_fit
from setwise.inference.calibration import IDENTITY, SetCalibration
from setwise.labels import SizeMarginals

__all__ = ["ExactInference"]


@dataclass(frozen=True, eq=False)
class ExactInference:
    """What the model itself knows of labels and sizes; its logits scaled and shifted, where asked.

    For independent labels a set's calibrated score is the sum of scale z_l + size over its labels: scaling and shifting
    the logits is the same calibration. The prior has no counterpart, since no set was counted.
    """

    needs: ClassVar[tuple[str, ...]] = ("size_marginals",)

    calibration: SetCalibration = IDENTITY

    def block(self, n_labels: int) -> int:
        """How many documents to ask about at a time."""
        return documents_that_fit(n_labels * n_labels)

    def block_of_marginals(self, model: Any, n_labels: int) -> int:
        """How many documents to ask about at a time, where only marginals are asked for."""
        has_its_own = callable(getattr(model, "marginals", None))
        return documents_that_fit(n_labels) if has_its_own else self.block(n_labels)

    def marginals(self, model: Any, X: Any) -> NDArray[np.float64]:
        """Return p(y_l = 1 | x), documents by labels: the model's own, which take no sum over sizes."""
        if (self.calibration.scale, self.calibration.size) != (1.0, 0.0):
            require(model, "scaled_marginals", by="Calibrated exact inference")
            return np.asarray(model.scaled_marginals(X, self.calibration.scale, self.calibration.size))
        if callable(getattr(model, "marginals", None)):
            return np.asarray(model.marginals(X))
        return self.infer(model, X).marginals

    def infer(self, model: GivesSizeMarginals | GivesScaledSizeMarginals, X: Any) -> SizeMarginals:
        """Give p(y_l = 1, |y| = s | x) for each document of a block."""
        if (self.calibration.scale, self.calibration.size) == (1.0, 0.0):
            require(model, "size_marginals", by="Exact inference")
            return model.size_marginals(X)  # type: ignore[union-attr]
        require(model, "scaled_size_marginals", by="Calibrated exact inference")
        return model.scaled_size_marginals(X, self.calibration.scale, self.calibration.size)  # type: ignore[union-attr]
