"""The paper's Tables 1 to 5, with our number before the paper's: ``48.1 / 45.4`` is 48.1 here, 45.4 in the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from reproduction.paper import (
    ALL_FOUR,
    CBM_NON_EMPTY,
    CRF_RECIPES,
    PREDICTION_RECIPES,
    TRAINING_RECIPES,
    base_model,
    counterpart,
    domain,
    not_applicable,
    printed,
)
from reproduction.report.table import Entry, Table
from reproduction.run import CorpusRow, Results, Row, ScoreRow

__all__ = [
    "CRF_MODELS",
    "GFM_COLUMNS",
    "SIZES",
    "heading",
    "mean_and_deviation",
    "pair_recipe",
    "paper_tables",
    "remaining_percent",
    "table_1",
    "table_2",
    "table_3",
    "table_4",
    "table_5",
]

TRAINING_MODELS = ("BR", "LSF", "PCC", "CBM", CBM_NON_EMPTY, "CRF")
PREDICTION_MODELS = ("BR", "CRF", "PCC", "CBM", CBM_NON_EMPTY)
SIZE_MODELS = ("BR", "LSF", "CBM", "PCC", "CRF")
SIZES = ("features selected", "model size")
CRF_MODELS = ("CRF without pairs", "CRF")
GFM_COLUMNS = (WITHOUT_GFM, WITH_GFM) = ("without GFM", "with GFM")
WITHOUT_L1 = dict(zip(GFM_COLUMNS, CRF_RECIPES, strict=True))
"""The recipes of the paper's CRF; shown where both of our models have them."""
WITH_L1 = {WITHOUT_GFM: "L+E+S", WITH_GFM: ALL_FOUR}

UNAVAILABLE = "WISE and WIPO are not available, so they have no row."
SIDES = (
    "Each entry is ours / the paper's: F1 in percent, ± the standard deviation over repeats where a result depends on "
    "a seed."
)
MARKS = "Bold: our best in the row; *: our best for the dataset in this table."
LSF_REMARK = "LSF has no joint distribution to restrict to the support: S uses its own marginals, as in the paper."
CRF_REMARK = "CRF has L1 here but not in the paper, and always sums over the support, so its L+E is its L+E+S."
NON_EMPTY_REMARK = (
    f"{CBM_NON_EMPTY} never predicts the empty set, as in the program of the paper's authors: its row, not that of "
    "CBM, is to be compared with the paper where neither S nor G is used."
)
NOT_IN_PAPER = "not one of the paper's datasets"
NO_L1_IN_PAPER = "the paper's CRF has no L1, so its table leaves it out"
NO_SIZES_IN_PAPER = "the paper does not report the sizes of this model"
L1_HERE_ONLY = "with L1, where the paper's CRF has a squared penalty only"
NOT_RUN = "not run"


@dataclass(frozen=True)
class _Value:
    """The parts of an entry, before the best values are determined."""

    ours: float | None
    text: str
    paper: str | None
    note: str | None

    @property
    def rounded(self) -> float | None:
        """The value as shown, so that values which look equal are equal."""
        return None if self.ours is None else round(self.ours, 1)

    def entry(self, *, bold: bool = False, star: bool = False) -> Entry:
        paper = "-" if self.paper is None else self.paper
        if self.ours is None and paper == "-":
            return Entry("-", note=self.note)
        return Entry(f"{self.text}{'*' if star else ''} / {paper}", bold, self.note)


def paper_tables(rows: Iterable[Row]) -> tuple[Table, ...]:
    """Return the five tables."""
    rows = list(rows)
    return tuple(build(rows) for build in (table_1, table_2, table_3, table_4, table_5))


def table_1(rows: Iterable[Row]) -> Table:
    """Return the table of datasets."""
    results = Results.of(rows)
    lines = []
    for dataset in results.datasets:
        if (corpus := results.corpora.get(dataset)) is not None:
            theirs = counterpart(dataset)
            counts = [_count_entry(text, theirs, column) for column, text in _counts(corpus).items()]
            lines.append((Entry(heading(dataset)), Entry(domain(dataset)), *counts))
    return Table(
        "table_1",
        "Table 1: datasets",
        ("data", "domain", "labels", "label sets", "features", "instances", "cardinality", "inst/label"),
        tuple(lines),
        f"Each entry is ours / the paper's. {UNAVAILABLE} We count label sets and documents per label in the training "
        "part; the paper's documents per label count all parts (see its inconsistencies).",
        n_headings=2,
    )


