"""Writing a fitted classifier to one file, and reading it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from setwise._validation import effective_n_jobs
from setwise.data import MAX_SKETCH_SIZE, atomic_writer
from setwise.exceptions import InvalidData, SetwiseError
from setwise.labels import Kind, LabelMatrix, Support, checked_names, csr_of_ones, require_room
from setwise.models import LabelModel, csr_of_parts
from setwise.persistence.confidence import automation_from, automation_part, confidence_from, confidence_part
from setwise.persistence.container import Tensors, read_container, take_array, write_container
from setwise.persistence.fields import Fields, check_text
from setwise.persistence.model import model_from, model_part
from setwise.persistence.parameters import parameters_from, parameters_part
from setwise.persistence.recipe import recipe_from, recipe_part
from setwise.persistence.state import ClassifierState
from setwise.persistence.statistics import check_statistics, statistics_part
from setwise.persistence.string_arrays import pack_strings, unpack_strings
from setwise.persistence.text import text_from, text_part
from setwise.persistence.tuning import tuning_from, tuning_part
from setwise.text import CountWeighting

__all__ = ["ModelFile", "read_model", "write_model"]

MAX_DOCUMENTS = 2**53
"""Largest number of documents in all label sets together; larger sums of counts are not exact."""

_TRAINED_ON = "trained_on"
_IDF_OF_COUNTS = "weighting.idf"

_MAX_REASON = 300
"""Characters of a reason that an error repeats: strings of a damaged file may have any length."""


@dataclass(frozen=True, eq=False)
class ModelFile:
    """Content of a model file.

    Attributes
    ----------
    state : ClassifierState
        The fitted classifier.
    manifest : dict
        The JSON part of the file, without checksums.
    trained_on : ndarray of int64 or None
        Sketch of the training texts, if one was saved.
    """

    state: ClassifierState
    manifest: dict[str, Any]
    trained_on: NDArray[np.int64] | None = None


def write_model(
    path: str | os.PathLike[str],
    state: ClassifierState,
    *,
    trained_on: NDArray[np.int64] | None = None,
    statistics: dict[str, Any] | None = None,
) -> None:
    """Write a fitted classifier to one file, completely or not at all: an error leaves an existing file unchanged.

    Equal trainings give equal bytes, unless ``statistics`` contains values that differ between runs, such as times.

    Parameters
    ----------
    path : str or path-like
        File to write.
    state : ClassifierState
    trained_on : ndarray of int64, optional
        Sketch of the training texts (:meth:`setwise.data.StringHashes.sketch`), with which an evaluation can detect
        texts that the classifier was trained on.
    statistics : dict, optional
        Further facts about the training, such as the name of the corpus: strings, numbers, booleans, None or lists of
        strings. The numbers of documents, labels, label sets and weights are always written.
    """
    manifest, tensors = _to_parts(state, statistics or {})
    if trained_on is not None:
        tensors[_TRAINED_ON] = trained_on
    try:
        _from_parts(json.loads(json.dumps(manifest)), dict(tensors))  # refuse to write what could not be read
    except SetwiseError as error:
        raise InvalidData(f"This classifier cannot be saved. {_reason(error)}") from None
    with atomic_writer(path) as file:
        write_container(file, manifest, tensors)


def read_model(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model file. Every value is checked before it is used, and nothing in the file is executed.

    Raises
    ------
    InvalidData
        If the file is missing, damaged, not a model file, or of another format version.
    """
    try:
        manifest, tensors = read_container(Path(path))
        trained_on = tensors.get(_TRAINED_ON)
        state = _from_parts(manifest, tensors)
    except SetwiseError as error:
        raise InvalidData(f"Cannot load {os.fspath(path)}. {_reason(error)}") from None
    return ModelFile(state, manifest, trained_on)


def _reason(error: SetwiseError) -> str:
    """Return the message of an error without its hint, as one or two sentences of limited length."""
    return str(error).partition(" Hint:")[0].rstrip(". ")[:_MAX_REASON] + "."


def _to_parts(state: ClassifierState, statistics: dict[str, Any]) -> tuple[dict[str, Any], Tensors]:
    """Return the manifest and the arrays of a classifier."""
    from importlib.metadata import version  # late: a process that only predicts does without

    model, model_arrays = model_part(state.model)
    recipe, recipe_arrays = recipe_part(state.recipe)
    text, text_arrays = text_part(state.vectorizer)
    confidence, confidence_arrays = confidence_part(state.confidence)
    name_arrays = {} if state.feature_names is None else pack_strings(state.feature_names, "feature_names")
    manifest = {
        "setwise_version": version("setwise"),
        "labels": {"names": list(state.labels.names), "kind": state.labels.kind},
        "n_features": state.n_features,
        "has_feature_names": state.feature_names is not None,
        "classifier": parameters_part(state.parameters, state.labels),
        "model": model,
        "recipe": recipe,
        "text": text,
        "weighting": None if state.weighting is None else state.weighting.weighting,
        "confidence": confidence,
        "automation": automation_part(state.automation),
        "tuning": tuning_part(state.tuning),
        "statistics": statistics_part(state, statistics),
    }
    arrays = {
        **model_arrays,
        **_support_part(state.support),
        **recipe_arrays,
        **confidence_arrays,
        **text_arrays,
        **name_arrays,
    }
    if state.weighting is not None:
        arrays[_IDF_OF_COUNTS] = state.weighting.idf_
    return manifest, arrays


