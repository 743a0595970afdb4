"""The one door to scikit-learn's base classes of estimators, and to the functions that go with them.

The names are scikit-learn's own, except in a process that called :func:`leave_out_sklearn` first: to import
``sklearn.base`` takes twice as long as to import everything else that a prediction needs.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
    from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "TransformerMixin",
    "check_is_fitted",
    "clone",
    "leave_out_sklearn",
    "validate_data",
]

_MODULES = {
    "BaseEstimator": "sklearn.base",
    "ClassifierMixin": "sklearn.base",
    "TransformerMixin": "sklearn.base",
    "check_is_fitted": "sklearn.utils.validation",
    "clone": "sklearn.base",
    "validate_data": "sklearn.utils.validation",
}

_left_out = False


def leave_out_sklearn() -> None:
    """Let the classes of setwise do without scikit-learn in this process, which must only predict.

    It has no effect where scikit-learn is imported already, or where a class of setwise has its base class already.
    """
    global _left_out
    _left_out = True


@cache
def _uses_stand_ins() -> bool:
    """Return whether the stand-ins are used; the first answer holds, so that no process mixes both."""
    return _left_out and "sklearn" not in sys.modules


if not TYPE_CHECKING:  # type checkers see the imports above

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.stand_ins" if _uses_stand_ins() else _MODULES[name]), name)
