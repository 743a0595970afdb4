"""Label sets for text: the set with the best expected F1.

>>> from setwise import SetClassifier
>>> texts, labels = ["red fox", "blue fox", "red hen"], [["fox", "red"], ["fox"], ["red"]]
>>> SetClassifier("br", budget="quick", cv=2).fit(texts, labels).predict(["a red hen"])
[['red']]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from setwise.classifier import SetClassifier, load
    from setwise.prediction import decide
    from setwise.text import TextVectorizer

__all__ = ["SetClassifier", "TextVectorizer", "__version__", "decide", "load"]

_MODULES = {
    "SetClassifier": "setwise.classifier",
    "TextVectorizer": "setwise.text",
    "decide": "setwise.prediction",
    "load": "setwise.classifier",
}


if not TYPE_CHECKING:  # type checkers see the imports above, and report other names

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used: scikit-learn takes a while to load, and so do metadata."""
        if name == "__version__":
            return import_module("importlib.metadata").version("setwise")
        if name in _MODULES:
            return getattr(import_module(_MODULES[name]), name)
        raise AttributeError(f"module 'setwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
