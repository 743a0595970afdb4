"""Text into numbers: TF-IDF over words and n-grams, whose fitted state is plain data."""

from setwise.text.vectorizer import TextState, TextVectorizer

__all__ = ["TextState", "TextVectorizer"]
