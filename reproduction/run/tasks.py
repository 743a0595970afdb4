"""One task of a run: what it computes, and roughly how long that takes."""

from __future__ import annotations

import time
from collections.abc import Iterator

from reproduction.paper import CBM_NON_EMPTY, prediction_recipe
from reproduction.plan import HEAT_MAP_MODEL, HEAT_MAP_RECIPE, Task, build_model
from reproduction.run.corpora import Documents, Parts
from reproduction.run.model_task import ModelTask
from reproduction.run.network_task import NetworkTask
from reproduction.run.predictor_task import PredictorTask
from reproduction.run.rows import CorpusRow, HeatMapRow, Row
from reproduction.run.run_config import RunConfig, StepCallback, versions
from setwise.learners import FeatureColumns, critical_strength, strength_grid

__all__ = ["compute_rows", "relative_cost"]

_MODEL_COSTS = {
    "BR": 1.0,
    "PCC": 1.5,
    "CRF": 2.0,
    "CRF without pairs": 1.5,
    "LSF": 3.0,
    "CBM": 6.0,
    "MLP": 1.0,
    "SPEN": 2.0,
}
"""Training time relative to BR, measured on bibtex."""
_KIND_COSTS = {"heat": 1.0, "predictors": 3.0}
_NO_SEARCH = 0.2
"""Share of a task's time that is left where its settings are those of stored rows."""


def compute_rows(task: Task, config: RunConfig, report: StepCallback = lambda n_done, n_steps: None) -> Iterator[Row]:
    """Yield the rows of a task, each as soon as it is computed."""
    documents = Documents(Parts(task.dataset, config.data))
    match task.kind:
        case "corpus":
            yield _corpus_row(documents)
        case "heat":
            yield _heat_map_row(documents, config, report)
        case "networks":
            yield from NetworkTask(task, config, report).rows()
        case "predictors":
            yield from PredictorTask(task, config, report).rows()
        case _:
            yield from ModelTask(task, config, report).rows()


def relative_cost(task: Task, config: RunConfig) -> float:
    """Estimate how long a task takes, relative to others, from its documents, its labels and its model."""
    if task.kind == "corpus":
        return 1.0
    n_bytes, n_labels = Parts(task.dataset, config.data).size()
    model_cost = _MODEL_COSTS.get(task.model) or _KIND_COSTS[task.kind]
    model_cost *= 2.0 if task.l1 else 1.0
    if all(key[2:3] == (CBM_NON_EMPTY,) for key in task.keys):
        model_cost *= _NO_SEARCH
    return 1.0 + model_cost * n_bytes * n_labels / 1e6


def _corpus_row(documents: Documents) -> CorpusRow:
    """Count labels, sets, features and documents, as in the paper's Table 1."""
    y, (_, y_test) = documents.y, documents.test
    n_documents = y.n_samples + y_test.n_samples
    training_sets = set(map(tuple, y.name_lists()))
    return CorpusRow(
        documents.corpus.name,
        labels=y.n_labels,
        label_sets=len(training_sets),
        features=documents.train.X.shape[1],
        instances=n_documents,
        cardinality=(y.indicator.nnz + y_test.indicator.nnz) / n_documents,
        instances_per_label=y.indicator.nnz / y.n_labels,
        n_train=y.n_samples,
        n_test=y_test.n_samples,
        unseen=sum(tuple(labels) not in training_sets for labels in y_test.name_lists()),
    )


def _heat_map_row(documents: Documents, config: RunConfig, report: StepCallback) -> HeatMapRow:
    """Train one path of strengths per L1 ratio on all training documents, and test every setting."""
    started = time.perf_counter()
    X, y = FeatureColumns.of(documents.train.X), documents.y
    recipe, grid = prediction_recipe(HEAT_MAP_MODEL, HEAT_MAP_RECIPE), config.effort.heat_map
    paths = grid.paths(critical_strength(X, y, config.n_jobs), grid.l1_ratios)
    f1: list[list[float]] = []
    for path in paths:
        model = build_model(HEAT_MAP_MODEL, n_jobs=config.n_jobs).set_params(**path.parameters)
        f1.append([])
        for fitted in model.fit_path(X, y, path.strengths):
            f1[-1].append(float(documents.test_f1(recipe, fitted).mean()))
            report(sum(map(len, f1)), len(paths) * grid.n_strengths)
    return HeatMapRow(
        documents.corpus.name,
        HEAT_MAP_MODEL,
        HEAT_MAP_RECIPE,
        config.random_state,
        list(grid.l1_ratios),
        [list(path.strengths) for path in paths],
        strength_grid(*grid.without_l1, grid.n_strengths).tolist(),
        f1,
        round(time.perf_counter() - started, 2),
        versions(),
    )
