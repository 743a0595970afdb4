"""What a model file says about one label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import scipy.sparse as sp

from setwise.cli.top_features import strongest_features
from setwise.decision import DECISIONS
from setwise.exceptions import InvalidParameter
from setwise.labels import csr_of_ones
from setwise.persistence import ClassifierState

__all__ = ["LabelFacts", "OtherLabel", "find_label"]

SUGGESTIONS = 3
"""Labels that an error suggests, at most."""

LISTED = 5
"""Labels that an error lists where none is similar."""


@dataclass(frozen=True)
class OtherLabel:
    """A label that occurs together with the one that is shown."""

    label: str
    documents: int
    """Training documents that have both."""
    share: float
    """Of the documents of the shown label."""
    lift: float
    """That share over the share of all documents that have this label."""


@dataclass(frozen=True)
class LabelFacts:
    """What a model knows about one label."""

    label: str
    documents: int
    """Training documents that have it."""
    n_documents: int
    share: float
    alone: int
    """Documents that have no other label."""
    label_sets: int
    """Distinct label sets of the training documents that contain it."""
    decided_by: str
    threshold: float | None
    """The probability above which it is predicted; None where whole sets are chosen."""
    scale: float
    """Factor by which calibration multiplies its score; 1 leaves it as it is."""
    intercept: float
    """Its score without any feature; 0 where the model has none per label."""
    features_used: int
    top_features: list[tuple[str, float]]
    """Features with the largest weights for it, and the weights."""
    against_features: list[tuple[str, float]]
    occurs_with: list[OtherLabel]
    """Labels that occur together with it, the most frequent first."""

    @classmethod
    def of(cls, state: ClassifierState, label: int, n_features: int, name_of: Callable[[int], str]) -> LabelFacts:
        """Collect what a fitted classifier has about the label at a position."""
        indicator, counts = state.support.sets.indicator, state.support.counts
        names = [str(name) for name in state.labels.labels]
        has_it = sp.csr_array(indicator[:, [label]]).toarray().ravel() > 0
        per_label, together = indicator.T @ counts, indicator.T @ (counts * has_it)
        documents, n_documents = int(per_label[label]), int(counts.sum())
        order = [
            other for other in np.lexsort((np.arange(len(names)), -together)) if together[other] and other != label
        ]
        recipe = state.recipe
        threshold = None
        decided_by = f"{recipe.inference} inference and {recipe.decision}, which choose whole sets"
        if DECISIONS[recipe.decision].marginals_only:
            threshold = float(np.broadcast_to(recipe.threshold, len(names))[label])
            decided_by = f"a probability above {threshold:.3g}, of {recipe.inference} inference"
        strongest = strongest_features(state.model, label, n_features)
        top, against = ([(name_of(feature), round(weight, 4)) for feature, weight in one] for one in strongest)
        return cls(
            label=names[label],
            documents=documents,
            n_documents=n_documents,
            share=documents / max(n_documents, 1),
            alone=int(counts[has_it & (state.support.sizes == 1)].sum()),
            label_sets=int(has_it.sum()),
            decided_by=decided_by,
            threshold=threshold,
            scale=recipe.scaling.scale,
            intercept=_intercept(state, label),
            features_used=int(np.count_nonzero(state.model.label_weights()[[label]].data)),
            top_features=top,
            against_features=against,
            occurs_with=[
                OtherLabel(
                    names[other],
                    int(together[other]),
                    together[other] / documents,
                    together[other] * n_documents / (documents * per_label[other]),
                )
                for other in order
            ],
        )

    def as_json(self) -> dict[str, Any]:
        """Return everything as one object."""
        return asdict(self)


def _intercept(state: ClassifierState, label: int) -> float:
    """Return the score of a label for a document without features and without other labels."""
    nothing = csr_of_ones([], [0], len(state.labels.labels))
    (terms,) = state.model.label_terms(sp.csr_array((1, state.n_features)), nothing)
    return float(terms.intercept[label])


def find_label(name: str, labels: Sequence[Any]) -> int:
    """Return the position of a label; where there is none of this name, the error suggests similar ones."""
    names = [str(one) for one in labels]
    if name in names:
        return names.index(name)
    by_lower = {one.lower(): one for one in names}
    similar = [by_lower[one] for one in get_close_matches(name.lower(), by_lower, SUGGESTIONS)]
    if similar:
        hint = f"Did you mean {' or '.join(map(repr, similar))}?"
    else:
        more = ", ..." if len(names) > LISTED else ""
        hint = f"Its {len(names):,} labels are {', '.join(map(repr, names[:LISTED]))}{more}."
    raise InvalidParameter(f"The model has no label {name!r}. {hint}")
