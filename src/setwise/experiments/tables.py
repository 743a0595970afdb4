"""The paper's tables with our figures before its own: ``48.1 / 45.4`` is 48.1 here and 45.4 there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from setwise.experiments.paper import counterpart, domain, paper_datasets, printed
from setwise.experiments.recipes import ALL_FOUR, CRF_RECIPES, PREDICTION_RECIPES, TRAINING_RECIPES
from setwise.experiments.results import Found
from setwise.experiments.rows import Corpus, Row, Score
from setwise.reports.table import Entry, Table

__all__ = [
    "CRF_MODELS",
    "GFM_COLUMNS",
    "SIZES",
    "pair_recipe",
    "shrunk",
    "table_1",
    "table_2",
    "table_3",
    "table_4",
    "table_5",
    "table_6",
    "tables",
]

TRAINING_MODELS = ("BR", "LSF", "PCC", "CBM", "CRF")
PREDICTION_MODELS = ("BR", "CRF", "PCC", "CBM")
SIZE_MODELS = ("BR", "LSF", "CBM", "PCC", "CRF")
SIZES = ("features selected", "model size")
CRF_MODELS = ("CRF without pairs", "CRF")
GFM_COLUMNS = (WITHOUT_GFM, WITH_GFM) = ("without GFM", "with GFM")
SQUARES_ALONE = dict(zip(GFM_COLUMNS, CRF_RECIPES, strict=True))
"""What the paper's CRF has; shown where both of ours have it."""
WITH_L1 = {WITHOUT_GFM: "L+E+S", WITH_GFM: ALL_FOUR}

ABSENT = "WISE and WIPO could not be had, so they have no row."
SIDES = (
    "Each entry is ours / the paper's; F1 in per cent, ± the standard deviation over repeats where something is random."
)
MARKS = "Bold: the best of ours in its row; *: the best of ours for the dataset in this table."
LSF_REMARK = "LSF has no joint to restrict to the support: its own marginals stand under S, here as there."
CRF_REMARK = "CRF: with L1 here, without it there, and always over the support, so that its L+E is its L+E+S."
NOT_THEIRS = "not one of the paper's datasets"
NO_L1_THERE = "the paper's CRF has no L1, so its table leaves it out"
NO_SIZES_THERE = "the paper does not tell the sizes of this model"
WITH_L1_HERE = "with L1, where the paper's has squares alone"


@dataclass(frozen=True)
class _Figure:
    """What a place of a table is made of, before it is known which are best."""

    ours: float | None
    text: str
    paper: str | None
    note: str | None

    @property
    def shown(self) -> float | None:
        """As the reader sees it: equal to the last digit is equal."""
        return None if self.ours is None else round(self.ours, 1)

    def entry(self, *, bold: bool = False, star: bool = False) -> Entry:
        paper = "-" if self.paper is None else self.paper
        if self.ours is None and paper == "-":
            return Entry("-", note=self.note)
        return Entry(f"{self.text}{'*' if star else ''} / {paper}", bold, self.note)


def tables(rows: Iterable[Row]) -> tuple[Table, ...]:
    """All six."""
    rows = list(rows)
    return tuple(make(rows) for make in (table_1, table_2, table_3, table_4, table_5, table_6))


def table_1(rows: Iterable[Row]) -> Table:
    """Datasets."""
    found = Found.of(rows)
    lines = []
    for dataset in found.datasets:
        if (corpus := found.corpora.get(dataset)) is not None:
            theirs = counterpart(dataset)
            there = {name: _printed(1, theirs, "data", name) for name in _facts(corpus)}
            facts = [_beside(text, there[name], theirs) for name, text in _facts(corpus).items()]
            lines.append((Entry(_named(dataset)), Entry(domain(dataset)), *facts))
    return Table(
        "table_1",
        "Table 1: datasets",
        ("data", "domain", "labels", "label sets", "features", "instances", "cardinality", "inst/label"),
        tuple(lines),
        f"Each entry is ours / the paper's. {ABSENT} Ours counts label sets and documents a label in the training "
        "part; the paper's documents a label are of all parts (see its slips).",
        n_headings=2,
    )


