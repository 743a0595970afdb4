"""The networks of Table 6: which ones, on which datasets, how they predict, and which settings are tried."""

from __future__ import annotations

from dataclasses import dataclass

from setwise.models import MODELS, LabelModel, StrengthPath
from setwise.prediction import Candidate, Recipe, TuningTargets

__all__ = [
    "FULL_NETWORKS",
    "NETWORKS",
    "NETWORK_DATASETS",
    "NETWORK_PREDICTIONS",
    "QUICK_NETWORKS",
    "SUPPORT_GFM",
    "TUNED_THRESHOLD",
    "NetworkEffort",
    "build_network",
    "network_grid",
]

NETWORK_DATASETS = ("bibtex", "medical_raw", "enron_raw", "ohsumed_raw")
"""Our closest counterparts of the paper's datasets in Table 6; the fifth, WIPO, is not available."""

NETWORKS = {"MLP": "mlp", "SPEN": "spen"}
"""The registry names of the networks."""

TUNED_THRESHOLD, SUPPORT_GFM = "tuned threshold", "S+G"

_PREDICTIONS = {
    TUNED_THRESHOLD: Candidate(TUNED_THRESHOLD, Recipe("exact", "threshold"), TuningTargets(threshold="tuned")),
    SUPPORT_GFM: Candidate(SUPPORT_GFM, Recipe("support", "gfm")),
}

NETWORK_PREDICTIONS: dict[str, tuple[Candidate, ...]] = {
    "MLP": tuple(_PREDICTIONS.values()),
    "SPEN": (_PREDICTIONS[TUNED_THRESHOLD],),
}
"""How each network predicts; the relaxed labels of SPEN are no probabilities, so only a threshold goes with them."""


@dataclass(frozen=True)
class NetworkEffort:
    """How much is tried of each network."""

    strengths: tuple[float, ...]
    """Of the squared penalty of the perceptron, also where it becomes a part of SPEN."""
    max_epochs: int
    """Epochs of the perceptron and of SPEN's energy; how many of them are used is chosen on held-out documents."""
    n_seeds: int


FULL_NETWORKS = NetworkEffort((1e-2, 1e-3, 1e-4), 10, 5)
QUICK_NETWORKS = NetworkEffort((1e-3,), 3, 2)


def build_network(name: str, effort: NetworkEffort, random_state: int) -> LabelModel:
    """Return the network with this name in Table 6, with default parameters."""
    registered = NETWORKS[name]
    epochs = {"max_iter": effort.max_epochs} | ({"mlp_max_iter": effort.max_epochs} if registered == "spen" else {})
    return MODELS[registered].model(random_state=random_state, n_jobs=1, **epochs)


def network_grid(name: str, effort: NetworkEffort) -> list[StrengthPath]:
    """Return the settings that are tried; the penalty of SPEN's energy hardly matters in so few epochs."""
    if NETWORKS[name] == "mlp":
        return [StrengthPath(effort.strengths)]
    strength = build_network(name, effort, 0).get_params()["strength"]
    return [StrengthPath((strength,), {"mlp_strength": one}) for one in effort.strengths]
