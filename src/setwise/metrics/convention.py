"""The one place that says how two empty sets agree."""

from typing import Final

__all__ = ["F1_OF_EMPTY_SETS"]

F1_OF_EMPTY_SETS: Final = 1.0
"""Predicting nothing where there is nothing is right. Decisions that maximise expected F1 assume the same."""
