"""The table of predictors for F1 over all datasets."""

from __future__ import annotations

from collections.abc import Iterable

from reproduction.plan import (
    FULL,
    PARAMETERS,
    PREDICTOR_MODELS,
    PREDICTORS,
    SLOW_PREDICTOR_MODELS,
    Predictor,
    why_unavailable,
)
from reproduction.report.paper_tables import NOT_RUN
from reproduction.report.table import Entry, Table
from reproduction.run import FEW_DOCUMENTS, N_FOLDS, Results, Row

__all__ = ["predictors_table"]


def predictors_table(rows: Iterable[Row]) -> Table:
    """Return one row per predictor and one column per dataset, with the best of each dataset in bold."""
    results = Results.of(rows)
    with_predictors = {dataset for dataset, model, _ in results.others if model in PREDICTOR_MODELS}
    datasets = [dataset for dataset in results.datasets if dataset in with_predictors]
    percents = {
        (dataset, one.name): percent
        for dataset in datasets
        for one in PREDICTORS
        if (percent := results.percent(dataset, one.model, one.name)) is not None
    }
    best = {
        dataset: max(round(value, 1) for (name, _), value in percents.items() if name == dataset)
        for dataset in datasets
    }
    lines = [
        (
            Entry(one.title),
            Entry(one.source),
            *(_entry(results, dataset, one, percents.get((dataset, one.name)), best[dataset]) for dataset in datasets),
        )
        for one in PREDICTORS
    ]
    return Table("predictors", "Predictors for F1", ("predictor", "by", *datasets), tuple(lines), _text(), n_headings=2)


def _entry(results: Results, dataset: str, predictor: Predictor, percent: float | None, best: float) -> Entry:
    if percent is None:
        return Entry("-", note=why_unavailable(predictor.model, dataset) or NOT_RUN)
    return Entry(f"{percent:.1f}", bold=round(percent, 1) == best, note=_limit_note(results, dataset, predictor))


def _limit_note(results: Results, dataset: str, predictor: Predictor) -> str | None:
    """Return how many training documents a slow model got, where there are more."""
    limit = FULL.predictors.max_training_documents_if_slow
    corpus = results.corpora.get(dataset)
    if predictor.model not in SLOW_PREDICTOR_MODELS or corpus is None or corpus.n_train <= limit:
        return None
    return f"trained on {limit:,} of the training documents"


def _text() -> str:
    effort = FULL.predictors
    n_shared = sum(one.model == PREDICTOR_MODELS[0] for one in PREDICTORS)
    return (
        "Instance F1 on the test documents, in percent; bold: the best of the dataset. Each model has one setting, "
        "chosen from the smallest grid that setwise has for it by the mean F1 of its predictors on held-out training "
        f"documents (a fifth of at most {effort.max_tuning_documents:,}, or {N_FOLDS} folds where there are fewer than "
        f"{FEW_DOCUMENTS:,}), which thresholds and calibrations are tuned on too. So the first {n_shared} rows differ "
        "in the prediction alone, not in the weights. The grids are smaller than those of the other tables, and there "
        "is no early stopping of linear models: numbers of BR differ from those above. For independent labels the set "
        "of the best expected F1 consists of the most probable labels, so the threshold per document that Quevedo et "
        "al. find for F1 is the exact predictor of Nan et al.; their threshold for the Jaccard index has a row of its "
        "own. The ensemble pools those models of the table that have probabilities of sets, with weights of the "
        "highest likelihood on held-out documents. RAkEL has two sets of three labels per label; its multinomials are "
        f"stopped after {PARAMETERS['rakel']['max_iter']} Newton iterations to bound their time, which may cost a few "
        "points."
    )
