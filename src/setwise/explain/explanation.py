"""The explanation of one prediction as plain data: which words, why this set, which others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Explanation", "FeatureShare", "LabelReason", "Rival", "WithoutWord"]

Span = tuple[int, int]


@dataclass(frozen=True)
class FeatureShare:
    """What one feature of the document adds to the score of a label."""

    feature: str
    contribution: float
    spans: tuple[Span, ...]
    """Where the text has it, ``text[begin:end]``; empty for features that are not of a text."""


@dataclass(frozen=True)
class LabelReason:
    """Why a label is in the set, or is not."""

    label: str
    predicted: bool
    probability: float | None
    """Under the beliefs that the set was chosen by; None where these have none."""
    score: float
    """The sum of all that follows; the label's logit given the other labels, where the model is linear."""
    intercept: float
    other_labels: float
    """What the other labels of the set add (PCC, CRF)."""
    features: tuple[FeatureShare, ...]
    """The strongest first."""
    other_features: float
    """The sum over the features that are not listed."""
    expected_f1_without: float | None
    """Of the set with this label removed if it is predicted, and added if not; None where there is none."""


@dataclass(frozen=True)
class Rival:
    """Another set that was likely."""

    labels: tuple[str, ...]
    probability: float
    expected_f1: float


@dataclass(frozen=True)
class WithoutWord:
    """What is predicted once a word is deleted from the text."""

    word: str
    span: Span
    labels: tuple[str, ...]
    expected_f1: float | None
    changes_set: bool


@dataclass(frozen=True)
class Explanation:
    """Why a set was predicted for a document, as plain data.

    ``as_dict()`` is what ``setwise explain --json`` prints.
    """

    labels: tuple[str, ...]
    confidence: float | None
    """Probability that the set is exactly right; None where the classifier has no confidence."""
    expected_f1: float | None
    """As held-out outcomes say; as stated by the recipe where the classifier has no confidence."""
    stated_expected_f1: float | None
    """Under the beliefs that the set was chosen by, which ``reasons`` and ``rivals`` are compared by."""
    cut_at_half: tuple[str, ...]
    """The labels whose own probability is above one half, without support inference and calibration."""
    reasons: tuple[LabelReason, ...]
    """Of the predicted labels, and of those that come next."""
    rivals: tuple[Rival, ...]
    components: tuple[tuple[int, float], ...]
    """In a mixture: the components that are responsible for the set, with their shares."""
    without_words: tuple[WithoutWord, ...]
    """Per word of the text, in its order; empty where it was not asked for."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists and numbers."""
        return asdict(self)
