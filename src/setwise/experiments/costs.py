"""About how long work takes, one piece beside another: for the order of work, and for the time that is left."""

from __future__ import annotations

from setwise.experiments.corpora import Parts
from setwise.experiments.plan import Work
from setwise.experiments.run_config import Circumstances

__all__ = ["cost"]

_OF_MODELS = {"BR": 1.0, "PCC": 1.5, "CRF": 2.0, "CRF without pairs": 1.5, "LSF": 3.0, "CBM": 6.0}
"""Beside BR, as measured on bibtex."""
_OF_HEAT = 1.0


def cost(work: Work, run: Circumstances) -> float:
    """Guess from the size of the training documents, the number of labels and the model."""
    if work.kind == "corpus":
        return 1.0
    n_bytes, n_labels = Parts(work.dataset, run.data).bulk()
    of_model = _OF_MODELS.get(work.model, _OF_HEAT) * (2.0 if work.l1 else 1.0)
    return 1.0 + of_model * n_bytes * n_labels / 1e6
