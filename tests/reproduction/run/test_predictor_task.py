"""Predictors for F1: one setting and one fit per model, whose predictors differ in the recipe alone."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from reproduction.plan import ENSEMBLE, PREDICTORS, Task, build_predictor_model, plan_tasks
from reproduction.run import Parts, Row, ScoreRow, compute_rows
from setwise.exceptions import NotConverged
from setwise.labels import LabelMatrix, Support
from setwise.metrics import instance_f1
from setwise.models import MODELS
from tests.reproduction.tiny import TINY, tiny_config, write_corpus


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("predictors")
    write_corpus(folder / "data")
    return folder


@pytest.fixture(scope="module")
def task() -> Task:
    (task,) = plan_tasks(["tiny"], ["BR"], ["predictors"], TINY)
    return task


def computed(task: Task, folder: Path) -> list[Row]:
    """Compute the rows as a run does, which compares settings as they are, converged or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return list(compute_rows(task, tiny_config(folder)))


@pytest.fixture(scope="module")
def rows(folder: Path, task: Task) -> dict[str, ScoreRow]:
    found = computed(task, folder)
    assert [row.key for row in found] == sorted(task.keys, key=task.keys.index)
    return {row.recipe: row for row in found if isinstance(row, ScoreRow)}


def test_predictors_of_a_model_share_its_setting(rows: dict[str, ScoreRow]) -> None:
    for model in {one.model for one in PREDICTORS if one.model in MODELS}:
        assert len({repr(rows[one.name].settings) for one in PREDICTORS if one.model == model}) == 1


@pytest.mark.parametrize("name", ["half", "jaccard", "exact", "support", "lsr", "costs"])
def test_a_row_is_what_its_setting_gives_a_user(rows: dict[str, ScoreRow], folder: Path, name: str) -> None:
    predictor = next(one for one in PREDICTORS if one.name == name)
    train = Parts("tiny", folder / "data").train()
    test = Parts("tiny", folder / "data").test(train)
    y, truth = LabelMatrix.of(train.y), LabelMatrix.of(test.y)
    model = build_predictor_model(predictor.model).set_params(**rows[name].settings).fit(train.X, y)
    sets = predictor.recipe.decide(model.posterior(test.X), Support.of(y), with_value=False).sets
    assert rows[name].f1 == instance_f1(truth, truth.with_indicator(sets))


def test_the_weights_of_the_ensemble_are_those_of_its_members(rows: dict[str, ScoreRow]) -> None:
    weights = rows[ENSEMBLE].settings
    assert set(weights) <= {entry.model.__name__ for entry in MODELS.values() if "log_prob" in entry.model.abilities}
    assert sum(weights.values()) == pytest.approx(1.0, abs=1e-3)


def test_a_run_that_continues_with_the_ensemble_gives_the_same_row(
    rows: dict[str, ScoreRow], folder: Path, task: Task
) -> None:
    (again,) = computed(replace(task, keys=task.keys[-1:]), folder)
    assert isinstance(again, ScoreRow)
    assert (again.f1, again.settings) == (rows[ENSEMBLE].f1, rows[ENSEMBLE].settings)
