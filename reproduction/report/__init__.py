"""Reports: tables, figures and pages, written only from the rows of a run."""

from reproduction.report.claim_verdicts import Verdict, compare_pair, compare_recipes, details_table, verdict_of
from reproduction.report.cost_report import cost_table, run_summary
from reproduction.report.csv_table import as_csv
from reproduction.report.figure import Figure, require_report_extra
from reproduction.report.heat_map import heat_map
from reproduction.report.html import Section, as_html, html_page
from reproduction.report.latex import as_latex
from reproduction.report.markdown import as_markdown
from reproduction.report.networks_table import table_6
from reproduction.report.non_empty_claims import NON_EMPTY_CLAIMS, non_empty_claims_table, with_non_empty_cbm
from reproduction.report.page import page, write_reports
from reproduction.report.paper_figures import draw_figures, figure_titles
from reproduction.report.paper_tables import (
    paper_tables,
    table_1,
    table_2,
    table_3,
    table_4,
    table_5,
)
from reproduction.report.pipeline import pipeline_figure
from reproduction.report.predictors_table import predictors_table
from reproduction.report.shortfall import UNEXPLAINED, reason, shortfall_table
from reproduction.report.table import Entry, Table, notes_of
from reproduction.report.variants import features_table, splits_table

__all__ = [
    "NON_EMPTY_CLAIMS",
    "UNEXPLAINED",
    "Entry",
    "Figure",
    "Section",
    "Table",
    "Verdict",
    "as_csv",
    "as_html",
    "as_latex",
    "as_markdown",
    "compare_pair",
    "compare_recipes",
    "cost_table",
    "details_table",
    "draw_figures",
    "features_table",
    "figure_titles",
    "heat_map",
    "html_page",
    "non_empty_claims_table",
    "notes_of",
    "page",
    "paper_tables",
    "pipeline_figure",
    "predictors_table",
    "reason",
    "require_report_extra",
    "run_summary",
    "shortfall_table",
    "splits_table",
    "table_1",
    "table_2",
    "table_3",
    "table_4",
    "table_5",
    "table_6",
    "verdict_of",
    "with_non_empty_cbm",
    "write_reports",
]
