"""Why a set was predicted: the words of each label, the sets that were near, and what each word changes."""

from setwise.explain.explainer import Limits, explain_documents
from setwise.explain.explanation import Explanation, FeatureShare, LabelReason, Rival, WithoutWord
from setwise.explain.html import HIGHLIGHT_STYLE, highlighted_text, html_page
from setwise.explain.set_reasons import likely_sets
from setwise.explain.words import text_without, word_spans

__all__ = [
    "HIGHLIGHT_STYLE",
    "Explanation",
    "FeatureShare",
    "LabelReason",
    "Limits",
    "Rival",
    "WithoutWord",
    "explain_documents",
    "highlighted_text",
    "html_page",
    "likely_sets",
    "text_without",
    "word_spans",
]