def table_2(rows: Iterable[Row]) -> Table:
    """F1 by what regularises training."""
    title = "Table 2: F1 with and without regularised training"
    return _recipes(Found.of(rows), 2, title, TRAINING_MODELS, TRAINING_RECIPES, LSF_REMARK)


def table_3(rows: Iterable[Row]) -> Table:
    """What L1 leaves."""
    found = Found.of(rows)
    lines = []
    for dataset in _with_scores(found):
        entries = [_size_entry(found, dataset, model, size) for model in SIZE_MODELS for size in SIZES]
        lines.append((Entry(_named(dataset)), *entries))
    return Table(
        "table_3",
        "Table 3: features selected and model size with L1, in per cent of those without",
        ("data", *(f"{model} {size}" for model in SIZE_MODELS for size in ("features", "size"))),
        tuple(lines),
        f"L+S+G against S+G. Each entry is ours / the paper's; features are those that any label uses, size is that "
        f"of the saved model. CBM's gate has squares alone and reads all features, so that L1 leaves them. {ABSENT}",
    )


def table_4(rows: Iterable[Row]) -> Table:
    """F1 by what regularises prediction."""
    title = "Table 4: F1 with and without regularised prediction"
    return _recipes(Found.of(rows), 4, title, PREDICTION_MODELS, PREDICTION_RECIPES, CRF_REMARK)


def table_5(rows: Iterable[Row]) -> Table:
    """F1 of a CRF with and without pairs."""
    found = Found.of(rows)
    datasets = _with_scores(found)
    lines = []
    for model in CRF_MODELS:
        for column in GFM_COLUMNS:
            figures = [_pair_figure(found, dataset, model, column) for dataset in datasets]
            title = "CRF with pairs" if model == "CRF" else model
            lines.append((Entry(title), Entry(column), *(figure.entry() for figure in figures)))
    return Table(
        "table_5",
        "Table 5: F1 of a CRF with and without pairs of labels",
        ("model", "prediction", *map(_named, datasets)),
        tuple(lines),
        f"{SIDES} {ABSENT.replace('row', 'column')}",
        n_headings=2,
    )


def table_6(rows: Iterable[Row]) -> Table:
    """The paper's SPEN and CBM, and our CBM."""
    found = Found.of(rows)
    lines = []
    for dataset in _with_scores(found):
        theirs = counterpart(dataset)
        if theirs in paper_datasets(6):
            ours = _figure(found, 4, dataset, "CBM", ALL_FOUR)
            spen, cbm = (_printed(6, theirs, model, "F1") or "-" for model in ("SPEN", "CBM"))
            lines.append((Entry(_named(dataset)), Entry(spen), Entry(cbm), Entry(ours.text, note=ours.note)))
    return Table(
        "table_6",
        "Table 6: F1 of a structured prediction energy network (SPEN) and of CBM",
        ("data", "SPEN, the paper's", "CBM, the paper's", f"CBM {ALL_FOUR}, ours"),
        tuple(lines),
        "The paper has five datasets here; SPEN was not run by us, and the paper says that it tuned it less than the "
        "other models. WIPO could not be had, so it has no row.",
    )


def pair_recipe(found: Found, dataset: str, column: str) -> str | None:
    """Name the recipe by which CRFs with and without pairs are compared; None where none was run for both.

    Squares alone, or L1 if these are not complete, so that both columns of a dataset are of one kind where they can be.
    """

    def ran(recipe: str) -> bool:
        return all(found.repeats(dataset, model, recipe) for model in CRF_MODELS)

    kinds = sorted((SQUARES_ALONE, WITH_L1), key=lambda kind: not all(map(ran, kind.values())))
    return next((kind[column] for kind in kinds if ran(kind[column])), None)


def shrunk(found: Found, dataset: str, model: str, size: str) -> float | None:
    """Give what L1 leaves of the features used or of the bytes, in per cent; None where it was not run."""
    with_l1, without = (found.repeats(dataset, model, recipe) for recipe in ("L+S+G", "S+G"))
    if not with_l1 or not without:
        return None
    return 100 * mean(_size(row, size) for row in with_l1) / mean(_size(row, size) for row in without)


