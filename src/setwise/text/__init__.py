"""Features of texts: TF-IDF over words and n-grams; weights of counts."""

from setwise.text.analysis import unspaced_share
from setwise.text.feature_sets import candidate_vectorizers, combined_feature_sets, feature_set_name
from setwise.text.inputs import texts_of
from setwise.text.places import TermPlaces
from setwise.text.terms import PackedTerms
from setwise.text.vectorizer import TextState, TextVectorizer, transform_with_coverage
from setwise.text.weighting import WEIGHTINGS, CountWeighting, WeightingName, are_counts

__all__ = [
    "WEIGHTINGS",
    "CountWeighting",
    "PackedTerms",
    "TermPlaces",
    "TextState",
    "TextVectorizer",
    "WeightingName",
    "are_counts",
    "candidate_vectorizers",
    "combined_feature_sets",
    "feature_set_name",
    "texts_of",
    "transform_with_coverage",
    "unspaced_share",
]
