"""Features of texts: TF-IDF over words and n-grams."""

from setwise.text.inputs import texts_of
from setwise.text.vectorizer import TextState, TextVectorizer

__all__ = ["TextState", "TextVectorizer", "texts_of"]
