"""Sets of labels for text, chosen for the best expected F1."""

from importlib import import_module
from importlib.metadata import version
from typing import Any

__all__ = ["SetClassifier", "__version__", "decide"]

__version__ = version("setwise")

_HOMES = {"SetClassifier": "setwise.classifier", "decide": "setwise.prediction"}


def __getattr__(name: str) -> Any:
    """Bring the classifier when it is first asked for: scikit-learn takes a while to load, and not all need it."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'setwise' has no attribute {name!r}")
