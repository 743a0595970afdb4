"""The predictions of a fitted classifier: everything that needs its model, support, recipe and vectorizer alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import BaseEstimator, check_is_fitted, validate_data
from setwise._validation import check_sparse_structure, checked_count
from setwise.exceptions import Incompatible, InvalidData
from setwise.labels import Decision, LabelMatrix, SetDistribution, Support, lists_of_names
from setwise.metrics import instance_f1
from setwise.models import LabelModel
from setwise.posterior import LazyPosterior, Posterior, require
from setwise.prediction import Recipe
from setwise.text import CountWeighting, texts_of
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
    vectorizer_: Any
    weighting_: CountWeighting | None
    n_features_in_: int

    def _set_fitted(
        self, model: Any, recipe: Recipe, support: Support, labels: LabelMatrix, tuning: TuningResult | None
    ) -> None:
        """Set the fitted attributes except those of the features; of ``labels`` only names and form matter.

        Sets: labels_, classes_, support_, model_, recipe_, tuning_.
        """
        self.labels_ = labels
        self.classes_ = np.asarray(labels.labels, dtype=object if labels.labels == labels.names else None)
        self.support_ = support
        self.model_ = model
        self.recipe_ = recipe
        self.tuning_ = tuning

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
        posterior = self._posterior(X)  # first, since it checks that the classifier is fitted
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
        posterior, top = self._posterior(X), checked_count(top, "top")
        require(self.model_, "log_prob", by="predict_sets")
        names = [tuple(labels) for labels in self.support_.sets.label_lists()]
        recipe = replace(self.recipe_, inference="support")
        ranked = []
        for block in recipe.blocks(posterior, self.support_):
            assert isinstance(block.beliefs, SetDistribution)
            for best, probability in zip(*block.beliefs.top(top), strict=True):
                ranked.append([ScoredSet(names[s], float(p)) for s, p in zip(best, probability, strict=True)])
        return ranked

    def expected_f1(self, X: Any) -> NDArray[np.float64]:
        """Return the expected F1 of the predicted set of each document, under the chosen inference.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`predict`.

        Returns
        -------
        value : array of shape (n_samples,)
        """
        value = self.predict_with_value(X).value
        if np.isnan(value).any():
            require(self.model_, *self.recipe_.needs_for_value(self.model_), by="expected_f1")
            raise Incompatible(
                f"inference={self.recipe_.inference!r} has no probabilities to expect an F1 from. "
                f"Hint: use 'support', 'exact' or 'sampled'."
            )
        return value

    def predict_with_value(self, X: Any) -> Decision:
        """Return the predicted sets together with the expected F1 of each.

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
        predicted = self._predict_labels(X)
        if lists_of_names(y) is not None:
            return instance_f1(y, predicted.name_lists())
        return instance_f1(LabelMatrix.of(y, predicted.names), predicted)

    def _predict_labels(self, X: Any) -> LabelMatrix:
        sets = self._decide(X).sets
        return self.labels_.with_indicator(sets)

    def _decide(self, X: Any, *, with_value: bool = False) -> Decision:
        posterior = self._posterior(X)  # first, since it checks that the classifier is fitted
        return self.recipe_.decide(posterior, self.support_, with_value=with_value)

    def _posterior(self, X: Any) -> Posterior:
        """Score documents; where there are none, return a posterior that asks the model nothing."""
        check_is_fitted(self)
        features, model = self._features(X), self.model_
        if not features.shape[0]:
            return LazyPosterior(model.posterior, features, 1, model.classes_, model.abilities)
        return model.posterior(features)

    def _features(self, X: Any) -> Any:
        """Return the feature matrix of other documents, in the form that ``fit`` had."""
        texts = texts_of(X)
        if texts is not None and not texts:
            X = np.zeros((0, self.n_features_in_))
        elif texts is not None:
            if self.vectorizer_ is None:
                raise InvalidData(
                    "X holds texts, but the classifier was fitted to features. Hint: fit it to texts, "
                    "or pass the features of these."
                )
            X = self.vectorizer_.transform(texts)
        elif self.vectorizer_ is not None and np.shape(X)[1:] != (self.n_features_in_,):
            raise InvalidData(
                f"X holds no texts, but the classifier was fitted to texts. Hint: pass texts, or the "
                f"{self.n_features_in_} features that `vectorizer_.transform` returns."
            )
        matrix = self._check_matrix(X, reset=False)
        return matrix if self.weighting_ is None else self.weighting_.transform(matrix)

    def _check_matrix(self, X: Any, *, reset: bool) -> Any:
        """Check a feature matrix as scikit-learn does, and note feature names; a prediction may have no rows."""
        if sp.issparse(X):
            check_sparse_structure(X, "X")
        options = {"accept_sparse": ("csr", "csc"), "dtype": (np.float64, np.float32)}
        return validate_data(self, X, reset=reset, ensure_min_samples=int(reset), **options)
