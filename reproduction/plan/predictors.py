"""Predictors for F1: methods of the literature and of the paper, each a model of the registry with a recipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from setwise.models import MODELS, BudgetName, LabelModel
from setwise.prediction import Candidate, Recipe, TuningTargets

__all__ = [
    "ENSEMBLE",
    "FULL_PREDICTORS",
    "PARAMETERS",
    "PREDICTORS",
    "PREDICTOR_MODELS",
    "QUICK_PREDICTORS",
    "SLOW_PREDICTOR_MODELS",
    "Predictor",
    "PredictorEffort",
    "build_predictor_model",
    "why_unavailable",
]

ENSEMBLE = "ensemble"
"""The pool of the tuned models of the table; it has no settings of its own."""

_NOTHING_TUNED = TuningTargets()


@dataclass(frozen=True)
class Predictor:
    """One row of the table of predictors."""

    name: str
    """Unique, and short enough for the keys of rows."""
    model: str
    """A name of the registry of models, or :data:`ENSEMBLE`; predictors with the same one share its weights."""
    title: str
    source: str
    """Who proposed it."""
    recipe: Recipe
    targets: TuningTargets = _NOTHING_TUNED
    """The parameters of the recipe that are tuned on held-out documents."""

    @property
    def candidate(self) -> Candidate:
        """The recipe with what is tuned."""
        return Candidate(self.name, self.recipe, self.targets)


_HALF, _GFM = Recipe("exact", "threshold"), Recipe("exact", "gfm")
_SUPPORT_GFM, _SUPPORT_MODE = Recipe("support", "gfm"), Recipe("support", "most_probable")
_ONE_CLASS_PER_SET = "one class per training set"

PREDICTORS = (
    Predictor("half", "br", "BR, cut at one half", "the usual baseline", _HALF),
    Predictor("threshold", "br", "BR, tuned threshold", "the usual remedy", _HALF, TuningTargets(threshold="tuned")),
    Predictor(
        "jaccard",
        "br",
        "BR, threshold per document for the expected Jaccard index",
        "Quevedo et al. 2012",
        Recipe("exact", "expected_jaccard"),
    ),
    Predictor("exact", "br", "BR, exact expected F1", "Nan et al. 2012; Quevedo et al. 2012 for F1", _GFM),
    Predictor("support", "br", "BR, support + GFM", "the paper", _SUPPORT_GFM),
    Predictor(
        "calibrated",
        "br",
        "BR, calibrated support + GFM",
        "setwise",
        _SUPPORT_GFM,
        TuningTargets("likelihood"),
    ),
    Predictor("lsr", "lsr", "least squares on labels and sizes, GFM", "Ramaswamy et al. 2015", _GFM),
    Predictor("costs", "cost_sensitive", "cost-sensitive BR, cut at one half", "Parambath et al. 2014", _HALF),
    Predictor("fgfm", "fgfm", "F-GFM: independent subsets of labels", "Gasse and Aussem 2016", _GFM),
    Predictor("powerset GFM", "powerset", "PowerSet, GFM", _ONE_CLASS_PER_SET, _SUPPORT_GFM),
    Predictor("powerset", "powerset", "PowerSet, most probable set", _ONE_CLASS_PER_SET, _SUPPORT_MODE),
    Predictor("rakel", "rakel", "RAkEL, cut at one half", "Tsoumakas and Vlahavas 2007", _HALF),
    Predictor("ensemble", ENSEMBLE, "ensemble of the tuned models, support + GFM", "setwise", _SUPPORT_GFM),
)
"""The rows of the table, in its order."""

PREDICTOR_MODELS = tuple(dict.fromkeys(one.model for one in PREDICTORS))
"""The models of the rows, the ensemble last."""

SLOW_PREDICTOR_MODELS = ("powerset", "rakel", "fgfm")
"""Models whose training documents are limited by ``max_training_documents_if_slow``."""

PARAMETERS: dict[str, dict[str, Any]] = {"rakel": {"max_iter": 10}}
"""Parameters that are not tuned: RAkEL is stopped early, because its multinomials take minutes to converge."""

TOO_SLOW: dict[str, tuple[str, ...]] = {"rakel": ("bibtex", "enron_raw", "ohsumed_raw", "rcv1sub1", "reuters21578")}
"""Datasets on which a model takes too long: the time grows as labels times words of all documents."""


@dataclass(frozen=True)
class PredictorEffort:
    """How much is tried of each model."""

    budget: BudgetName
    """Of the grid that the registry has for the model."""
    max_tuning_documents: int
    """Most training documents that settings are tuned on; the chosen setting is then trained on all of them."""
    max_training_documents_if_slow: int
    """Most training documents of the models in :data:`SLOW_PREDICTOR_MODELS`."""
    max_held_out: int
    """Most held-out documents that settings are compared on."""


FULL_PREDICTORS = PredictorEffort("quick", 6_000, 12_000, 3_000)
QUICK_PREDICTORS = PredictorEffort("quick", 1_000, 1_000, 500)


def why_unavailable(model: str, dataset: str) -> str | None:
    """Return why a model of the table is not run on a dataset, or None where it is."""
    if dataset in TOO_SLOW.get(model, ()):
        return "its multinomials, two per label, take too long with so many labels and words"
    return None


def build_predictor_model(model: str, random_state: int = 0) -> LabelModel:
    """Return a model of the registry with the parameters of the table, and a seed where it has one."""
    built = MODELS[model].model(n_jobs=1, **PARAMETERS.get(model, {}))
    return built.set_params(random_state=random_state) if "random_state" in built.get_params() else built