def _from_parts(manifest: dict[str, Any], tensors: Tensors) -> ClassifierState:
    """Rebuild a classifier from its manifest and its arrays, all of which are checked and used up."""
    check_text(manifest)
    _check_sketch(tensors.pop(_TRAINED_ON, None))
    fields = Fields(manifest, "manifest")
    fields.text("setwise_version")
    labels = fields.fields("labels")
    names = checked_names(labels.items("names"))
    kind: Any = labels.text("kind", get_args(Kind))
    labels.end()
    n_features = fields.whole("n_features", 1, 2**31 - 1)
    check_statistics(fields.take("statistics"), n_features)
    vectorizer = text_from(fields.fields_or_none("text"), tensors, n_features)
    weighting = _weighting_from(fields.take("weighting"), tensors, n_features)
    model = model_from(fields.fields("model"), tensors, names, n_features)
    parameters = parameters_from(fields.fields("classifier"), model, vectorizer)
    recipe = recipe_from(fields.fields("recipe"), tensors, model, effective_n_jobs(parameters["n_jobs"]))
    support = _support_from(tensors, names, kind, model)
    confidence = confidence_from(fields.fields_or_none("confidence"), tensors)
    automation = automation_from(fields.fields_or_none("automation"), confidence)
    tuning = tuning_from(fields.fields_or_none("tuning"), model, recipe)
    feature_names = _feature_names_from(tensors, n_features) if fields.flag("has_feature_names") else None
    fields.end()
    if tensors:
        raise InvalidData(f"Array {next(iter(tensors))!r:.80} does not belong to the model.")
    no_rows = LabelMatrix(names, csr_of_ones([], [0], len(names)), kind)
    return ClassifierState(
        parameters,
        no_rows,
        model,
        recipe,
        support,
        tuning,
        n_features,
        feature_names,
        vectorizer,
        weighting,
        confidence,
        automation,
    )


def _weighting_from(name: Any, tensors: Tensors, n_features: int) -> CountWeighting | None:
    """Rebuild the weighting of counts after checking that it has one idf per feature."""
    if name is None:
        return None
    return CountWeighting.from_state(name, take_array(tensors, _IDF_OF_COUNTS), n_features)


def _feature_names_from(tensors: Tensors, n_features: int) -> list[str]:
    names = unpack_strings(tensors, "feature_names")
    if len(names) != n_features:
        raise InvalidData(f"The file has {len(names)} feature names but the model has {n_features} features.")
    return list(names)


def _check_sketch(keys: NDArray[Any] | None) -> None:
    """Raise ``InvalidData`` unless the hashes of the training texts increase and are not too many."""
    if keys is None:
        return
    if keys.ndim != 1 or keys.dtype != np.int64 or keys.size > MAX_SKETCH_SIZE or (keys[1:] <= keys[:-1]).any():
        raise InvalidData(f"Array {_TRAINED_ON!r} must have at most {MAX_SKETCH_SIZE:,} increasing integers.")


def _support_part(support: Support) -> Tensors:
    """Return the arrays of the support."""
    sets = support.sets.indicator
    return {
        "support.indices": sets.indices.astype(np.int32, copy=False),
        "support.indptr": sets.indptr.astype(np.int64, copy=False),
        "support.counts": support.counts,
    }


def _support_from(tensors: Tensors, names: tuple[str, ...], kind: Any, model: LabelModel) -> Support:
    """Rebuild the support; a model that is defined on training sets alone must share one with it."""
    indices, indptr, counts = (take_array(tensors, f"support.{part}") for part in ("indices", "indptr", "counts"))
    shape = np.array([indptr.size - 1, len(names)], dtype=np.int64)
    sets = csr_of_parts("support", np.ones(indices.shape, dtype=np.int64), indices, indptr, shape)
    support = Support(LabelMatrix(names, sets, kind), counts, np.zeros(0, dtype=np.int64))
    support.check()
    require_room(len(names), int(np.diff(indptr).max()))
    if counts.sum(dtype=np.float64) > MAX_DOCUMENTS:
        raise InvalidData(f"The counts of label sets add up to more than {MAX_DOCUMENTS} documents.")
    model.check_support(support)
    return support