def table_2(rows: Iterable[Row]) -> Table:
    """Return F1 by the regularization of training."""
    title = "Table 2: F1 with and without regularized training"
    return _recipe_table(
        Results.of(rows), 2, title, TRAINING_MODELS, TRAINING_RECIPES, f"{LSF_REMARK} {NON_EMPTY_REMARK}"
    )


def table_3(rows: Iterable[Row]) -> Table:
    """Return how much of each model L1 leaves."""
    results = Results.of(rows)
    lines = []
    for dataset in _datasets_with_scores(results):
        entries = [_size_entry(results, dataset, model, size) for model in SIZE_MODELS for size in SIZES]
        lines.append((Entry(heading(dataset)), *entries))
    return Table(
        "table_3",
        "Table 3: features selected and model size with L1, in percent of those without",
        ("data", *(f"{model} {size}" for model in SIZE_MODELS for size in ("features", "size"))),
        tuple(lines),
        "L+S+G relative to S+G. Each entry is ours / the paper's; features are those that any label uses, size is that "
        "of the saved model. CBM's gate has a squared penalty only and uses all features, so L1 removes none of them. "
        f"{UNAVAILABLE}",
    )


def table_4(rows: Iterable[Row]) -> Table:
    """Return F1 by the regularization of prediction."""
    title = "Table 4: F1 with and without regularized prediction"
    return _recipe_table(
        Results.of(rows), 4, title, PREDICTION_MODELS, PREDICTION_RECIPES, f"{CRF_REMARK} {NON_EMPTY_REMARK}"
    )


def table_5(rows: Iterable[Row]) -> Table:
    """Return F1 of a CRF with and without label pairs."""
    results = Results.of(rows)
    datasets = _datasets_with_scores(results)
    lines = []
    for model in CRF_MODELS:
        for column in GFM_COLUMNS:
            values = [_pair_value(results, dataset, model, column) for dataset in datasets]
            title = "CRF with pairs" if model == "CRF" else model
            lines.append((Entry(title), Entry(column), *(value.entry() for value in values)))
    return Table(
        "table_5",
        "Table 5: F1 of a CRF with and without label pairs",
        ("model", "prediction", *map(heading, datasets)),
        tuple(lines),
        f"{SIDES} {UNAVAILABLE.replace('row', 'column')}",
        n_headings=2,
    )


def pair_recipe(results: Results, dataset: str, column: str) -> str | None:
    """Return the recipe that compares CRFs with and without pairs, or None where none was run for both.

    It has a squared penalty, or L1 if the squared one is incomplete, so that both columns of a dataset have the same
    penalty where possible.
    """

    def was_run(recipe: str) -> bool:
        return all(results.repeats(dataset, model, recipe) for model in CRF_MODELS)

    penalties = sorted((WITHOUT_L1, WITH_L1), key=lambda penalty: not all(map(was_run, penalty.values())))
    return next((penalty[column] for penalty in penalties if was_run(penalty[column])), None)


def remaining_percent(results: Results, dataset: str, model: str, size: str) -> float | None:
    """Return the percentage of the features or bytes of a model that L1 leaves, or None where it was not run."""
    with_l1, without = (results.repeats(dataset, model, recipe) for recipe in ("L+S+G", "S+G"))
    if not with_l1 or not without:
        return None
    return 100 * mean(_size(row, size) for row in with_l1) / mean(_size(row, size) for row in without)


