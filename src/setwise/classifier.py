"""The one estimator: a model, an inference and a decision under scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from setwise._validation import check_sparse_structure
from setwise.classifier_spec import ClassifierSpec
from setwise.exceptions import Incompatible, InvalidData
from setwise.inference import SetCalibration
from setwise.labels import Decision, LabelMatrix, SetDistribution, Support
from setwise.labels.forms import is_frame, lists_of_names
from setwise.metrics import instance_f1
from setwise.metrics.named import MetricName
from setwise.models.base import LabelModel, checked_count
from setwise.prediction import Candidate, Recipe
from setwise.prediction.recipe import DecisionName, InferenceName
from setwise.tuning.autotune import Tuned, tune
from setwise.tuning.budget import BudgetName, checked_budget, plan_for
from setwise.tuning.progress import progress_bar
from setwise.tuning.search import Progress, Watcher
from setwise.tuning.validation import Part

__all__ = ["ScoredSet", "SetClassifier"]


Calibration = SetCalibration | Literal["tuned", "likelihood", "f1"] | None


class ScoredSet(NamedTuple):
    """A label set and how probable it is."""

    labels: tuple[Any, ...]
    """Names, or integers where ``fit`` had integers."""
    probability: float


class SetClassifier(BaseEstimator):  # type: ignore[misc]
    """Predicts for each document the label set of the best expected F1.

    Without options it needs no knobs: whatever is "tuned" is found on a part of the training documents that a first
    training does not see, and the model is then trained on all documents.

    ``model`` is "br", "pcc", "crf", "cbm" or "lsf", whose strength, L1 ratio and iterations are tuned within the
    ``budget``, "quick", "normal" or "thorough"; or a model with parameters of its own, such as
    ``BinaryRelevance(strength=1e-4)``, which is taken as it is.

    ``inference`` says what is asked of it, "tuned" by default. "support": only label sets of the training documents
    have probability (those with at least ``min_count`` documents, and ``extra_sets`` besides). "exact": the model's own
    probabilities of labels and sizes. "sampled": the same from ``n_samples`` sets that it draws. "blend": ``blend``
    parts of "exact" (of "sampled", where the model has no exact ones) and the rest of "support"; "tuned" finds how
    many. "mode": its most probable set alone.

    ``decision`` says which set is taken, "tuned" by default. "gfm": the one of the highest expected F_``beta``.
    "most_probable": just that. "threshold": all labels whose probability is above ``threshold``, a number, "tuned" (one
    for all labels, for the best instance F1), or "tuned per label" (for each label's F1). With ``at_least_one`` no
    document goes without a label; where inference or decision is tuned, that holds already if no training document
    does.

    ``calibration`` corrects the model's probabilities of sets (see :class:`SetCalibration`): "likelihood" and "f1" find
    the correction in two ways, "tuned" tries both and none. ``SetClassifier(model, "support", "gfm",
    calibration=None)`` predicts as the paper does.

    ``held_out`` is the share of the documents that is held out, or a number of folds, so that each is held out once;
    None means a fifth, or three folds where there are fewer than ``FEW_DOCUMENTS``. They are drawn by ``random_state``,
    with labels shared out (:mod:`setwise.data.splits`). With ``refit=False`` the model stays as trained without them.

    ``metric`` is what is tuned for: "instance_f1", "set_accuracy", "micro_f1", "macro_f1" or "hamming_loss".
    ``tuning_file`` keeps every setting that is finished, so that a fit that was ended goes on there; with ``progress``
    bars show how far it is, up to the final fit.

    After ``fit``: ``classes_`` (the labels), ``model_``, ``support_``, ``recipe_`` and its parts ``inference_``,
    ``calibration_`` (of the support), ``scaling_`` (of exact inference), ``threshold_`` and ``blend_``; ``tuning_``
    (what was chosen and what the alternatives scored; None where nothing was tuned), ``n_features_in_``.
    """

    def __init__(
        self,
        model: Any = "br",
        inference: InferenceName | Literal["tuned"] = "tuned",
        decision: DecisionName | Literal["tuned"] = "tuned",
        *,
        calibration: Calibration = "tuned",
        budget: BudgetName = "normal",
        metric: MetricName = "instance_f1",
        beta: float = 1.0,
        threshold: float | Literal["tuned", "tuned per label"] = 0.5,
        at_least_one: bool = False,
        min_count: int = 1,
        extra_sets: Any = None,
        n_samples: int = 1000,
        blend: float | Literal["tuned"] = 0.5,
        held_out: float | int | None = None,
        refit: bool = True,
        random_state: int = 0,
        n_jobs: int | None = None,
        tuning_file: str | Path | None = None,
        progress: bool = False,
    ) -> None:
        self.model = model
        self.inference = inference
        self.decision = decision
        self.calibration = calibration
        self.budget = budget
        self.metric = metric
        self.beta = beta
        self.threshold = threshold
        self.at_least_one = at_least_one
        self.min_count = min_count
        self.extra_sets = extra_sets
        self.n_samples = n_samples
        self.blend = blend
        self.held_out = held_out
        self.refit = refit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tuning_file = tuning_file
        self.progress = progress

    def fit(self, X: Any, y: Any, valid: tuple[Any, Any] | None = None) -> SetClassifier:
        """Fit to documents X (sparse or dense) and their labels y.

        y is an indicator of 0 and 1 (sparse, dense, or a data frame whose columns are the labels), or a list of labels
        for each document, names or integers. Lists of integers that all have one length and hold 0 and 1 alone are an
        indicator.

        ``valid`` are other documents and their labels: what is tuned is then found on them, and none of X is held out.
        """
        wanted = ClassifierSpec(self.get_params(deep=False))
        wanted.check()
        X = _documents(self, X, reset=True)
        if y is None:  # in the words that scikit-learn's tools look for
            raise InvalidData("SetClassifier requires y to be passed, but the target y is None.")
        labels = LabelMatrix.of(y)
        labels.check_rows(X.shape[0])
        model, recipe = wanted.model(), wanted.recipe()
        tried = wanted.candidates(model, recipe, may_be_empty=bool((labels.indicator.sum(axis=1) == 0).any()))
        tuned = None
        with progress_bar(shown=self.progress) as watcher:
            if isinstance(self.model, str) or len(tried) > 1 or tried[0].wishes.any:
                tuned = self._tuned(wanted, model, tried, X, labels, valid, watcher)
                recipe = tuned.recipe
            watcher(Progress(stage="final fit"))
            support = wanted.support(labels)
            if tuned is None:
                trained = clone(model).fit(X, labels)
            else:
                trained = tuned.fit(X, labels) if self.refit else tuned.trained[0]
        if isinstance(trained, LabelModel):
            trained.round_weights()  # so that it predicts the same bits when it was saved and loaded
        self._take(trained, recipe, support, labels.take([0]), tuned)
        return self

    def _take(self, model: Any, recipe: Recipe, support: Support, labels: LabelMatrix, tuned: Tuned | None) -> None:
        """Set every fitted attribute; of ``labels`` only the names and the kind of y matter."""
        self.labels_ = labels
        self.classes_ = np.asarray(labels.labels, dtype=object if labels.labels == labels.names else None)
        self.support_ = support
        self.model_ = model
        self.tuning_ = tuned
        self.recipe_ = recipe
        self.inference_ = recipe.asked(model, support)
        self.calibration_, self.scaling_ = recipe.calibration, recipe.scaling
        self.threshold_, self.blend_ = recipe.threshold, recipe.blend

    def predict(self, X: Any) -> Any:
        """Return the label set of each document, in the form that y had: lists of labels, or 0 and 1.

        Where y was a data frame, so is this: it has the columns of y, and the index of X where X is one too. No
        documents (an empty list, or no rows) have an empty result of the same form.
        """
        return self._predicted(X).as_given(index=X.index if is_frame(X) else None)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give p(y_l = 1 | x) under the chosen inference, documents by labels."""
        check_is_fitted(self)
        return self.recipe_.marginals(self.model_, _documents(self, X, reset=False), self.support_)

    def predict_sets(self, X: Any, top: int = 1) -> list[list[ScoredSet]]:
        """Give the ``top`` most probable sets of the support for each document, the most probable first."""
        check_is_fitted(self)
        top = checked_count(top, "top")
        names = [tuple(labels) for labels in self.support_.sets.label_lists()]
        found = []
        recipe = replace(self.recipe_, inference="support")
        for block in recipe.blocks(self.model_, _documents(self, X, reset=False), self.support_):
            assert isinstance(block.known, SetDistribution)
            for best, probability in zip(*block.known.top(top), strict=True):
                found.append([ScoredSet(names[s], float(p)) for s, p in zip(best, probability, strict=True)])
        return found

    def expected_f1(self, X: Any) -> NDArray[np.float64]:
        """Give the F1 that the predicted set of each document can expect under the chosen inference."""
        check_is_fitted(self)
        if self.recipe_.inference == "mode":
            raise Incompatible(
                "inference='mode' cannot tell what to expect of a set. Hint: use 'support', 'exact' or 'sampled'."
            )
        return self.decide(X).value

    def decide(self, X: Any) -> Decision:
        """Give the predicted sets, documents by labels, together with the F1 that each can expect.

        The value is not a number where inference="mode", which cannot tell.
        """
        return self._decided(X, with_value=True)

    def score(self, X: Any, y: Any) -> float:
        """Give the instance F1 of the predictions against the true sets ``y``, in any form that ``fit`` takes.

        Two empty sets have F1 1, and a name that ``fit`` never saw is missed. (scikit-learn's tools ask for this ``y``
        by name.)
        """
        predicted = self._predicted(X)
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

    def _predicted(self, X: Any) -> LabelMatrix:
        decided = self._decided(X)
        return self.labels_.with_indicator(decided.sets)

    def _decided(self, X: Any, *, with_value: bool = False) -> Decision:
        check_is_fitted(self)
        documents = _documents(self, X, reset=False)
        return self.recipe_.decided(self.model_, documents, self.support_, with_value=with_value)

    def _tuned(
        self,
        wanted: ClassifierSpec,
        model: Any,
        tried: list[Candidate],
        X: Any,
        labels: LabelMatrix,
        valid: tuple[Any, Any] | None,
        watcher: Watcher,
    ) -> Tuned:
        """Find settings and recipe on documents that a first training does not see."""
        if valid is None:
            parts = wanted.validation(labels.n_samples).parts(X, labels, wanted.support)
        else:
            X_valid = _documents(self, valid[0], reset=False)
            parts = [Part(X, labels, X_valid, _as_known(labels, valid[1]), wanted.support)]
        by_name = isinstance(self.model, str)
        return tune(
            model,
            parts,
            tried,
            plan=plan_for(model, X, labels, checked_budget(self.budget)) if by_name else None,
            metric=self.metric,
            random_state=self.random_state,
            path=self.tuning_file,
            watcher=watcher,
        )


def _as_known(labels: LabelMatrix, y: Any) -> LabelMatrix:
    """Read the labels of other documents; a name that is unknown has no say, for nothing could predict it."""
    given, known = lists_of_names(y, called="valid"), set(labels.names)
    if given is None:
        return LabelMatrix.of(y, labels.names, called="valid")
    return LabelMatrix.of([[name for name in names if name in known] for names in given], labels.names)


def _documents(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Check documents as scikit-learn does, which also notes the names of features; a prediction may have none."""
    if sp.issparse(X):
        check_sparse_structure(X, "X")
    if not reset and isinstance(X, list | tuple) and not X:
        X = np.zeros((0, estimator.n_features_in_))
    options = {"accept_sparse": ("csr", "csc"), "dtype": (np.float64, np.float32)}
    try:
        return validate_data(estimator, X, reset=reset, ensure_min_samples=int(reset), **options)
    except ValueError:
        if _are_texts(X):
            raise InvalidData(
                "X must hold numbers; got texts. Hint: make_pipeline(TextVectorizer(), SetClassifier()) reads texts."
            ) from None
        raise


def _are_texts(X: Any) -> bool:
    """Return whether the first document is a text, alone or in the only column."""
    if not isinstance(X, Sequence | np.ndarray) and not hasattr(X, "iloc"):
        return False
    first = np.asarray(X.iloc[:1] if hasattr(X, "iloc") else X[:1], dtype=object).ravel()
    return first.size == 1 and isinstance(first[0], str)
