"""Save and load: the parts of a trained classifier, put together and taken apart."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from setwise import __version__
from setwise.classifier import SetClassifier
from setwise.data.atomic import atomic_writer
from setwise.data.duplicates import MOST_SKETCHED
from setwise.exceptions import Incompatible, InvalidData, SetwiseError
from setwise.labels import LabelMatrix, Support
from setwise.labels.distribution import require_room
from setwise.labels.matrix import Kind, checked_names, csr_of_ones
from setwise.learners.checks import checked_n_jobs
from setwise.models import PairwiseCRF
from setwise.models.base import LabelModel
from setwise.models.state_checks import csr_of_parts
from setwise.persistence.classifier import classifier_from, classifier_part
from setwise.persistence.container import Tensors, read_container, taken, write_container
from setwise.persistence.fields import Fields, check_text
from setwise.persistence.model import model_from, model_part
from setwise.persistence.recipe import recipe_from, recipe_part
from setwise.persistence.statistics import check_statistics, statistics_part
from setwise.persistence.string_arrays import packed, unpacked
from setwise.persistence.text import text_from, text_part
from setwise.persistence.tuning import tuning_from, tuning_part
from setwise.text import TextVectorizer

__all__ = ["Saved", "load", "save"]

MOST_DOCUMENTS = 2**53
"""Documents of all label sets together: beyond, sums of counts are no longer exact."""

_TRAINED_ON = "trained_on"

_LONGEST_REASON = 300
"""Letters of a reason that an error repeats: parts of a damaged file may be of any length."""


@dataclass(frozen=True, eq=False)
class Saved:
    """What a model file holds."""

    classifier: SetClassifier
    """Trained, ready to predict."""
    text: TextVectorizer | None
    """Makes documents of texts; None where the classifier was not trained on texts."""
    manifest: dict[str, Any]
    """All of it that is no array nor a checksum, as it stands in the file."""
    trained_on: NDArray[np.int64] | None = None
    """A sketch of the training texts (:meth:`setwise.data.duplicates.Keys.sketch`), where one was saved."""


def save(
    path: str | os.PathLike[str],
    classifier: SetClassifier,
    text: TextVectorizer | None = None,
    *,
    trained_on: NDArray[np.int64] | None = None,
    **statistics: Any,
) -> None:
    """Write a trained classifier, and what made documents of texts, to one file; all of it or nothing.

    ``trained_on`` is a sketch of the training texts, by which an evaluation can tell whether it sees them again.
    ``statistics`` are what else is worth knowing of the training, such as the name of the corpus: strings, numbers,
    true, false, None or lists of strings. The numbers of documents, labels, sets and weights are noted anyway. Two
    equal trainings give the same bytes, so leave out what differs between them, such as times. Whatever was at ``path``
    stays as it was if anything goes wrong.
    """
    if not isinstance(classifier, SetClassifier):
        raise Incompatible(f"A model file holds a SetClassifier; got {type(classifier).__name__}.")
    if not isinstance(text, TextVectorizer | None):
        raise Incompatible(f"text must be a TextVectorizer or None; got {type(text).__name__}.")
    check_is_fitted(classifier)
    manifest, tensors = _taken_apart(classifier, text, statistics)
    if trained_on is not None:
        tensors[_TRAINED_ON] = trained_on
    try:
        _put_together(json.loads(json.dumps(manifest)), dict(tensors))  # what could not be read is not written
    except SetwiseError as error:
        raise InvalidData(f"The classifier must be one that a model file can hold; {_reason(error)}.") from None
    with atomic_writer(path) as file:
        write_container(file, manifest, tensors)


def load(path: str | os.PathLike[str]) -> Saved:
    """Read what :func:`save` wrote: every number is checked before any is used, and nothing in the file is run."""
    try:
        manifest, tensors = read_container(Path(path))
        trained_on = tensors.get(_TRAINED_ON)
        classifier, text = _put_together(manifest, tensors)
    except SetwiseError as error:
        raise InvalidData(
            f"{os.fspath(path)} must be a whole and unchanged model file that this version of setwise knows; "
            f"{_reason(error)}. "
            f"Hint: copy or train it again, or install a newer setwise."
        ) from None
    return Saved(classifier, text, manifest, trained_on)


def _reason(error: SetwiseError) -> str:
    """Give what an error says as a part of another's sentence."""
    return str(error).partition(" Hint:")[0].rstrip(". ")[:_LONGEST_REASON]


