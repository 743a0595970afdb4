"""Text into numbers: TF-IDF over words and n-grams, whose fitted state is plain data."""

from setwise.text.vectoriser import TextState, TextVectoriser

__all__ = ["TextState", "TextVectoriser"]
