"""The parameters of the classifier in the model file."""

from __future__ import annotations

import numbers
from dataclasses import astuple
from typing import Any

from setwise._estimator import clone
from setwise.classifier_spec import ClassifierSpec
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, SetCalibration
from setwise.models import AUTO, MODELS, LabelModel
from setwise.persistence.fields import Fields, check_scalars, plain
from setwise.persistence.recipe import calibration_from
from setwise.text import TextVectorizer

__all__ = ["parameters_from", "parameters_part"]

_LEFT_OUT = ("checkpoint", "verbose", "executor", "vectorizer")
"""A path, the progress bars and the workers of who trained it mean nothing to who loads it; the vectorizer has its own
part."""

_OWN_FORM = ("model", "extra_sets", "calibration", "random_state")
"""Parameters whose form in the file differs from that in Python."""


def parameters_part(parameters: dict[str, Any], labels: LabelMatrix) -> dict[str, Any]:
    """Return the parameters; the model is a name, or null where it has the parameters of the fitted one."""
    part = {name: value for name, value in parameters.items() if name not in _LEFT_OUT}
    if not isinstance(part["model"], str):
        part["model"] = None
    if isinstance(part["calibration"], SetCalibration):
        part["calibration"] = list(astuple(part["calibration"]))
    if part["extra_sets"] is not None:
        part["extra_sets"] = LabelMatrix.of(part["extra_sets"], labels.names, called="extra_sets").name_lists()
    if not isinstance(part["random_state"], numbers.Integral):  # a generator has drawn its seed already
        part["random_state"] = None
    return dict(plain(part, "SetClassifier"))


def parameters_from(fields: Fields, model: LabelModel, vectorizer: TextVectorizer | None) -> dict[str, Any]:
    """Return the parameters after checking each."""
    name, extra, calibration = fields.take("model"), fields.take("extra_sets"), fields.take("calibration")
    random_state = fields.take("random_state")
    names = [one for one in ClassifierSpec.PARAMETERS if one not in (*_LEFT_OUT, *_OWN_FORM)]
    parameters = {one: fields.take(one) for one in names}
    fields.end()
    check_scalars({**parameters, "model": name, "random_state": random_state}, "classifier")
    if name is not None and name not in (AUTO, *MODELS):
        raise InvalidData(f"classifier.model must be null or one of {', '.join([AUTO, *MODELS])}; got {name!r:.40}.")
    if isinstance(calibration, list):
        calibration = calibration_from(Fields({"calibration": calibration}, "classifier"), "calibration")
    if extra is not None:
        extra = LabelMatrix.of(extra, model.classes_, called="classifier.extra_sets").name_lists()
    parameters |= {
        "model": clone(model) if name is None else name,
        "extra_sets": extra,
        "calibration": calibration,
        "random_state": random_state,
        "vectorizer": None if vectorizer is None else clone(vectorizer),
        "checkpoint": None,
        "verbose": False,
        "executor": None,
    }
    ClassifierSpec(parameters).check()
    return parameters
