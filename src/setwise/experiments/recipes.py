"""The paper's letters: L1, early stopping, support inference and GFM, alone and together, and what each model makes of
them."""

from __future__ import annotations

from dataclasses import dataclass

from setwise.exceptions import InvalidParameter
from setwise.prediction import Recipe

__all__ = [
    "ALL_FOUR",
    "CRF_RECIPES",
    "MODELS",
    "NOTHING",
    "PREDICTION_RECIPES",
    "TRAINING_RECIPES",
    "Letters",
    "is_random",
    "not_applicable",
    "prediction",
]

NOTHING = "No REG"
ALL_FOUR = "All4"
MODELS = ("BR", "PCC", "CRF", "CRF without pairs", "CBM", "LSF")


@dataclass(frozen=True)
class Letters:
    """Which of the four regularisations are on; squares are always penalised."""

    l1: bool = False
    early: bool = False
    support: bool = False
    gfm: bool = False

    @property
    def name(self) -> str:
        """As the paper writes it."""
        on = [letter for letter, is_on in zip("LESG", self._flags, strict=True) if is_on]
        return {0: NOTHING, 4: ALL_FOUR}.get(len(on), "+".join(on))

    @property
    def _flags(self) -> tuple[bool, bool, bool, bool]:
        return self.l1, self.early, self.support, self.gfm

    @classmethod
    def of(cls, name: str) -> Letters:
        """Read what the paper writes, letters in any order."""
        if name == NOTHING:
            return cls()
        letters = ["L", "E", "S", "G"] if name == ALL_FOUR else name.split("+")
        if len(set(letters)) < len(letters) or not set(letters) <= set("LESG"):
            raise InvalidParameter(
                f"A recipe must be {NOTHING!r}, {ALL_FOUR!r} or some of L, E, S, G with + between them; got {name!r}."
            )
        return cls(*(letter in letters for letter in "LESG"))


TRAINING_RECIPES = (NOTHING, "S+G", "L+S+G", "E+S+G", ALL_FOUR)
"""The columns of the paper's Table 2."""
PREDICTION_RECIPES = (NOTHING, "L+E", "L+E+S", "L+E+G", ALL_FOUR)
"""Those of its Table 4."""
CRF_RECIPES = ("E+S", "E+S+G")
"""Those of its Table 5, where a CRF has squares alone."""


def not_applicable(model: str, recipe: str) -> str | None:
    """Say why a model has no such recipe; None where it has."""
    letters = Letters.of(recipe)
    if model.startswith("CRF"):
        if recipe == NOTHING:
            return "the partition function of a CRF is summed over the support, so it always has support inference"
        if letters.gfm and not letters.support:
            return "a CRF gives no probability to sets outside the support, so there is nothing else to sample from"
    if model == "LSF" and not letters.gfm:
        return "LSF estimates labels with sizes, not sets, so GFM alone can choose"
    return None


def prediction(model: str, recipe: str, *, seed: int = 0, n_samples: int = 1000) -> Recipe:
    """Give the inference and the decision of a recipe that is applicable."""
    letters = Letters.of(recipe)
    decision = "gfm" if letters.gfm else "most_probable"
    if model == "LSF":
        return Recipe("exact", "gfm")  # support inference needs a joint: LSF's own marginals stand in its columns
    if letters.support or model.startswith("CRF"):
        return Recipe("support", decision)  # type: ignore[arg-type]
    return Recipe("sampled", "gfm", random_state=seed, n_samples=n_samples) if letters.gfm else Recipe("mode", decision)  # type: ignore[arg-type]


def is_random(model: str, recipe: str) -> bool:
    """Say whether a recipe leaves something to chance, and so is repeated: where CBM starts, or samples."""
    return model == "CBM" or prediction(model, recipe).inference == "sampled"
