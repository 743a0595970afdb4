"""Reports: how good a model is on labeled documents, as numbers and as one page."""

from setwise.reports.builder import ReportBuilder, make_report
from setwise.reports.comparison import ComparisonBuilder, compare_report
from setwise.reports.report import Card, CardGroup, Figure, Report, Section
from setwise.reports.scoring import BatchScorer, Evaluation, Predicted, Scores, metric_title, paired_labels
from setwise.reports.shown_documents import Judged
from setwise.reports.tables import Column, Table

__all__ = [
    "BatchScorer",
    "Card",
    "CardGroup",
    "Column",
    "ComparisonBuilder",
    "Evaluation",
    "Figure",
    "Judged",
    "Predicted",
    "Report",
    "ReportBuilder",
    "Scores",
    "Section",
    "Table",
    "compare_report",
    "make_report",
    "metric_title",
    "paired_labels",
]