def _recipe_table(
    results: Results, number: int, title: str, models: Sequence[str], recipes: Sequence[str], remark: str
) -> Table:
    """Return a table with one row per dataset and model, and one column per recipe."""
    lines = []
    for dataset in _datasets_with_scores(results):
        grid = [[_recipe_value(results, number, dataset, model, recipe) for recipe in recipes] for model in models]
        best_of_dataset = _best(value for line in grid for value in line)
        for model, line in zip(models, grid, strict=True):
            best = _best(line)
            entries = (
                value.entry(bold=value.rounded == best is not None, star=value.rounded == best_of_dataset is not None)
                for value in line
            )
            lines.append((Entry(heading(dataset)), Entry(model), *entries))
    text = f"{SIDES} {MARKS} {remark} {UNAVAILABLE}"
    return Table(f"table_{number}", title, ("data", "model", *recipes), tuple(lines), text, n_headings=2)


def _recipe_value(results: Results, number: int, dataset: str, model: str, recipe: str) -> _Value:
    theirs = counterpart(dataset)
    base = base_model(model)
    is_own = base == model or not_applicable(model, recipe) is None
    paper = _printed(number, theirs, base, recipe) if is_own else None
    values = results.percents(dataset, model, recipe)
    if not values:
        return _Value(None, "-", paper, results.why_missing(dataset, model, recipe))
    return _Value(mean(values), mean_and_deviation(values), paper, _no_paper_note(paper, theirs, NO_L1_IN_PAPER))


def _pair_value(results: Results, dataset: str, model: str, column: str) -> _Value:
    theirs = counterpart(dataset)
    paper = _printed(5, theirs, model, column)
    recipe = pair_recipe(results, dataset, column)
    if recipe is None:
        return _Value(None, "-", paper, NOT_RUN)
    values = results.percents(dataset, model, recipe)
    note = L1_HERE_ONLY if recipe == WITH_L1[column] else None
    return _Value(mean(values), mean_and_deviation(values), paper, note if theirs else NOT_IN_PAPER)


def _size_entry(results: Results, dataset: str, model: str, size: str) -> Entry:
    theirs = counterpart(dataset)
    paper, ours = _printed(3, theirs, model, size), remaining_percent(results, dataset, model, size)
    if ours is None:
        return _Value(None, "-", paper, NOT_RUN).entry()
    return _Value(ours, f"{ours:.2f}", paper, _no_paper_note(paper, theirs, NO_SIZES_IN_PAPER)).entry()


def _counts(corpus: CorpusRow) -> dict[str, str]:
    return {
        "labels": f"{corpus.labels:,}",
        "label sets": f"{corpus.label_sets:,}",
        "features": f"{corpus.features:,}",
        "instances": f"{corpus.instances:,}",
        "cardinality": f"{corpus.cardinality:.2f}",
        "inst/label": f"{corpus.instances_per_label:,.0f}",
    }


def _count_entry(text: str, theirs: str | None, column: str) -> Entry:
    paper = _printed(1, theirs, "data", column)
    return Entry(f"{text} / {'-' if paper is None else paper}", note=_no_paper_note(paper, theirs, None))


def _no_paper_note(paper: str | None, theirs: str | None, otherwise: str | None) -> str | None:
    """Return why the paper has no number beside ours."""
    if paper not in (None, "-"):
        return None
    return NOT_IN_PAPER if theirs is None else otherwise


def mean_and_deviation(values: Sequence[float]) -> str:
    """Return the mean, and if there are several values their standard deviation."""
    deviation = f" ± {stdev(values):.1f}" if len(values) > 1 else ""
    return f"{mean(values):.1f}{deviation}"


def _best(values: Iterable[_Value]) -> float | None:
    return max((value.rounded for value in values if value.rounded is not None), default=None)


def _size(row: ScoreRow, size: str) -> int:
    return row.n_bytes if size == "model size" else row.n_features_used


def _printed(table: int, theirs: str | None, model: str, column: str) -> str | None:
    return None if theirs is None else printed(table, theirs, model, column)


def heading(dataset: str) -> str:
    """Return the name of a dataset, with the paper's name for it where it has one."""
    theirs = counterpart(dataset)
    return dataset if theirs is None else f"{dataset} ({theirs})"


def _datasets_with_scores(results: Results) -> tuple[str, ...]:
    with_scores = {dataset for dataset, _, _ in results.scores}
    return tuple(dataset for dataset in results.datasets if dataset in with_scores)