def _recipes(
    found: Found, number: int, title: str, models: Sequence[str], recipes: Sequence[str], remark: str
) -> Table:
    """Lay out a table of datasets and models by recipes."""
    lines = []
    for dataset in _with_scores(found):
        grid = [[_figure(found, number, dataset, model, recipe) for recipe in recipes] for model in models]
        star = _best(figure for line in grid for figure in line)
        for model, line in zip(models, grid, strict=True):
            best = _best(line)
            entries = (
                figure.entry(bold=figure.shown == best is not None, star=figure.shown == star is not None)
                for figure in line
            )
            lines.append((Entry(_named(dataset)), Entry(model), *entries))
    text = f"{SIDES} {MARKS} {remark} {ABSENT}"
    return Table(f"table_{number}", title, ("data", "model", *recipes), tuple(lines), text, n_headings=2)


def _figure(found: Found, number: int, dataset: str, model: str, recipe: str) -> _Figure:
    theirs = counterpart(dataset)
    paper = _printed(number, theirs, model, recipe)
    values = found.percents(dataset, model, recipe)
    why = found.why_not(dataset, model, recipe)
    if not values:
        return _Figure(None, "-", paper, why)
    return _Figure(mean(values), _with_spread(values), paper, _no_paper(paper, theirs, NO_L1_THERE))


def _pair_figure(found: Found, dataset: str, model: str, column: str) -> _Figure:
    theirs = counterpart(dataset)
    paper = _printed(5, theirs, model, column)
    recipe = pair_recipe(found, dataset, column)
    if recipe is None:
        return _Figure(None, "-", paper, "not run")
    values = found.percents(dataset, model, recipe)
    note = WITH_L1_HERE if recipe == WITH_L1[column] else None
    return _Figure(mean(values), _with_spread(values), paper, note if theirs else NOT_THEIRS)


def _size_entry(found: Found, dataset: str, model: str, size: str) -> Entry:
    theirs = counterpart(dataset)
    paper, ours = _printed(3, theirs, model, size), shrunk(found, dataset, model, size)
    if ours is None:
        return _Figure(None, "-", paper, "not run").entry()
    return _Figure(ours, f"{ours:.2f}", paper, _no_paper(paper, theirs, NO_SIZES_THERE)).entry()


def _facts(corpus: Corpus) -> dict[str, str]:
    return {
        "labels": f"{corpus.labels:,}",
        "label sets": f"{corpus.label_sets:,}",
        "features": f"{corpus.features:,}",
        "instances": f"{corpus.instances:,}",
        "cardinality": f"{corpus.cardinality:.2f}",
        "inst/label": f"{corpus.instances_per_label:,.0f}",
    }


def _beside(text: str, paper: str | None, theirs: str | None) -> Entry:
    return Entry(f"{text} / {'-' if paper is None else paper}", note=_no_paper(paper, theirs, None))


def _no_paper(paper: str | None, theirs: str | None, otherwise: str | None) -> str | None:
    """Say why the paper has no figure beside ours."""
    if paper not in (None, "-"):
        return None
    return NOT_THEIRS if theirs is None else otherwise


def _with_spread(values: Sequence[float]) -> str:
    spread = f" ± {stdev(values):.1f}" if len(values) > 1 else ""
    return f"{mean(values):.1f}{spread}"


def _best(figures: Iterable[_Figure]) -> float | None:
    return max((figure.shown for figure in figures if figure.shown is not None), default=None)


def _size(row: Score, size: str) -> int:
    return row.n_bytes if size == "model size" else row.n_features_used


def _printed(table: int, theirs: str | None, model: str, column: str) -> str | None:
    return None if theirs is None else printed(table, theirs, model, column)


def _named(dataset: str) -> str:
    theirs = counterpart(dataset)
    return dataset if theirs is None else f"{dataset} ({theirs})"


def _with_scores(found: Found) -> tuple[str, ...]:
    there = {dataset for dataset, _, _ in found.scores}
    return tuple(dataset for dataset in found.datasets if dataset in there)
