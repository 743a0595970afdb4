"""Features of texts: TF-IDF over words and n-grams."""

from setwise.text.analysis import unspaced_share
from setwise.text.inputs import texts_of
from setwise.text.terms import PackedTerms
from setwise.text.vectorizer import TextState, TextVectorizer

__all__ = ["PackedTerms", "TextState", "TextVectorizer", "texts_of", "unspaced_share"]
