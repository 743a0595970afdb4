"""The one estimator: a model, an inference and a decision, met here and nowhere else."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from setwise.abilities import require
from setwise.data.splits import hold_out
from setwise.decision import best_threshold, best_thresholds, expected_f, gfm, most_probable, threshold
from setwise.decision.gfm import checked_beta
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.inference import (
    BlendInference,
    ExactInference,
    ModeInference,
    SampledInference,
    SetCalibration,
    SupportInference,
    fit_calibration,
    fit_scaling,
)
from setwise.inference.blend import size_marginals_of
from setwise.inference.blocks import document_blocks
from setwise.inference.calibration import AS_IT_IS, improve_calibration
from setwise.labels import Decided, LabelMatrix, Modes, SetDistribution, SizeMarginals, Support
from setwise.labels.matrix import lists_of_names
from setwise.learners.checks import checked_threads
from setwise.metrics import instance_f1
from setwise.models import BernoulliMixture, BinaryRelevance, ClassifierChain, LabelSizeFactors, PairwiseCRF
from setwise.models.base import checked_count, checked_seed
from setwise.models.given import GivenMarginals

__all__ = ["MODELS", "ScoredSet", "SetClassifier", "decide"]

MODELS: dict[str, Any] = {
    "br": BinaryRelevance,
    "pcc": ClassifierChain,
    "crf": PairwiseCRF,
    "cbm": BernoulliMixture,
    "lsf": LabelSizeFactors,
}

InferenceName = Literal["support", "exact", "sampled", "mode", "blend"]
DecisionName = Literal["gfm", "most_probable", "threshold"]
Calibration = SetCalibration | Literal["likelihood", "f1"] | None
Known = SetDistribution | SizeMarginals | Modes
Inference = SupportInference | ExactInference | SampledInference | ModeInference | BlendInference


_BLENDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""What a tuned blend may be."""

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
        model = self._made_model()
        require(model, *self._needs(model), by=f"inference={self.inference!r}")
        self.labels_ = labels.take([0])  # the names, and the kind of Y
        self.classes_ = np.asarray(labels.names, dtype=object)
        self.support_ = self._made_support(labels)
        given = self.calibration if isinstance(self.calibration, SetCalibration) else AS_IT_IS
        self.calibration_ = self.scaling_ = given
        self.threshold_: float | NDArray[np.float64] = 0.5 if self._tunes_threshold else float(self.threshold)
        self.blend_ = 0.5 if self._tunes_blend else float(self.blend)
        if self._has_to_tune():
            self._tune_prediction(X, labels, model)
        self.model_ = clone(model).fit(X, labels)
        self.inference_ = self._made_inference(self.support_)
        return self

    def predict(self, X: Any) -> Any:
        """Give the label set of each document, in the form that Y had: lists of names, or 0 and 1, sparse or dense."""
        decided = self._decided(X)
        return self.labels_.with_indicator(decided.sets).as_given()

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give p(y_l = 1 | x) under the chosen inference, documents by labels."""
        if self.inference == "mode":
            raise Incompatible(
                "inference='mode' gives sets, not probabilities of labels. Hint: use 'support', 'exact' or 'sampled'."
            )
        return np.concatenate([_marginals(known) for known in self._known(X)])

    def predict_sets(self, X: Any, top: int = 1) -> list[list[ScoredSet]]:
        """Give the ``top`` most probable sets of the support for each document, the most probable first."""
        check_is_fitted(self)
        top = checked_count(top, "top")
        names = [tuple(labels) for labels in self.support_.sets.name_lists()]
        inference = SupportInference(self.support_, self.calibration_, checked_threads(self.n_threads))
        found = []
        for known in self._known(X, inference):
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
            decided = self._decide(known)
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
        parts = [self._decide(known) for known in self._known(X)]
        sets = sp.csr_array(sp.vstack([part.sets for part in parts], format="csr"))
        return Decided(sets, np.concatenate([part.value for part in parts]))

    def _known(self, X: Any, inference: Inference | None = None) -> Iterator[Known]:
        """Ask about the documents block by block."""
        check_is_fitted(self)
        inference = inference or self.inference_
        documents = _documents(self, X, reset=False)
        for some in document_blocks(documents, inference.block(len(self.classes_))):
            yield inference.infer(self.model_, some)

    def _decide(self, known: Known) -> Decided:
        threads = checked_threads(self.n_threads)
        match self.decision:
            case "gfm":
                return gfm(known, beta=self.beta, n_threads=threads)  # type: ignore[arg-type]
            case "most_probable":
                return most_probable(known)  # type: ignore[arg-type]
            case "threshold":
                marginals = _marginals(known)
                sets = threshold(marginals, self.threshold_, at_least_one=self.at_least_one)
                return Decided(sets, np.full(len(marginals), np.nan))

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
        return self.calibration not in (None, AS_IT_IS)

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

    def _needs(self, model: Any) -> tuple[str, ...]:
        match self.inference:
            case "support":
                return SupportInference.needs
            case "exact":
                return (*ExactInference.needs, *self._needs_of_calibrated_exact())
            case "sampled":
                return SampledInference.needs
            case "mode":
                return ModeInference.needs
            case "blend":
                free = ExactInference if callable(getattr(model, "size_marginals", None)) else SampledInference
                exact = self._needs_of_calibrated_exact() if free is ExactInference else ()
                return (*BlendInference.needs, *free.needs, *exact)

    def _needs_of_calibrated_exact(self) -> tuple[str, ...]:
        """A calibration without support moves logits."""
        if not self._calibrates:
            return ()
        return ("scaled_marginals", "scaled_size_marginals") if self._tunes_calibration else ("scaled_size_marginals",)

    def _made_support(self, labels: LabelMatrix) -> Support:
        support = Support.of(labels)
        if self.min_count > 1:
            support = support.at_least(self.min_count)
        return support if self.extra_sets is None else support.with_sets(self.extra_sets)

    def _made_inference(self, support: Support) -> Inference:
        over_support = SupportInference(support, self.calibration_, checked_threads(self.n_threads))
        match self.inference:
            case "support":
                return over_support
            case "exact":
                return ExactInference(self.scaling_)
            case "sampled":
                return SampledInference(self.n_samples, self.seed)
            case "mode":
                return ModeInference()
            case "blend":
                return BlendInference(over_support, self._free(self.model_), self.blend_)

    def _free(self, model: Any) -> ExactInference | SampledInference:
        """What a blend has beside the support: exact where the model has it."""
        if callable(getattr(model, "size_marginals", None)):
            return ExactInference(self.scaling_)
        return SampledInference(self.n_samples, self.seed)

    def _has_to_tune(self) -> bool:
        return (
            self._tunes_calibration
            or (self.inference == "blend" and self._tunes_blend)
            or (self.decision == "threshold" and self._tunes_threshold)
        )

    def _tune_prediction(self, X: Any, labels: LabelMatrix, model: Any) -> None:
        """Find calibration, blend and threshold on documents that a first training does not see."""
        if labels.n_samples < 2:
            raise InvalidData(f"X must have at least two documents to hold one out; got n_samples={labels.n_samples}.")
        rest, held = hold_out(labels, self.held_out, self.seed)
        rows = X.tocsr() if sp.issparse(X) else X
        seen = labels.take(rest)
        self.model_ = clone(model).fit(rows[rest], seen)
        support, X_held, Y_held = self._made_support(seen), rows[held], labels.take(held)
        if self._tunes_calibration:
            self._calibrate(X_held, Y_held, support)
        if self.inference == "blend" and self._tunes_blend:
            self.blend_ = self._best_of(_BLENDS, "blend_", X_held, Y_held, support)
        if self.decision == "threshold" and self._tunes_threshold:
            marginals = np.concatenate(
                [_marginals(known) for known in self._known(X_held, self._made_inference(support))]
            )
            if self.threshold == "tuned":
                self.threshold_ = best_threshold(marginals, Y_held, at_least_one=self.at_least_one)
            else:
                self.threshold_ = best_thresholds(marginals, Y_held)

    def _calibrate(self, X: Any, Y: LabelMatrix, support: Support) -> None:
        """Calibrate what the inference uses: the distribution over the support, the logits of the model, or both."""
        with_support = self.inference in ("support", "blend") and bool((support.index_of(Y) >= 0).any())
        without = self.inference in ("exact", "blend") and callable(getattr(self.model_, "scaled_marginals", None))
        if with_support:
            self.calibration_ = fit_calibration(self.model_, X, Y, support)
        if without:
            self.scaling_ = fit_scaling(self.model_, X, Y)
        if self.calibration == "f1" and with_support:
            self._improve("calibration_", X, Y, support, with_prior=True)
        elif self.calibration == "f1" and without:
            self._improve("scaling_", X, Y, support, with_prior=False)

    def _improve(self, name: str, X: Any, Y: LabelMatrix, support: Support, with_prior: bool) -> None:
        def score(tried: SetCalibration) -> float:
            return self._held_out_f1(name, tried, X, Y, support)

        start = max(getattr(self, name), AS_IT_IS, key=score)
        setattr(self, name, improve_calibration(start, score, with_prior=with_prior))

    def _best_of(self, values: tuple[float, ...], name: str, X: Any, Y: LabelMatrix, support: Support) -> float:
        """Find the value of the highest F1, the first of equals."""
        return max(values, key=lambda value: self._held_out_f1(name, value, X, Y, support))

    def _held_out_f1(self, name: str, value: Any, X: Any, Y: LabelMatrix, support: Support) -> float:
        """Instance F1 with one of the tuned attributes set to ``value``, which it keeps."""
        setattr(self, name, value)
        chosen = [self._decide(known).sets for known in self._known(X, self._made_inference(support))]
        return instance_f1(Y, Y.with_indicator(sp.vstack(chosen)))


def decide(
    probabilities: Any,
    support: Any,
    *,
    inference: Literal["support", "exact"] = "support",
    beta: float = 1.0,
    calibration: SetCalibration = AS_IT_IS,
    n_threads: int | None = None,
) -> Any:
    """Choose the set of the best expected F from probabilities of single labels, whoever computed them.

    ``probabilities`` are documents by labels, from any classifier. ``support`` are the label sets of its training
    documents (0 and 1, sparse or dense, or lists of names; the columns of ``probabilities`` are then the sorted names),
    or a :class:`Support`. The sets come back in the same form. With ``inference="exact"`` every set may win, and the
    support only names the labels.
    """
    seen = support if isinstance(support, Support) else Support.of(LabelMatrix.of(support, called="support"))
    threads = checked_threads(n_threads)
    model = GivenMarginals(seen.sets.names, threads)
    if inference not in ("support", "exact"):
        raise InvalidParameter(f"inference must be 'support' or 'exact'; got {inference!r}.")
    asked = SupportInference(seen, calibration, threads) if inference == "support" else ExactInference(calibration)
    scores = model.scores(probabilities)  # checks all of it before any of it is used
    blocks = document_blocks(
        np.asarray(probabilities.toarray() if sp.issparse(probabilities) else probabilities),
        asked.block(scores.shape[1]),
    )
    chosen = [gfm(asked.infer(model, some), beta=beta, n_threads=threads).sets for some in blocks]
    return seen.sets.with_indicator(sp.vstack(chosen)).as_given()


def _is_share(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and 0.0 <= float(value) <= 1.0


def _marginals(known: Known) -> NDArray[np.float64]:
    if isinstance(known, Modes):
        raise Incompatible("inference='mode' gives sets without probabilities of labels.")
    return known.marginals


def _documents(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Check documents as scikit-learn does, which also notes the names of features."""
    return validate_data(estimator, X, reset=reset, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32))