def _taken_apart(
    classifier: SetClassifier, text: TextVectorizer | None, statistics: dict[str, Any]
) -> tuple[dict[str, Any], Tensors]:
    model, of_model = model_part(classifier.model_)
    recipe, of_recipe = recipe_part(classifier.recipe_)
    words, of_text = text_part(text)
    named = getattr(classifier, "feature_names_in_", None)
    of_features = {} if named is None else packed([str(name) for name in named], "feature_names")
    manifest = {
        "setwise_version": __version__,
        "labels": {"names": list(classifier.labels_.names), "kind": classifier.labels_.kind},
        "n_features": int(classifier.n_features_in_),
        "has_feature_names": named is not None,
        "classifier": classifier_part(classifier),
        "model": model,
        "recipe": recipe,
        "text": words,
        "tuning": tuning_part(classifier.tuning_),
        "statistics": statistics_part(classifier, statistics),
    }
    return manifest, {**of_model, **_support_part(classifier.support_), **of_recipe, **of_text, **of_features}


def _put_together(manifest: dict[str, Any], tensors: Tensors) -> tuple[SetClassifier, TextVectorizer | None]:
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
    text = text_from(fields.fields_or_none("text"), tensors, n_features)
    model = model_from(fields.fields("model"), tensors, names, n_features)
    classifier = classifier_from(fields.fields("classifier"), model)
    recipe = recipe_from(fields.fields("recipe"), tensors, model, checked_n_jobs(classifier.n_jobs))
    support = _support_from(tensors, names, kind, model)
    tuned = tuning_from(fields.fields_or_none("tuning"), model, recipe)
    if fields.flag("has_feature_names"):
        coded, ends = taken(tensors, "feature_names.bytes"), taken(tensors, "feature_names.ends")
        found = unpacked(coded, ends, "feature_names")
        if len(found) != n_features:
            raise InvalidData(f"feature_names must be {n_features}; got {len(found)}")
        classifier.feature_names_in_ = np.asarray(found, dtype=object)
    fields.end()
    if tensors:
        raise InvalidData(f"it must have no array {next(iter(tensors))!r:.80}; it has")
    classifier.n_features_in_ = n_features
    nothing = LabelMatrix(names, csr_of_ones([], [0], len(names)), kind)
    classifier._take(model, recipe, support, nothing, tuned)
    return classifier, text


def _check_sketch(keys: NDArray[Any] | None) -> None:
    """Raise ``InvalidData`` unless the keys of the training texts rise and are not too many."""
    if keys is None:
        return
    if keys.ndim != 1 or keys.dtype != np.int64 or keys.size > MOST_SKETCHED or (keys[1:] <= keys[:-1]).any():
        raise InvalidData(f"{_TRAINED_ON} must be at most {MOST_SKETCHED:,} rising whole numbers; it is not")


def _support_part(support: Support) -> Tensors:
    sets = support.sets.indicator
    return {
        "support.indices": sets.indices.astype(np.int32, copy=False),
        "support.indptr": sets.indptr.astype(np.int64, copy=False),
        "support.counts": support.counts,
    }


def _support_from(tensors: Tensors, names: tuple[str, ...], kind: Any, model: LabelModel) -> Support:
    indices, indptr, counts = (taken(tensors, f"support.{part}") for part in ("indices", "indptr", "counts"))
    shape = np.array([indptr.size - 1, len(names)], dtype=np.int64)
    sets = csr_of_parts("support", np.ones(indices.shape, dtype=np.int64), indices, indptr, shape)
    support = Support(LabelMatrix(names, sets, kind), counts, np.zeros(0, dtype=np.int64))
    support.check()
    require_room(len(names), int(np.diff(indptr).max()))
    if counts.sum(dtype=np.float64) > MOST_DOCUMENTS:
        raise InvalidData(f"counts of label sets must add up to at most {MOST_DOCUMENTS} documents; they do not")
    if isinstance(model, PairwiseCRF) and not (support.index_of(LabelMatrix(names, model.sets_)) >= 0).any():
        raise InvalidData("support must have a label set that the model knows; it has none")
    return support
