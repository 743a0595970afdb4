"""The registry of inferences: how each is built from the options of a recipe, and what its calibration acts on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from setwise.inference.base import Inference
from setwise.inference.blend import BlendInference
from setwise.inference.exact import ExactInference
from setwise.inference.independent import IndependentInference
from setwise.inference.mode import ModeInference
from setwise.inference.sampled import SampledInference
from setwise.inference.support import SupportInference
from setwise.labels import SetCalibration, Support

__all__ = ["INFERENCES", "InferenceEntry", "InferenceOptions"]


class InferenceOptions(Protocol):
    """The options of a recipe that inferences read."""

    @property
    def calibration(self) -> SetCalibration:
        """Of the distribution over the support."""

    @property
    def scaling(self) -> SetCalibration:
        """Of the logits, for exact inference."""

    @property
    def blend(self) -> float:
        """Weight of the part without support."""

    @property
    def n_samples(self) -> int:
        """Sets drawn per document."""

    @property
    def random_state(self) -> int:
        """Seed of the draws."""

    @property
    def n_jobs(self) -> int:
        """Number of threads."""


@dataclass(frozen=True)
class InferenceEntry:
    """One inference of the registry."""

    name: str
    inferences: tuple[type[Inference], ...]
    """The classes that it may be built of, depending on the abilities of the model."""
    build: Callable[[InferenceOptions, Support, frozenset[str]], Inference]
    """Called with the options, the support and the abilities of the model."""
    needs: Callable[[InferenceOptions, frozenset[str]], tuple[str, ...]]
    """Returns the abilities that the model must have, given the options and those it has."""
    marginals_need: Callable[[InferenceOptions, frozenset[str]], tuple[str, ...]] | None = None
    """The same where only marginals are asked for; None where they take as much."""
    calibrates: frozenset[str] = frozenset()
    """What a calibration acts on: the distribution over the "support", the "logits" of the model, or both."""


def _support(options: InferenceOptions, support: Support, abilities: frozenset[str]) -> SupportInference:
    return SupportInference(support, options.calibration, options.n_jobs)


def _exact(options: InferenceOptions, support: Support, abilities: frozenset[str]) -> Inference:
    if "independent_labels" in abilities:
        return IndependentInference(options.scaling)
    return ExactInference(options.scaling)


def _sampled(options: InferenceOptions, support: Support, abilities: frozenset[str]) -> SampledInference:
    return SampledInference(options.n_samples, options.random_state)


def _exact_needs(options: InferenceOptions, abilities: frozenset[str]) -> tuple[str, ...]:
    return ("size_marginals",) if options.scaling.keeps_logits else ("size_marginals", "rescaled")


def _exact_marginals_need(options: InferenceOptions, abilities: frozenset[str]) -> tuple[str, ...]:
    """Return the needs of exact marginals, which models without size marginals may have too."""
    if "size_marginals" in abilities or "marginals" not in abilities:
        return _exact_needs(options, abilities)
    return ("marginals",) if options.scaling.keeps_logits else ("marginals", "rescaled")


def _mode(options: InferenceOptions, support: Support, abilities: frozenset[str]) -> ModeInference:
    return ModeInference()


def _blend(options: InferenceOptions, support: Support, abilities: frozenset[str]) -> BlendInference:
    exact = "size_marginals" in abilities  # which are mixed, so that independent labels would not do
    free = ExactInference(options.scaling) if exact else _sampled(options, support, abilities)
    return BlendInference(_support(options, support, abilities), free, options.blend)


def _blend_needs(options: InferenceOptions, abilities: frozenset[str]) -> tuple[str, ...]:
    free = _exact_needs(options, abilities) if "size_marginals" in abilities else ("sample",)
    return ("log_prob", *free)


INFERENCES: dict[str, InferenceEntry] = {
    entry.name: entry
    for entry in (
        InferenceEntry(
            "support", (SupportInference,), _support, lambda *_: ("log_prob",), calibrates=frozenset({"support"})
        ),
        InferenceEntry(
            "exact",
            (ExactInference, IndependentInference),
            _exact,
            _exact_needs,
            _exact_marginals_need,
            calibrates=frozenset({"logits"}),
        ),
        InferenceEntry("sampled", (SampledInference,), _sampled, lambda *_: ("sample",)),
        InferenceEntry("mode", (ModeInference,), _mode, lambda *_: ("mode",)),
        InferenceEntry("blend", (BlendInference,), _blend, _blend_needs, calibrates=frozenset({"support", "logits"})),
    )
}
"""Every inference by name."""
