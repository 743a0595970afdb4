"""The one estimator: a model, an inference and a decision under scikit-learn's manners."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from setwise.abilities import require
from setwise.data.splits import hold_out
from setwise.decision import expected_f
from setwise.decision.gfm import checked_beta
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.inference import SetCalibration
from setwise.inference.blend import size_marginals_of
from setwise.inference.calibration import AS_IT_IS
from setwise.labels import Decided, LabelMatrix, Modes, SetDistribution, Support
from setwise.labels.matrix import lists_of_names
from setwise.learners.checks import checked_threads
from setwise.metrics import instance_f1
from setwise.models import BernoulliMixture, BinaryRelevance, ClassifierChain, LabelSizeFactors, PairwiseCRF
from setwise.models.base import checked_count, checked_seed
from setwise.prediction.held_out import HeldOut
from setwise.prediction.recipe import DecisionName, InferenceName, Known, Recipe, marginals_of
from setwise.prediction.tuned import Wishes, tuned

__all__ = ["MODELS", "ScoredSet", "SetClassifier"]

MODELS: dict[str, Any] = {
    "br": BinaryRelevance,
    "pcc": ClassifierChain,
    "crf": PairwiseCRF,
    "cbm": BernoulliMixture,
    "lsf": LabelSizeFactors,
}

Calibration = SetCalibration | Literal["likelihood", "f1"] | None

_WITHOUT_SETS = ("exact", "sampled", "blend")
"""Inferences that know labels and sizes, but no set."""

_CALIBRATED = ("support", "exact", "blend")
"""Inferences that a calibration has a hold on."""


class ScoredSet(NamedTuple):
    """A label set and how probable it is."""

    labels: tuple[str, ...]
    probability: float


class SetClassifier(BaseEstimator):  # type: ignore[misc]
    """Predicts for each document the label set of the best expected F1.

    ``model`` is "br", "pcc", "crf", "cbm" or "lsf", or a model with parameters of its own, such as
    ``BinaryRelevance(strength=1e-4)``.

    ``inference`` says what is asked of it. "support": only label sets of the training documents have probability
    (those with at least ``min_count`` documents, and ``extra_sets`` besides). "exact": the model's own probabilities of
    labels and sizes. "sampled": the same from ``n_samples`` sets that it draws. "blend": ``blend`` parts of "exact" (of
    "sampled", where the model has no exact ones) and the rest of "support"; "tuned" finds how many. "mode": its most
    probable set alone.

    ``decision`` says which set is taken. "gfm": the one of the highest expected F_``beta``. "most_probable": just that.
    "threshold": all labels whose probability is above ``threshold``, a number, "tuned" (one for all labels, for the
    best instance F1), or "tuned per label" (for each label's F1); with ``at_least_one``, never none.

    ``calibration`` corrects the model's probabilities of sets (see :class:`SetCalibration`): "likelihood" and "f1" find
    the correction on a part of the training documents, ``held_out`` of them drawn by ``seed`` with labels shared out
    (:func:`setwise.data.splits.hold_out`). The model does not see that part until it is trained once more on all. A
    tuned threshold or blend is found on the same part.

    After ``fit``: ``classes_`` (label names), ``model_``, ``support_``, ``inference_``, ``calibration_`` (of the
    support), ``scaling_`` (of exact inference), ``threshold_``, ``blend_``, ``n_features_in_``.
    """

    def __init__(
        self,
        model: Any = "br",
        inference: InferenceName = "support",
        decision: DecisionName = "gfm",
        *,
        calibration: Calibration = None,
        beta: float = 1.0,
        threshold: float | Literal["tuned", "tuned per label"] = 0.5,
        at_least_one: bool = False,
        min_count: int = 1,
        extra_sets: Any = None,
        n_samples: int = 1000,
        blend: float | Literal["tuned"] = 0.5,
        held_out: float = 0.2,
        seed: int = 0,
        n_threads: int | None = None,
    ) -> None:
        self.model = model
        self.inference = inference
        self.decision = decision
        self.calibration = calibration
        self.beta = beta
        self.threshold = threshold
        self.at_least_one = at_least_one
        self.min_count = min_count
        self.extra_sets = extra_sets
        self.n_samples = n_samples
        self.blend = blend
        self.held_out = held_out
        self.seed = seed
        self.n_threads = n_threads

    def fit(self, X: Any, Y: Any) -> SetClassifier:
        """Fit to documents X (sparse or dense) and their labels Y: 0 and 1 (sparse or dense), or lists of names."""
        self._check_parameters()
        X = _documents(self, X, reset=True)
        if Y is None:  # in the words that scikit-learn's tools look for
            raise InvalidData("SetClassifier requires y to be passed, but the target y is None.")
        labels = LabelMatrix.of(Y)
        if labels.n_samples != X.shape[0]:
            raise InvalidData(f"Y must have one row a row of X, {X.shape[0]}; got {labels.n_samples}.")
        model, recipe, wishes = self._made_model(), self._made_recipe(), self._made_wishes()
        needed = dict.fromkeys([*recipe.needs(model), *wishes.needs(recipe, model)])
        require(model, *needed, by=f"inference={self.inference!r}")
        if wishes.any:
            recipe = self._tuned(recipe, wishes, X, labels, model)
        self.labels_ = labels.take([0])  # the names, and the kind of Y
        self.classes_ = np.asarray(labels.names, dtype=object)
        self.support_ = self._made_support(labels)
        self.model_ = clone(model).fit(X, labels)
        self.recipe_ = recipe
        self.inference_ = recipe.asked(self.model_, self.support_)
        self.calibration_, self.scaling_ = recipe.calibration, recipe.scaling
        self.threshold_, self.blend_ = recipe.threshold, recipe.blend
        return self

    def predict(self, X: Any) -> Any:
        """Give the label set of each document, in the form that Y had: lists of names, or 0 and 1, sparse or dense."""
        decided = self._decided(X)
        return self.labels_.with_indicator(decided.sets).as_given()

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give p(y_l = 1 | x) under the chosen inference, documents by labels."""
        return np.concatenate([marginals_of(known) for known in self._known(X)])

    def predict_sets(self, X: Any, top: int = 1) -> list[list[ScoredSet]]:
        """Give the ``top`` most probable sets of the support for each document, the most probable first."""
        check_is_fitted(self)
        top = checked_count(top, "top")
        names = [tuple(labels) for labels in self.support_.sets.name_lists()]
        found = []
        for known in self._known(X, replace(self.recipe_, inference="support")):
            assert isinstance(known, SetDistribution)
            for best, probability in zip(*known.top(top), strict=True):
                found.append([ScoredSet(names[s], float(p)) for s, p in zip(best, probability, strict=True)])
        return found

    def expected_f1(self, X: Any) -> NDArray[np.float64]:
        """Give the F1 that the predicted set of each document can expect under the chosen inference."""
        if self.inference == "mode":
            raise Incompatible(
                "inference='mode' cannot tell what to expect of a set. Hint: use 'support', 'exact' or 'sampled'."
            )
        values = []
        for known in self._known(X):
            decided = self.recipe_.decide(known)
            if self.decision == "gfm" and self.beta == 1.0:
                values.append(decided.value)
            else:
                assert not isinstance(known, Modes)
                values.append(expected_f(size_marginals_of(known), decided.sets))
        return np.concatenate(values)

    def score(self, X: Any, y: Any) -> float:
        """Give the instance F1 of the predictions against the true sets ``y``, in any form that ``fit`` takes.

        Two empty sets have F1 1, and a name that ``fit`` never saw is missed. (scikit-learn's tools ask for this ``y``
        by name.)
        """
        decided = self._decided(X)
        predicted = self.labels_.with_indicator(decided.sets)
        if lists_of_names(y) is not None:
            return instance_f1(y, predicted.name_lists())
        return instance_f1(LabelMatrix.of(y, predicted.names), predicted)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags

    def _decided(self, X: Any) -> Decided:
        check_is_fitted(self)
        return self.recipe_.decided(self.model_, _documents(self, X, reset=False), self.support_)

    def _known(self, X: Any, recipe: Recipe | None = None) -> Iterator[Known]:
        check_is_fitted(self)
        return (recipe or self.recipe_).known(self.model_, _documents(self, X, reset=False), self.support_)

    def _check_parameters(self) -> None:
        for name, kind in (("inference", InferenceName), ("decision", DecisionName)):
            if getattr(self, name) not in get_args(kind):
                allowed = ", ".join(map(repr, get_args(kind)))
                raise InvalidParameter(f"{name} must be one of {allowed}; got {getattr(self, name)!r}.")
        takes_sets = self.decision == "most_probable"
        if (self.inference == "mode" and not takes_sets) or (self.inference in _WITHOUT_SETS and takes_sets):
            raise Incompatible(
                f"decision={self.decision!r} cannot work with inference={self.inference!r}. "
                f"Hint: 'mode' goes with 'most_probable' alone, and 'most_probable' with 'mode' or 'support'."
            )
        if not (self.calibration is None or self._tunes_calibration or isinstance(self.calibration, SetCalibration)):
            raise InvalidParameter(
                f"calibration must be None, 'likelihood', 'f1' or a SetCalibration; got {self.calibration!r}."
            )
        if self._calibrates and self.inference not in _CALIBRATED:
            raise Incompatible(
                f"calibration={self.calibration!r} changes nothing where inference={self.inference!r}. "
                f"Hint: calibrate 'support', 'exact' or 'blend'."
            )
        if not self._tunes_threshold and not _is_share(self.threshold):
            raise InvalidParameter(
                f"threshold must lie in [0, 1] or be 'tuned' or 'tuned per label'; got {self.threshold!r}."
            )
        if not self._tunes_blend and not _is_share(self.blend):
            raise InvalidParameter(f"blend must lie in [0, 1] or be 'tuned'; got {self.blend!r}.")
        if not _is_share(self.held_out) or self.held_out in (0, 1):
            raise InvalidParameter(f"held_out must lie between 0 and 1; got {self.held_out!r}.")
        checked_count(self.min_count, "min_count")
        checked_count(self.n_samples, "n_samples")
        checked_seed(self.seed)
        checked_beta(self.beta)
        checked_threads(self.n_threads)

    @property
    def _tunes_calibration(self) -> bool:
        return isinstance(self.calibration, str) and self.calibration in ("likelihood", "f1")

    @property
    def _calibrates(self) -> bool:
        given = self.calibration
        return given is not None and not (isinstance(given, SetCalibration) and given.changes_nothing)

    @property
    def _tunes_threshold(self) -> bool:
        return isinstance(self.threshold, str) and self.threshold in ("tuned", "tuned per label")

    @property
    def _tunes_blend(self) -> bool:
        return isinstance(self.blend, str) and self.blend == "tuned"

    def _made_model(self) -> Any:
        if not isinstance(self.model, str):
            return self.model
        if self.model not in MODELS:
            raise InvalidParameter(
                f"model must be one of {', '.join(map(repr, MODELS))} or a model; got {self.model!r}."
            )
        return MODELS[self.model](n_threads=self.n_threads)

    def _made_support(self, labels: LabelMatrix) -> Support:
        support = Support.of(labels)
        if self.min_count > 1:
            support = support.at_least(self.min_count)
        return support if self.extra_sets is None else support.with_sets(self.extra_sets)

    def _made_recipe(self) -> Recipe:
        given = self.calibration if isinstance(self.calibration, SetCalibration) else AS_IT_IS
        return Recipe(
            self.inference,
            self.decision,
            calibration=given,
            scaling=given,
            blend=0.5 if self._tunes_blend else float(self.blend),
            beta=self.beta,
            threshold=0.5 if self._tunes_threshold else float(self.threshold),
            at_least_one=self.at_least_one,
            n_samples=self.n_samples,
            seed=self.seed,
            n_threads=checked_threads(self.n_threads),
        )

    def _made_wishes(self) -> Wishes:
        return Wishes(
            calibration=self.calibration if self._tunes_calibration else None,  # type: ignore[arg-type]
            blend=self._tunes_blend and self.inference == "blend",
            threshold=self.threshold if self._tunes_threshold and self.decision == "threshold" else None,  # type: ignore[arg-type]
        )

    def _tuned(self, recipe: Recipe, wishes: Wishes, X: Any, labels: LabelMatrix, model: Any) -> Recipe:
        """Tune the recipe on documents that a first training does not see."""
        if labels.n_samples < 2:
            raise InvalidData(f"X must have at least two documents to hold one out; got n_samples={labels.n_samples}.")
        rest, held = hold_out(labels, self.held_out, self.seed)
        rows, seen = X.tocsr() if sp.issparse(X) else X, labels.take(rest)
        first = clone(model).fit(rows[rest], seen)
        return tuned(recipe, wishes, [HeldOut(first, rows[held], labels.take(held), self._made_support(seen))])


def _is_share(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and 0.0 <= float(value) <= 1.0


def _documents(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Check documents as scikit-learn does, which also notes the names of features."""
    return validate_data(estimator, X, reset=reset, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32))
