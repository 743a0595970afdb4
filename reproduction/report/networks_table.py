"""Table 6 of the paper, SPEN against CBM, with our networks beside it."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from statistics import mean

from reproduction.paper import ALL_FOUR, counterpart, printed, published
from reproduction.plan import FULL, NETWORK_DATASETS, SUPPORT_GFM, TUNED_THRESHOLD
from reproduction.report.paper_tables import NOT_RUN, heading, mean_and_deviation
from reproduction.report.table import Entry, Table
from reproduction.run import Results, Row

__all__ = ["table_6"]

NOT_BY_AUTHORS = "the authors of SPEN do not report this dataset"
OURS = {
    "SPEN, ours": ("SPEN", TUNED_THRESHOLD.name),
    "MLP, ours": ("MLP", TUNED_THRESHOLD.name),
    "MLP with support + GFM, ours": ("MLP", SUPPORT_GFM.name),
}
EXPECTED = {("bibtex", "MLP"): (38.0, 40.5), ("bibtex", "SPEN"): (41.0, inf)}
"""Between which numbers a network that is trained as its authors do should be, set before the run."""


def table_6(rows: Iterable[Row]) -> Table:
    """Return the F1 of the paper's SPEN and CBM, and of our networks and CBM."""
    results = Results.of(rows)
    lines = []
    for dataset in results.datasets:
        if dataset in NETWORK_DATASETS:
            theirs = counterpart(dataset) or ""
            ours = [_entry(results, dataset, *key) for key in OURS.values()]
            lines.append(
                (
                    Entry(heading(dataset)),
                    Entry(printed(6, theirs, "SPEN", "F1") or "-"),
                    _published(theirs),
                    *ours,
                    Entry(printed(6, theirs, "CBM", "F1") or "-"),
                    _entry(results, dataset, "CBM", ALL_FOUR),
                )
            )
    effort = FULL.networks
    text = (
        "The paper ran the program of SPEN's authors (structured prediction energy networks; Belanger and McCallum "
        "2016) without its own regularizations, and says that it was tuned less than the other models. Ours are the "
        f"mean and the standard deviation of {effort.n_seeds} seeds. A fifth of the training documents chooses the "
        f"penalty, of {len(effort.strengths)}, the number of epochs, at most {effort.max_epochs}, and for every seed "
        "the threshold; then the network is trained on all training documents, and the test documents are read once. "
        "Support inference with GFM on a network (MLP) is what the paper did not try. Datasets that have a closer "
        f"counterpart here are left out; WIPO is not available, so it has no row. {_expectations(results)}"
    )
    return Table(
        "table_6",
        "Table 6: F1 of networks and of CBM",
        ("data", "SPEN, the paper's", "SPEN, its authors'", *OURS, "CBM, the paper's", f"CBM {ALL_FOUR}, ours"),
        tuple(lines),
        text.strip(),
    )


def _entry(results: Results, dataset: str, model: str, recipe: str) -> Entry:
    values = results.percents(dataset, model, recipe)
    return Entry(mean_and_deviation(values)) if values else Entry("-", note=NOT_RUN)


def _published(theirs: str) -> Entry:
    number = published("SPEN", theirs)
    return Entry(number) if number is not None else Entry("-", note=NOT_BY_AUTHORS)


def _expectations(results: Results) -> str:
    """Say for each network with an expected range whether our mean is in it; nothing where none was run."""
    sentences = []
    for (dataset, model), (low, high) in EXPECTED.items():
        if values := results.percents(dataset, model, TUNED_THRESHOLD.name):
            ours = round(mean(values), 1)
            outcome = "below" if ours < low else "above" if ours > high else "as expected"
            expected = f"at least {low:g}" if high == inf else f"{low:g} to {high:g}"
            sentences.append(f"{model} on {dataset}: {expected}, and ours is {outcome}, {ours:.1f}.")
    return f"Expected before the run: {' '.join(sentences)}" if sentences else ""
