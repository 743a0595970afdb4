"""Tables and figures, and the pages that show them: drawing alone, whatever the numbers mean."""

from setwise.reports.figure import Figure
from setwise.reports.heat_map import heat_map
from setwise.reports.html import Section, as_html, html_page
from setwise.reports.latex import as_latex
from setwise.reports.markdown import as_markdown
from setwise.reports.pipeline import pipeline_figure
from setwise.reports.separated import as_csv
from setwise.reports.table import Entry, Table, notes_of

__all__ = [
    "Entry",
    "Figure",
    "Section",
    "Table",
    "as_csv",
    "as_html",
    "as_latex",
    "as_markdown",
    "heat_map",
    "html_page",
    "notes_of",
    "pipeline_figure",
]
