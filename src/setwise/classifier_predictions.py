"""The predictions of a fitted classifier: everything that needs its model, support, recipe and vectorizer alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import BaseEstimator, check_is_fitted, validate_data
from setwise._validation import check_sparse_structure, checked_count
from setwise.confidence import (
    MIN_DOCUMENTS,
    Automation,
    AutomationTarget,
    Confidence,
    Evidence,
    SetConfidence,
    automation_threshold,
)
from setwise.exceptions import Incompatible, InvalidData
from setwise.explain import (
    Explanation,
    Limits,
    Rival,
    WithoutWord,
    explain_documents,
    likely_sets,
    text_without,
    word_spans,
)
from setwise.labels import Decision, LabelMatrix, SetDistribution, Support, lists_of_names
from setwise.metrics import Overlap, read_pair
from setwise.models import LabelModel
from setwise.posterior import LazyPosterior, Posterior, require
from setwise.prediction import Recipe
from setwise.text import CountWeighting, TextVectorizer, texts_of, transform_with_coverage
from setwise.tuning import TuningResult

__all__ = ["ScoredSet", "SetPredictor"]


class ScoredSet(NamedTuple):
    """A label set and its probability."""

    labels: tuple[Any, ...]
    """Names, or integers where ``fit`` had integers."""
    probability: float


class SetPredictor(BaseEstimator):  # type: ignore[misc]
    """Base class of :class:`setwise.SetClassifier`: its fitted attributes and its predictions."""

    classes_: NDArray[Any]
    model_: LabelModel
    support_: Support
    recipe_: Recipe
    tuning_: TuningResult | None
    confidence_: SetConfidence | None
    automation_: Automation | None
    vectorizer_: Any
    weighting_: CountWeighting | None
    n_features_in_: int

    def _set_fitted(
        self,
        model: Any,
        recipe: Recipe,
        support: Support,
        labels: LabelMatrix,
        tuning: TuningResult | None,
        confidence: SetConfidence | None,
        automation: Automation | None = None,
    ) -> None:
        """Set the fitted attributes except those of the features; of ``labels`` only names and form matter.

        Sets: labels_, classes_, support_, model_, recipe_, tuning_, confidence_, automation_.
        """
        self.labels_ = labels
        self.classes_ = np.asarray(labels.labels, dtype=object if labels.labels == labels.names else None)
        self.support_ = support
        self.model_ = model
        self.recipe_ = recipe
        self.tuning_ = tuning
        self.confidence_ = confidence
        self.automation_ = automation

    def predict(self, X: Any) -> Any:
        """Return the label set of each document, in the form that y had in ``fit``.

        Where y was a data frame, so is the result: it has the columns of y, and the index of X where X has one. An
        empty list, or a matrix without rows, has an empty result.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            In the form that ``fit`` had. A classifier of texts also takes the features that ``vectorizer_`` returns.

        Returns
        -------
        y : label sets
        """
        return self._predict_labels(X).as_given(index=X.index if hasattr(X, "iloc") else None)

    def posterior(self, X: Any) -> Posterior:
        """Return what the model itself says about documents, before inference, calibration and decision.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.

        Returns
        -------
        posterior : Posterior
            The documents, scored once; it answers what the model has the abilities for, such as ``marginals()``.
        """
        check_is_fitted(self)
        return self._posterior_of(self._encoded(X)[0])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each label under the chosen inference.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.

        Returns
        -------
        marginals : array of shape (n_samples, n_labels)
        """
        posterior = self.posterior(X)  # first, since it checks that the classifier is fitted
        return self.recipe_.marginals(posterior, self.support_)

    def predict_sets(self, X: Any, top: int = 1) -> list[list[ScoredSet]]:
        """Return the most probable sets of the support for each document, the most probable first.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.
        top : int, default=1
            How many sets.

        Returns
        -------
        sets : list of lists of ScoredSet
        """
        check_is_fitted(self)
        top = checked_count(top, "top")
        names = [tuple(labels) for labels in self.support_.sets.label_lists()]
        ranked = []
        for beliefs in self._set_distributions(X, by="predict_sets"):
            for best, probability in zip(*beliefs.top(top), strict=True):
                ranked.append([ScoredSet(names[s], float(p)) for s, p in zip(best, probability, strict=True)])
        return ranked

    def alternatives(self, X: Any, top: int = 5) -> list[list[Rival]]:
        """Return the most probable sets of the support for each document, with the F1 that each is expected to have.

        They are those of :meth:`predict_sets`; the predicted set is one of them where it is among the most probable.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.
        top : int, default=5
            How many sets.

        Returns
        -------
        alternatives : list of lists of Rival
            Each with ``labels``, ``probability`` and ``expected_f1``, under the same beliefs.
        """
        check_is_fitted(self)
        top = checked_count(top, "top")
        blocks = self._set_distributions(X, by="alternatives")
        return [likely for beliefs in blocks for likely in likely_sets(beliefs, top)]

    def _set_distributions(self, X: Any, by: str) -> Iterator[SetDistribution]:
        """Yield the distribution over the support for each block of documents."""
        posterior = self.posterior(X)
        require(self.model_, "log_prob", by=by)
        for block in replace(self.recipe_, inference="support").blocks(posterior, self.support_):
            assert isinstance(block.beliefs, SetDistribution)
            yield block.beliefs

    def confidence(self, X: Any, coverage: NDArray[np.float64] | None = None) -> Confidence:
        """Return how sure the predictions are: the probability that a set is exactly right, and its expected F1.

        Both were fitted to the outcomes on documents that were held out while tuning, so that of all sets with a
        probability of 0.8 about four in five are right, on documents like those of the training.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.
        coverage : array of shape (n_samples,), optional
            Where X holds features of texts: the share of the words of each that the vocabulary contains. Texts in X
            need none.

        Returns
        -------
        confidence : Confidence
            ``probability`` and ``expected_f1``, one number per document, and ``sets``, documents by labels.
        """
        check_is_fitted(self)
        if self.confidence_ is None:
            raise Incompatible(
                f"This classifier has no confidence: it takes at least {MIN_DOCUMENTS} held-out documents to learn it. "
                f"Hint: fit SetClassifier() to more documents, or use expected_f1."
            )
        features, known = self._encoded(X)
        posterior = self._posterior_of(features)
        known = known if coverage is None else np.asarray(coverage, dtype=np.float64)
        return self.confidence_.of(Evidence.of(self.recipe_, posterior, self.support_, features, known))

    def automate(
        self,
        X: Any,
        y: Any,
        *,
        target_accuracy: float | None = None,
        target_f1: float | None = None,
        level: float = 0.9,
        random_state: int = 0,
    ) -> Automation:
        """Find and keep the confidence from which predictions need no review, so that those meet a target.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            Documents that the classifier was not trained on, in the form of :meth:`predict`.
        y : label sets
            Their true ones, in any form that ``fit`` takes.
        target_accuracy, target_f1 : float
            What the accepted predictions have to reach: the share of sets that are exactly right, or the mean F1. One
            of them.
        level : float, default=0.9
            The chance, at least, that they do.
        random_state : int, default=0
            Seed of the bootstrap of the mean F1.

        Returns
        -------
        automation : Automation
            Also ``automation_``, which :meth:`save` stores and :meth:`accepts` uses.
        """
        target, found = AutomationTarget.of(target_accuracy, target_f1), self.confidence(X)
        outcome = target.outcome(_f1_by_document(y, self.labels_.with_indicator(found.sets)))
        self.automation_ = automation_threshold(
            found.values_for(target.metric),
            outcome,
            target.value,
            metric=target.metric,
            level=level,
            random_state=random_state,
        )
        return self.automation_

    def accepts(self, confidence: Confidence) -> NDArray[np.bool_]:
        """Return which predictions need no review, by the threshold that :meth:`automate` found.

        Parameters
        ----------
        confidence : Confidence
            What :meth:`confidence` returned.
        """
        check_is_fitted(self)
        if self.automation_ is None:
            raise Incompatible("This classifier has no automation threshold. Hint: call automate first.")
        return self.automation_.accepts(confidence.values_for(self.automation_.metric))

    def explain(self, X: Any, *, limits: Limits | None = None, leave_out_words: bool = True) -> list[Explanation]:
        """Explain the prediction for each document: its words, why this set, which sets were near.

        The contributions of words are weight times value. With BR, and with PCC and CRF beside what the other labels
        add, they sum to the logit of the label; CBM has those of its responsible components, an ensemble the weighted
        sum of those of its members. For the other models they are approximate. What each word changes is exact for
        every model: the word is deleted from the text, and the rest is predicted again.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.
        limits : Limits, optional
            How many labels, features and rival sets to list.
        leave_out_words : bool, default=True
            Whether to predict each text again without each of its words, which takes one prediction per word.

        Returns
        -------
        explanations : list of Explanation
        """
        check_is_fitted(self)
        features, coverage = self._encoded(X)
        if not features.shape[0]:
            return []
        texts, places = texts_of(X), None
        if texts is not None and isinstance(self.vectorizer_, TextVectorizer):
            places = [self.vectorizer_.places(text) for text in texts]
        found = explain_documents(
            self.model_, self.recipe_, self.support_, features, self._feature_names(), places, limits or Limits()
        )
        if self.confidence_ is not None and found:
            evidence = Evidence.of(self.recipe_, self._posterior_of(features), self.support_, features, coverage)
            sure = self.confidence_.of(evidence)
            numbers = zip(found, sure.probability.tolist(), sure.expected_f1.tolist(), strict=True)
            found = [replace(one, confidence=probability, expected_f1=f1) for one, probability, f1 in numbers]
        if texts is None or not leave_out_words:
            return found
        return [
            replace(one, without_words=self._without_words(text, one)) for text, one in zip(texts, found, strict=True)
        ]

    def _without_words(self, text: str, explanation: Explanation) -> tuple[WithoutWord, ...]:
        """Predict a text again without each of its words."""
        spans = word_spans(self.vectorizer_, text)
        if not spans:
            return ()
        shorter = [text_without(text, span) for span in spans]
        sets = self._predict_labels(shorter).name_lists()
        values = [None] * len(spans) if explanation.expected_f1 is None else self.expected_f1(shorter).tolist()
        return tuple(
            WithoutWord(text[slice(*span)], span, tuple(names), value, set(names) != set(explanation.labels))
            for span, names, value in zip(spans, sets, values, strict=True)
        )

    def _feature_names(self) -> Sequence[str]:
        """Return one name per feature: its words, the columns of a data frame, or the number of the column."""
        if isinstance(self.vectorizer_, TextVectorizer):
            return self.vectorizer_.words_
        if hasattr(self, "feature_names_in_"):
            return [str(name) for name in self.feature_names_in_]
        named = getattr(self.vectorizer_, "get_feature_names_out", None)
        return [str(name) for name in (range(self.n_features_in_) if named is None else named())]

    def expected_f1(self, X: Any) -> NDArray[np.float64]:
        """Return the expected F1 of the predicted set of each document.

        It is that of :meth:`confidence`, which held-out outcomes agree with. Where there is none, because nothing was
        held out, it is the expected F1 under the chosen inference.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.

        Returns
        -------
        value : array of shape (n_samples,)
        """
        check_is_fitted(self)
        if self.confidence_ is not None:
            return self.confidence(X).expected_f1
        value = self.predict_with_value(X).value
        if np.isnan(value).any():
            require(self.model_, *self.recipe_.needs_for_value(self.model_), by="expected_f1")
            raise Incompatible(
                f"inference={self.recipe_.inference!r} has no probabilities to expect an F1 from. "
                f"Hint: use 'support', 'exact' or 'sampled'."
            )
        return value

    def predict_with_value(self, X: Any) -> Decision:
        """Return the predicted sets together with the expected F1 of each under the beliefs that it was chosen by.

        Beliefs that were calibrated for the best F1 choose well and overstate what they expect: what to tell people is
        :meth:`confidence`.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.

        Returns
        -------
        decision : Decision
            ``sets``, documents by labels, and ``value``, NaN with inference="mode", which has no probabilities.
        """
        return self._decide(X, with_value=True)

    def score(self, X: Any, y: Any) -> float:
        """Return the instance F1 of the predictions.

        Two empty sets have F1 1, and a label that ``fit`` never saw counts as missed.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.
        y : label sets
            The true ones, in any form that ``fit`` takes.

        Returns
        -------
        score : float
        """
        return float(_f1_by_document(y, self._predict_labels(X)).mean())

    def _predict_labels(self, X: Any) -> LabelMatrix:
        sets = self._decide(X).sets
        return self.labels_.with_indicator(sets)

    def _decide(self, X: Any, *, with_value: bool = False) -> Decision:
        posterior = self.posterior(X)  # first, since it checks that the classifier is fitted
        return self.recipe_.decide(posterior, self.support_, with_value=with_value)

    def _posterior_of(self, features: Any) -> Posterior:
        """Score documents; where there are none, return a posterior that asks the model nothing."""
        model = self.model_
        if not features.shape[0]:
            return LazyPosterior(model.posterior, features, 1, model.classes_, model.abilities)
        return model.posterior(features)

    def _encoded(self, X: Any) -> tuple[Any, NDArray[np.float64] | None]:
        """Return the feature matrix of other documents, in the form that ``fit`` had, and the coverage of texts."""
        texts, coverage = texts_of(X), None
        if texts is not None and not texts:
            X = np.zeros((0, self.n_features_in_))
        elif texts is not None:
            if self.vectorizer_ is None:
                raise InvalidData(
                    "X holds texts, but the classifier was fitted to features. Hint: fit it to texts, "
                    "or pass the features of these."
                )
            X, coverage = transform_with_coverage(self.vectorizer_, texts)
        elif self.vectorizer_ is not None and np.shape(X)[1:] != (self.n_features_in_,):
            raise InvalidData(
                f"X holds no texts, but the classifier was fitted to texts. Hint: pass texts, or the "
                f"{self.n_features_in_} features that `vectorizer_.transform` returns."
            )
        matrix = self._check_matrix(X, reset=False)
        return (matrix if self.weighting_ is None else self.weighting_.transform(matrix)), coverage

    def _check_matrix(self, X: Any, *, reset: bool) -> Any:
        """Check a feature matrix as scikit-learn does, and note feature names; a prediction may have no rows."""
        if sp.issparse(X):
            check_sparse_structure(X, "X")
        options = {"accept_sparse": ("csr", "csc"), "dtype": (np.float64, np.float32)}
        return validate_data(self, X, reset=reset, ensure_min_samples=int(reset), **options)


def _f1_by_document(y: Any, predicted: LabelMatrix) -> NDArray[np.float64]:
    """Return the F1 of each predicted set; a true label that the classifier never saw counts as missed."""
    if lists_of_names(y) is not None:
        return Overlap.by_document(*read_pair(y, predicted.name_lists())).f1
    return Overlap.by_document(*read_pair(LabelMatrix.of(y, predicted.names), predicted)).f1
