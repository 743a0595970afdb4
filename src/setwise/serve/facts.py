"""What the service tells about a model: its labels, its statistics, and what it was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from setwise.classifier import SetClassifier
from setwise.models import MODELS

__all__ = ["model_facts"]

_UNLISTED = ("feature_names", "n_labels", "n_sets", "n_features", "n_features_used", "n_nonzero")
"""Statistics of the file that are listed elsewhere, or are too long."""

_OF_AUTOMATION = ("metric", "target", "level", "threshold")


def model_facts(classifier: SetClassifier, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about a classifier that was loaded from a file with this manifest."""
    automation, tuning, recipe = classifier.automation_, classifier.tuning_, classifier.recipe_
    kind, size, support = type(classifier.model_), classifier.model_.size(), classifier.support_
    trained_on = {name: value for name, value in manifest["statistics"].items() if name not in _UNLISTED}
    return {
        "n_labels": len(classifier.classes_),
        "model": next((name for name, entry in MODELS.items() if entry.model is kind), kind.__name__.lower()),
        "labels": [str(label) for label in classifier.classes_],
        "statistics": {
            "n_features": classifier.n_features_in_,
            "n_features_used": size.n_features_used,
            "n_weights": size.n_nonzero,
            "n_label_sets": support.n_sets,
            "n_training_documents": int(support.counts.sum()),
        },
        "trained_on": {**trained_on, "setwise_version": manifest["setwise_version"]},
        "recipe": f"{recipe.inference}, {recipe.decision}" if tuning is None else tuning.recipe_name,
        "has_confidence": classifier.confidence_ is not None,
        "automation": None if automation is None else {name: getattr(automation, name) for name in _OF_AUTOMATION},
    }
