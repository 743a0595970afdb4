"""Into how many label blocks a fit is split, and what each will probably cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from setwise.labels import LabelMatrix
from setwise.models import LabelBlock, balanced_blocks
from setwise.tuning.costs import SECONDS_PER_TASK, PartSize, fit_seconds

__all__ = ["FitPiece", "pieces_of_fit"]

LEAST_BLOCK_SECONDS = 10.0 * SECONDS_PER_TASK
"""A block that computes for less would spend more than a tenth of its time on files."""

MOST_BLOCKS = 64
"""More would keep no worker busier, since paths and folds are tasks of their own; and whoever reads a model reads all
its blocks."""


@dataclass(frozen=True)
class FitPiece:
    """What one task of a fit does."""

    block: LabelBlock | None = None
    """None fits all labels."""
    seconds: float = 1.0
    """CPU seconds, as estimated."""


def pieces_of_fit(model: Any, y: LabelMatrix, size: PartSize, *, cold: bool = False) -> list[FitPiece]:
    """Return the label blocks that cost about the same, or one piece for a small fit, or a model fitted as a whole.

    Parameters
    ----------
    model : LabelModel
    y : LabelMatrix
        The training documents.
    size : PartSize
    cold : bool
        Whether the fit starts from zero weights, and not from that of a stronger penalty.
    """
    seconds = fit_seconds(model, size, cold=cold)
    n_blocks = min(MOST_BLOCKS, int(seconds / LEAST_BLOCK_SECONDS))
    costs = model.unit_costs(y) if n_blocks > 1 else None
    if costs is None or not costs.any():
        return [FitPiece(None, seconds)]
    blocks = balanced_blocks(costs, n_blocks)
    if len(blocks) == 1:
        return [FitPiece(None, seconds)]
    return [FitPiece(block, float(seconds * costs[block.rows].sum() / costs.sum())) for block in blocks]
