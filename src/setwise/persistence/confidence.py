"""The confidence in the model file."""

from __future__ import annotations

from typing import Any, get_args

from setwise.confidence import CALIBRATORS, Automation, AutomationMetric, Calibrator, SetConfidence
from setwise.exceptions import InvalidData
from setwise.persistence.container import Tensors
from setwise.persistence.fields import Fields

__all__ = ["automation_from", "automation_part", "confidence_from", "confidence_part"]

_MAX_DOCUMENTS = 2**53


def confidence_part(confidence: SetConfidence | None) -> tuple[dict[str, Any] | None, Tensors]:
    """Return the names of both maps with their numbers; None where there is no confidence."""
    if confidence is None:
        return None, {}
    manifest: dict[str, Any] = {
        "least_coverage": confidence.least_coverage,
        "brier": list(confidence.brier),
        "n_documents": confidence.n_documents,
    }
    tensors: Tensors = {}
    for name, calibrator in (("correct", confidence.correct), ("f1", confidence.f1)):
        manifest[name] = calibrator.name
        tensors |= {f"confidence.{name}.{part}": array for part, array in calibrator.arrays().items()}
    return manifest, tensors


def confidence_from(fields: Fields | None, tensors: Tensors) -> SetConfidence | None:
    """Rebuild the confidence; its maps check every array."""
    if fields is None:
        return None
    correct, f1 = (_calibrator(fields, tensors, name) for name in ("correct", "f1"))
    probability, expected_f1 = fields.numbers("brier", 2, 1.0)
    least_coverage = fields.number("least_coverage", 0.0, 1.0)
    n_documents = fields.whole("n_documents", 1, _MAX_DOCUMENTS)
    fields.end()
    return SetConfidence(correct, f1, least_coverage, (probability, expected_f1), n_documents)


def automation_part(automation: Automation | None) -> dict[str, Any] | None:
    """Return the threshold above which predictions are accepted, and what it promises; None where there is none."""
    return None if automation is None else dict(vars(automation))


def automation_from(fields: Fields | None, confidence: SetConfidence | None) -> Automation | None:
    """Rebuild the threshold, which only a model with a confidence can have."""
    if fields is None:
        return None
    if confidence is None:
        raise InvalidData("An automation threshold needs a confidence, which the file does not have.")
    metric: Any = fields.text("metric", get_args(AutomationMetric))
    target, level = fields.number("target", 0.0, 1.0), fields.number("level", 0.0, 1.0)
    threshold, value, bound = (_share_or_none(fields, name) for name in ("threshold", "value", "bound"))
    share, n_documents = fields.number("share", 0.0, 1.0), fields.whole("n_documents", 1, _MAX_DOCUMENTS)
    fields.end()
    return Automation(metric, target, level, threshold, share, value, bound, n_documents)


def _share_or_none(fields: Fields, name: str) -> float | None:
    value = fields.take(name)
    return None if value is None else Fields({name: value}, "automation").number(name, 0.0, 1.0)


def _calibrator(fields: Fields, tensors: Tensors, name: str) -> Calibrator:
    kind = CALIBRATORS[fields.text(name, tuple(CALIBRATORS))]
    prefix = f"confidence.{name}."
    own = [one for one in tensors if one.startswith(prefix)]
    arrays = {one.removeprefix(prefix): tensors.pop(one) for one in own}
    calibrator = kind.from_arrays(arrays)
    if arrays:
        tensors |= {prefix + one: array for one, array in arrays.items()}  # refused like any that is left over
    return calibrator
