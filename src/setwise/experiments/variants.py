"""What a figure owes to its split and to its features: the same recipe on variants of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, stdev

from setwise.experiments.paper import counterpart, printed
from setwise.experiments.recipes import ALL_FOUR
from setwise.experiments.results import Found
from setwise.experiments.rows import Row
from setwise.experiments.shortfall import TABLE_OF
from setwise.reports.table import Entry, Table

__all__ = ["features_table", "splits_table"]


def splits_table(rows: Iterable[Row]) -> Table:
    """Set the stored split beside others that chance made of the same documents."""
    found = Found.of(rows)
    lines = []
    for dataset, model in _varied(found, "split"):
        others = [percent for name, percent in _percents(found, dataset, model).items() if name.startswith("split")]
        spread = f" ± {stdev(others):.1f}" if len(others) > 1 else ""
        lines.append(
            (
                *_sides(found, dataset, model),
                f"{mean(others):.1f}{spread}",
                f"{min(others):.1f} to {max(others):.1f}",
                str(len(others)),
            )
        )
    return _table(
        "splits",
        f"{ALL_FOUR} on other splits of the same documents",
        ("the stored split", "the paper's", "other splits", "lowest to highest", "splits"),
        lines,
        "Each split takes other documents to test on, as many as the stored one has. Settings are those of the stored "
        "one, chosen on documents of which a split tests some: they are two or three numbers. ± is the standard "
        "deviation over splits.",
    )


def features_table(rows: Iterable[Row]) -> Table:
    """Set all features beside the most frequent ones."""
    found = Found.of(rows)
    lines = []
    for dataset, model in _varied(found, ""):
        fewer = {int(name): percent for name, percent in _percents(found, dataset, model).items() if name.isdigit()}
        told = ", ".join(f"{fewer[n]:.1f} with {n:,}" for n in sorted(fewer))
        lines.append((*_sides(found, dataset, model), told))
    return _table(
        "features",
        f"{ALL_FOUR} with fewer features",
        ("all features", "the paper's", "with the most frequent ones alone"),
        lines,
        "The same documents, split and settings, with the features alone that most training documents have.",
    )


def _varied(found: Found, kind: str) -> list[tuple[str, str]]:
    """Name the datasets and models of which there are variants: splits, or numbers of features."""
    there = [(*name.split("@"), model) for name, model, recipe in found.variants if recipe == ALL_FOUR]
    wanted = [
        (dataset, model)
        for dataset, variation, model in there
        if (variation.startswith(kind) if kind else variation.isdigit())
    ]
    return list(dict.fromkeys(wanted))


def _percents(found: Found, dataset: str, model: str) -> dict[str, float]:
    """Give the figure of every variation, by its name."""
    return {
        name.partition("@")[2]: 100 * mean(row.f1 for row in repeats)
        for (name, of_model, recipe), repeats in found.variants.items()
        if name.startswith(f"{dataset}@") and (of_model, recipe) == (model, ALL_FOUR)
    }


def _sides(found: Found, dataset: str, model: str) -> tuple[str, str, str, str]:
    ours = found.percent(dataset, model, ALL_FOUR)
    theirs = printed(TABLE_OF[model], counterpart(dataset) or "", model, ALL_FOUR)
    return dataset, model, "-" if ours is None else f"{ours:.1f}", theirs or "-"


def _table(name: str, title: str, columns: tuple[str, ...], lines: Sequence[tuple[str, ...]], text: str) -> Table:
    rows = tuple(tuple(map(Entry, line)) for line in lines)
    return Table(name, title, ("data", "model", *columns), rows, text, n_headings=2)
