"""The networks of Table 6: which ones, on which datasets, how they predict, and which settings are tried."""

from __future__ import annotations

from dataclasses import dataclass

from setwise.models import MODELS, LabelModel, StrengthPath
from setwise.prediction import Candidate, Recipe, TuningTargets

__all__ = [
    "FULL_NETWORKS",
    "NETWORKS",
    "NETWORK_DATASETS",
    "QUICK_NETWORKS",
    "SUPPORT_GFM",
    "TUNED_THRESHOLD",
    "Network",
    "NetworkEffort",
    "build_network",
    "network_grid",
]

NETWORK_DATASETS = ("bibtex", "medical_raw", "enron_raw", "ohsumed_raw")
"""Our closest counterparts of the paper's datasets in Table 6; the fifth, WIPO, is not available."""

TUNED_THRESHOLD = Candidate("tuned threshold", Recipe("exact", "threshold"), TuningTargets(threshold="tuned"))
SUPPORT_GFM = Candidate("S+G", Recipe("support", "gfm"))


@dataclass(frozen=True)
class Network:
    """One network of Table 6, a model of the registry whose other parameters are those of the paper's recipe."""

    model: str
    """Its name in the registry of models."""
    predictions: tuple[Candidate, ...]
    epochs: tuple[str, ...]
    """The parameters that are numbers of epochs."""
    penalty: str
    """The parameter that is tuned: the strength of the perceptron's penalty."""


NETWORKS = {
    "MLP": Network("mlp", (TUNED_THRESHOLD, SUPPORT_GFM), ("max_iter",), "strength"),
    # Its relaxed labels are no probabilities, so only a threshold goes with them. The penalty of its energy, for which
    # the default stays, hardly matters in so few epochs.
    "SPEN": Network("spen", (TUNED_THRESHOLD,), ("max_iter", "mlp_max_iter"), "mlp_strength"),
}
"""The networks by their names in the table."""


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
    """Return the network with this name in Table 6."""
    network = NETWORKS[name]
    epochs = dict.fromkeys(network.epochs, effort.max_epochs)
    return MODELS[network.model].model(random_state=random_state, n_jobs=1, **epochs)


def network_grid(name: str, effort: NetworkEffort) -> list[StrengthPath]:
    """Return the settings that are tried."""
    penalty = NETWORKS[name].penalty
    if penalty == "strength":
        return [StrengthPath(effort.strengths)]
    strength = build_network(name, effort, 0).get_params()["strength"]
    return [StrengthPath((strength,), {penalty: one}) for one in effort.strengths]
