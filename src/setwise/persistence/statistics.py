"""What is worth knowing of a training, as a part of the file."""

from __future__ import annotations

from typing import Any

from setwise.classifier import SetClassifier
from setwise.exceptions import InvalidData
from setwise.models.model_size import model_size
from setwise.persistence.fields import Fields, check_scalars, plain

__all__ = ["check_statistics", "statistics_part"]

_COUNTS = ("n_labels", "n_sets", "n_features", "n_features_used", "n_nonzero", "n_documents")

_LARGEST_COUNT = 2**63 - 1


def statistics_part(classifier: SetClassifier, given: dict[str, Any]) -> dict[str, Any]:
    """Count what the trained classifier tells of its training, and add what was given to ``save``."""
    support, size = classifier.support_, model_size(classifier.model_)
    found: dict[str, Any] = {
        "n_labels": support.sets.n_labels,
        "n_sets": support.n_sets,
        "n_features": int(classifier.n_features_in_),
        "n_features_used": size.n_features_used,
        "n_nonzero": size.n_nonzero,
    }
    if support.set_of.size:  # one that was loaded no longer knows its documents
        found["n_documents"] = int(support.set_of.size)
        if (support.set_of >= 0).all():
            found["cardinality"] = float(support.sets.sizes[support.set_of].mean())
    return {**found, **plain(given, "statistics")}


def check_statistics(given: Any, n_features: int) -> None:
    """Raise ``InvalidData`` unless counts are counts, features have a name each, and all else is simple."""
    fields = Fields(check_scalars(given, "statistics", lists=True), "statistics")
    for name in given:
        if name in _COUNTS:
            fields.whole(name, 0, _LARGEST_COUNT)
        elif name == "cardinality":
            fields.number(name, 0.0)
        elif name == "feature_names" and given[name] is not None:
            names = fields.items(name)
            if len(names) != n_features:
                raise InvalidData(f"statistics.feature_names must be {n_features} names; got {len(names)}")
