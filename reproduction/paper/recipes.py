"""The paper's recipes: combinations of L1, early stopping, support inference and GFM, and what they mean per model."""

from __future__ import annotations

from dataclasses import dataclass

from setwise.exceptions import InvalidParameter
from setwise.inference import ModeInference
from setwise.labels import Support
from setwise.prediction import Recipe

__all__ = [
    "ALL_FOUR",
    "CBM_NON_EMPTY",
    "CRF_RECIPES",
    "MODELS",
    "NO_REG",
    "PREDICTION_RECIPES",
    "TRAINING_RECIPES",
    "Regularizers",
    "base_model",
    "is_random",
    "not_applicable",
    "prediction_recipe",
]

NO_REG = "No REG"
ALL_FOUR = "All4"
MODELS = ("BR", "PCC", "CRF", "CRF without pairs", "CBM", "LSF")
CBM_NON_EMPTY = "CBM non-empty"
"""CBM that never predicts the empty set, as in the program of the paper's authors: the same settings, another mode."""


@dataclass(frozen=True)
class Regularizers:
    """Which of the four regularizations a recipe uses; the squared penalty is always there."""

    l1: bool = False
    early: bool = False
    support: bool = False
    gfm: bool = False

    @property
    def name(self) -> str:
        """The recipe's name in the paper, such as ``L+E+S``."""
        letters = [letter for letter, used in zip("LESG", self._flags, strict=True) if used]
        return {0: NO_REG, 4: ALL_FOUR}.get(len(letters), "+".join(letters))

    @property
    def _flags(self) -> tuple[bool, bool, bool, bool]:
        return self.l1, self.early, self.support, self.gfm

    @classmethod
    def of(cls, name: str) -> Regularizers:
        """Parse a recipe's name, with its letters in any order."""
        if name == NO_REG:
            return cls()
        letters = ["L", "E", "S", "G"] if name == ALL_FOUR else name.split("+")
        if len(set(letters)) < len(letters) or not set(letters) <= set("LESG"):
            raise InvalidParameter(
                f"A recipe must be {NO_REG!r}, {ALL_FOUR!r} or some of L, E, S, G joined by +; got {name!r}."
            )
        return cls(*(letter in letters for letter in "LESG"))


class NonEmptyMode(Recipe):
    """Mode inference with the empty set excluded, which no option of a recipe asks for."""

    def over(self, support: Support, abilities: frozenset[str]) -> ModeInference:
        """Return the inference, which needs no support."""
        return ModeInference(non_empty=True)


TRAINING_RECIPES = (NO_REG, "S+G", "L+S+G", "E+S+G", ALL_FOUR)
"""The columns of the paper's Table 2."""
PREDICTION_RECIPES = (NO_REG, "L+E", "L+E+S", "L+E+G", ALL_FOUR)
"""The columns of the paper's Table 4."""
CRF_RECIPES = ("E+S", "E+S+G")
"""The recipes of the paper's Table 5, where a CRF has a squared penalty only."""


def base_model(name: str) -> str:
    """Return the model whose weights a row's model has: its own, or those of CBM."""
    return "CBM" if name == CBM_NON_EMPTY else name


def not_applicable(model: str, recipe: str) -> str | None:
    """Return why a model has no such recipe, or None where it has."""
    regularizers = Regularizers.of(recipe)
    if model == CBM_NON_EMPTY and (regularizers.support or regularizers.gfm):
        return "only the most probable of all sets is searched for again; this is the result of CBM"
    if model.startswith("CRF"):
        if recipe == NO_REG:
            return "the partition function of a CRF is a sum over the support, so it always uses support inference"
        if regularizers.gfm and not regularizers.support:
            return "a CRF gives no probability to sets outside the support, so there is nothing else to sample from"
    if model == "LSF" and not regularizers.gfm:
        return "LSF estimates labels together with sizes, not sets, so only GFM can decide"
    return None


def prediction_recipe(model: str, recipe: str, *, random_state: int = 0, n_samples: int = 1000) -> Recipe:
    """Return the inference and the decision of an applicable recipe."""
    regularizers = Regularizers.of(recipe)
    decision = "gfm" if regularizers.gfm else "most_probable"
    if model == "LSF":
        return Recipe("exact", "gfm")  # support inference needs a joint model, so LSF keeps its own marginals
    if regularizers.support or model.startswith("CRF"):
        return Recipe("support", decision)
    if regularizers.gfm:
        return Recipe("sampled", "gfm", random_state=random_state, n_samples=n_samples)
    return (NonEmptyMode if model == CBM_NON_EMPTY else Recipe)("mode", decision)


def is_random(model: str, recipe: str) -> bool:
    """Return whether a result depends on a seed (the initialization of CBM, or samples) and so is repeated."""
    return base_model(model) == "CBM" or prediction_recipe(model, recipe).inference == "sampled"
