"""The claims that use the most probable set of CBM, tested again with the empty set excluded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reproduction.paper import CBM_NON_EMPTY, CLAIMS, PREDICTION_RECIPES, base_model, not_applicable
from reproduction.report.claim_verdicts import verdict_of
from reproduction.report.table import Table, text_rows
from reproduction.run import Results, Row, ScoreRow

__all__ = ["NON_EMPTY_CLAIMS", "non_empty_claims_table", "with_non_empty_cbm"]

NON_EMPTY_CLAIMS = (1, 2, 7, 10)
"""The numbers of the claims that use CBM without support inference and GFM."""
NON_EMPTY_RECIPES = tuple(recipe for recipe in PREDICTION_RECIPES if not_applicable(CBM_NON_EMPTY, recipe) is None)
"""The recipes in which they do."""


def with_non_empty_cbm(rows: Iterable[Row]) -> list[Row]:
    """Return the rows with the most probable sets of CBM replaced by those that are not empty.

    Datasets without such rows are left out, so that no other model takes the place of CBM there.
    """
    rows = list(rows)
    found = {(row.dataset, row.recipe) for row in rows if isinstance(row, ScoreRow) and row.model == CBM_NON_EMPTY}
    complete = {dataset for dataset, _ in found if {(dataset, recipe) for recipe in NON_EMPTY_RECIPES} <= found}
    return [changed for row in rows if row.dataset in complete and (changed := _exchanged(row)) is not None]


def _exchanged(row: Row) -> Row | None:
    if not isinstance(row, ScoreRow) or base_model(row.model) != base_model(CBM_NON_EMPTY):
        return row
    if row.model == CBM_NON_EMPTY:
        return replace(row, model=base_model(CBM_NON_EMPTY))
    return None if row.recipe in NON_EMPTY_RECIPES else row


def non_empty_claims_table(rows: Iterable[Row]) -> Table:
    """Return the verdicts on these claims, with CBM as in the program of the paper's authors."""
    rows = list(rows)
    exchanged = with_non_empty_cbm(rows)
    lines = []
    for claim in CLAIMS:
        if claim.number in NON_EMPTY_CLAIMS:
            verdict = verdict_of(claim, exchanged)
            before = verdict_of(claim, rows).outcome
            lines.append((str(claim.number), claim.text, before, verdict.outcome, verdict.numbers))
    columns = ("claim", "in our words", "verdict above", "verdict with the empty set excluded", "numbers")
    return Table(
        "claims_non_empty",
        "Claims with the empty set excluded for CBM",
        columns,
        text_rows(lines),
        f"The same rules as above, with {' and '.join(NON_EMPTY_RECIPES)} of {CBM_NON_EMPTY} in place of CBM's, on the "
        f"datasets that have them ({', '.join(Results.of(exchanged).datasets) or 'none yet'}). Other claims do not use "
        "these columns.",
        n_headings=len(columns),
    )
