"""Sets of labels for text, chosen for the best expected F1."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("setwise")
