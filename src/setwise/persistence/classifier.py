"""The classifier as its user set it up, as a part of the file."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from sklearn.base import clone

from setwise.classifier import SetClassifier
from setwise.classifier_spec import MODELS, ClassifierSpec
from setwise.exceptions import InvalidData
from setwise.inference import SetCalibration
from setwise.labels import LabelMatrix
from setwise.models.base import LabelModel
from setwise.persistence.fields import Fields, check_scalars, plain
from setwise.persistence.recipe import calibration_from

__all__ = ["classifier_from", "classifier_part"]

_LEFT_OUT = ("tuning_file", "progress")
"""Where and how its maker watched the training; nobody who loads it should write to a path of theirs."""


_OWN_FORM = ("model", "extra_sets", "calibration")
"""Parameters that are other things in the file than in Python."""


def classifier_part(classifier: SetClassifier) -> dict[str, Any]:
    """Give its parameters; the model is a name, or null where it is the trained one's own parameters."""
    parameters = {name: one for name, one in classifier.get_params(deep=False).items() if name not in _LEFT_OUT}
    if not isinstance(classifier.model, str):
        parameters["model"] = None
    if isinstance(classifier.calibration, SetCalibration):
        parameters["calibration"] = list(astuple(classifier.calibration))
    if classifier.extra_sets is not None:
        extra = LabelMatrix.of(classifier.extra_sets, classifier.labels_.names, called="extra_sets")
        parameters["extra_sets"] = extra.name_lists()
    made: dict[str, Any] = plain(parameters, "SetClassifier")
    return made


def classifier_from(given: Fields, model: LabelModel) -> SetClassifier:
    """Make it again, untrained."""
    kind = given.take("model")
    extra = given.take("extra_sets")
    calibration = given.take("calibration")
    rest = {name: given.take(name) for name in SetClassifier._get_param_names() if name not in (*_LEFT_OUT, *_OWN_FORM)}
    given.end()
    check_scalars({**rest, "model": kind}, "classifier")
    if kind is not None and kind not in MODELS:
        raise InvalidData(f"classifier.model must be null or one of {', '.join(MODELS)}; got {kind!r:.40}")
    if isinstance(calibration, list):
        calibration = calibration_from(Fields({"calibration": calibration}, "classifier"), "calibration")
    if extra is not None:
        extra = LabelMatrix.of(extra, model.classes_, called="classifier.extra_sets").name_lists()
    made = SetClassifier(clone(model) if kind is None else kind, calibration=calibration, extra_sets=extra, **rest)
    ClassifierSpec(made.get_params(deep=False)).check()
    return made
