"""What loading a classifier and predicting with it need of scikit-learn, for processes that do nothing else."""

from __future__ import annotations

import inspect
from typing import Any, Self

import scipy.sparse as sp

from setwise._validation import require_finite
from setwise.exceptions import InvalidData

__all__ = ["BaseEstimator", "ClassifierMixin", "TransformerMixin", "check_is_fitted", "clone", "validate_data"]


class BaseEstimator:
    """An object whose parameters are the arguments of ``__init__``."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; those of parameters that are estimators too are never among them."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **parameters: Any) -> Self:
        """Set some of the parameters."""
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({parameters})"


class ClassifierMixin:
    """Marks classifiers."""


class TransformerMixin:
    """Marks transformers."""


def clone(estimator: Any) -> Any:
    """Return an estimator with the same parameters that is not fitted."""
    if hasattr(estimator, "__sklearn_clone__"):
        return estimator.__sklearn_clone__()
    return type(estimator)(**estimator.get_params(deep=False))


def check_is_fitted(estimator: Any) -> None:
    """Raise ``InvalidData`` unless the estimator has fitted attributes."""
    if not any(name.endswith("_") and not name.startswith("__") for name in vars(estimator)):
        raise InvalidData(f"This {type(estimator).__name__} is not fitted yet.")


def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Return the matrix of documents to predict; raise ``InvalidData`` where it does not go with the estimator.

    Documents of the command line are sparse rows already, so the options, which say what to convert, change nothing.
    """
    if not sp.issparse(X) or X.ndim != 2 or X.shape[1] != estimator.n_features_in_:
        raise InvalidData(f"X must be a sparse matrix of {estimator.n_features_in_} features.")
    require_finite(X.data, "X")
    return X
