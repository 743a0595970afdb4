"""Statistics of the training in the model file."""

from __future__ import annotations

from typing import Any

from setwise.persistence.fields import Fields, check_scalars, plain
from setwise.persistence.state import ClassifierState

__all__ = ["check_statistics", "statistics_part"]

_COUNTS = ("n_labels", "n_sets", "n_features", "n_features_used", "n_nonzero", "n_documents")

_MAX_COUNT = 2**63 - 1


def statistics_part(state: ClassifierState, more: dict[str, Any]) -> dict[str, Any]:
    """Return the statistics of a trained classifier, and ``more`` that the caller of ``save`` added."""
    support, size = state.support, state.model.size()
    statistics: dict[str, Any] = {
        "n_labels": support.sets.n_labels,
        "n_sets": support.n_sets,
        "n_features": state.n_features,
        "n_features_used": size.n_features_used,
        "n_nonzero": size.n_nonzero,
    }
    if support.set_of.size:  # empty in a loaded classifier, which no longer has its documents
        statistics["n_documents"] = int(support.set_of.size)
        if (support.set_of >= 0).all():
            statistics["cardinality"] = float(support.sets.sizes[support.set_of].mean())
    return {**statistics, **plain(more, "statistics")}


def check_statistics(statistics: Any, n_features: int) -> None:
    """Raise ``InvalidData`` unless counts are counts, each feature has a name or none has, and the rest is scalar."""
    fields = Fields(check_scalars(statistics, "statistics", lists=True), "statistics")
    for name in statistics:
        if name in _COUNTS:
            fields.whole(name, 0, _MAX_COUNT)
        elif name == "cardinality":
            fields.number(name, 0.0)
        elif name == "feature_names" and statistics[name] is not None:
            fields.items(name, n_features)
