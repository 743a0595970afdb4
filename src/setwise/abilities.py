"""What a model may be asked. Ask for abilities, not classes: a new model that has them works everywhere."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import Incompatible
from setwise.labels import MostProbable, SizeMarginals

__all__ = [
    "FindsMode",
    "GivesMarginals",
    "GivesScaledSizeMarginals",
    "GivesSizeMarginals",
    "Samples",
    "ScoresSets",
    "lacking",
    "require",
]


@runtime_checkable
class ScoresSets(Protocol):
    """Knows the probability of any label set."""

    def log_prob(self, X: Any, sets: Any) -> NDArray[np.float64]:
        """log p(set | x), documents by sets."""
        ...


@runtime_checkable
class GivesMarginals(Protocol):
    """Knows the probability of each label alone."""

    def marginals(self, X: Any) -> NDArray[np.float64]:
        """p(y_l = 1 | x), documents by labels."""
        ...


@runtime_checkable
class FindsMode(Protocol):
    """Finds the most probable set of all."""

    def mode(self, X: Any) -> MostProbable:
        """The most probable set of each document, and whether that is proved."""
        ...


@runtime_checkable
class Samples(Protocol):
    """Draws label sets."""

    def sample(self, X: Any, n: int, random_state: int) -> sp.csr_array:
        """Draw ``n`` sets per document, from the random_state and the document alone.

        Rows i n to (i + 1) n - 1 are those of document i.
        """
        ...


@runtime_checkable
class GivesSizeMarginals(Protocol):
    """Knows labels and sizes together, without a sum over sets."""

    def size_marginals(self, X: Any) -> SizeMarginals:
        """p(y_l = 1, |y| = s | x) for every label and size."""
        ...


@runtime_checkable
class GivesScaledSizeMarginals(Protocol):
    """Knows labels, and labels and sizes together, and what becomes of them when logits are scaled and shifted."""

    def scaled_marginals(self, X: Any, scale: float, shift: float) -> NDArray[np.float64]:
        """Give p(y_l = 1 | x) with every logit z replaced by scale z + shift, documents by labels."""
        ...

    def scaled_size_marginals(self, X: Any, scale: float, shift: float) -> SizeMarginals:
        """Give the size marginals with every logit z replaced by scale z + shift."""
        ...


_WHAT_ASKS_FOR = {
    "log_prob": "Hint: support inference needs only `log_prob`; BR, PCC, CRF and CBM have it.",
    "marginals": "Hint: BR, CRF and CBM have exact marginals; for PCC take those of support inference or of samples.",
    "mode": "Hint: for the most probable of the training sets, use support inference.",
    "sample": "Hint: CRF knows only training sets, so use support inference; LSF gives `size_marginals` directly.",
    "size_marginals": "Hint: use support inference or samples, which work from the joint.",
    "scaled_marginals": "Hint: BR and CBM have it; for the others calibrate support inference.",
    "scaled_size_marginals": "Hint: BR and CBM have it; for the others calibrate support inference.",
}


def lacking(model: Any, *needed: str) -> list[str]:
    """Give the methods in ``needed`` that ``model`` lacks."""
    return [name for name in needed if not callable(getattr(model, name, None))]


def require(model: Any, *needed: str, by: str) -> None:
    """Raise ``Incompatible`` unless ``model`` has every method in ``needed``: who asks, what lacks, what would work."""
    missing = lacking(model, *needed)
    if missing:
        listed = " and ".join(f"`{name}`" for name in missing)
        raise Incompatible(f"{by} needs {type(model).__name__} to have {listed}. {_WHAT_ASKS_FOR.get(missing[0], '')}")
