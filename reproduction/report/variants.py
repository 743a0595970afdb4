"""The same recipe on variants of a corpus: how much a result depends on the split and on the features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, stdev

from reproduction.paper import ALL_FOUR
from reproduction.report.shortfall import printed_all_four
from reproduction.report.table import Table, text_rows
from reproduction.run import Results, Row

__all__ = ["features_table", "splits_table"]


def splits_table(rows: Iterable[Row]) -> Table:
    """Compare the stored split with random splits of the same documents."""
    results = Results.of(rows)
    lines = []
    for dataset, model in _with_variants(results, "split"):
        percents = [value for variant, value in _percents(results, dataset, model).items() if _is(variant, "split")]
        deviation = f" ± {stdev(percents):.1f}" if len(percents) > 1 else ""
        lines.append(
            (
                *_headings(results, dataset, model),
                f"{mean(percents):.1f}{deviation}",
                f"{min(percents):.1f} to {max(percents):.1f}",
                str(len(percents)),
            )
        )
    return _table(
        "splits",
        f"{ALL_FOUR} on other splits of the same documents",
        ("the stored split", "the paper's", "other splits", "lowest to highest", "splits"),
        lines,
        "Each split draws other test documents, as many as the stored split has. The settings are those of the stored "
        "split, whose training part contains some of these test documents; they are only two or three numbers. ± is "
        "the standard deviation over splits.",
    )


def features_table(rows: Iterable[Row]) -> Table:
    """Compare all features with the most frequent ones."""
    results = Results.of(rows)
    lines = []
    for dataset, model in _with_variants(results, "features"):
        percents = _percents(results, dataset, model)
        by_number = {int(variant): value for variant, value in percents.items() if _is(variant, "features")}
        listed = ", ".join(f"{by_number[n]:.1f} with {n:,}" for n in sorted(by_number))
        lines.append((*_headings(results, dataset, model), listed))
    return _table(
        "features",
        f"{ALL_FOUR} with fewer features",
        ("all features", "the paper's", "only the most frequent features"),
        lines,
        "The same documents, split and settings, with only the features that occur in most training documents.",
    )


def _is(variant: str, kind: str) -> bool:
    return variant.startswith("split") if kind == "split" else variant.isdigit()


def _with_variants(results: Results, kind: str) -> list[tuple[str, str]]:
    """Return the datasets and models with variants of a kind."""
    rows = [(*name.split("@"), model) for name, model, recipe in results.variants if recipe == ALL_FOUR]
    return list(dict.fromkeys((dataset, model) for dataset, variant, model in rows if _is(variant, kind)))


def _percents(results: Results, dataset: str, model: str) -> dict[str, float]:
    """Return the F1 of every variant of a dataset, in percent."""
    return {
        name.partition("@")[2]: 100 * mean(row.f1 for row in repeats)
        for (name, of_model, recipe), repeats in results.variants.items()
        if name.startswith(f"{dataset}@") and (of_model, recipe) == (model, ALL_FOUR)
    }


def _headings(results: Results, dataset: str, model: str) -> tuple[str, str, str, str]:
    ours = results.percent(dataset, model, ALL_FOUR)
    return dataset, model, "-" if ours is None else f"{ours:.1f}", printed_all_four(dataset, model) or "-"


def _table(name: str, title: str, columns: tuple[str, ...], lines: Sequence[tuple[str, ...]], text: str) -> Table:
    return Table(name, title, ("data", "model", *columns), text_rows(lines), text, n_headings=2)
