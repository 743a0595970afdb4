"""One task: settings are chosen on training documents only, and then tested."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reproduction.paper import CBM_NON_EMPTY, MODELS, Regularizers, prediction_recipe
from reproduction.plan import SLOW_MODELS, TABLES, Task, build_model, plan_tasks
from reproduction.run import (
    CorpusRow,
    HeatMapRow,
    Part,
    Parts,
    ScoreRow,
    compute_rows,
    derived_seed,
    model_task,
    open_rows,
    relative_cost,
    row_to_json,
)
from setwise.data import random_hold_out
from setwise.labels import LabelMatrix, Support
from setwise.metrics import instance_f1
from setwise.models import LabelModel, fit_for
from setwise.prediction import Recipe
from setwise.tuning import fit_tasks, search
from tests.reproduction.tiny import TINY, tiny_config, write_corpus


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "data")
    return tmp_path


def tasks(kind: str, model: str = "", tables: tuple[str, ...] = tuple(TABLES)) -> list[Task]:
    planned = plan_tasks(["tiny"], [model] if model else list(MODELS), list(tables), TINY)
    return [task for task in planned if task.kind == kind]


def score_rows(task: Task, folder: Path) -> list[ScoreRow]:
    rows = list(compute_rows(task, tiny_config(folder)))
    return [row for row in rows if isinstance(row, ScoreRow)]


def f1_on_test(recipe: Recipe, model: LabelModel, train: LabelMatrix, test: Part) -> float:
    """Return the F1 on test documents, as a user would compute it."""
    truth = LabelMatrix.of(test.y)
    return instance_f1(truth, truth.with_indicator(recipe.decide(model.posterior(test.X), Support.of(train)).sets))


@pytest.mark.parametrize("model", MODELS)
def test_a_row_is_what_its_settings_give_a_user(folder: Path, model: str) -> None:
    config = tiny_config(folder)
    train = Parts("tiny", config.data).train()
    test = Parts("tiny", config.data).test(train)
    y = LabelMatrix.of(train.y)
    if model in SLOW_MODELS:  # trained on 110 of the 120
        _, some = random_hold_out(y.n_samples, 110 / 120, derived_seed(config.random_state, "tiny"))
        train, y = Part(train.X[some], train.y[some]), y.take(some)
    for task in tasks("model", model):
        rows = score_rows(task, folder)
        assert sorted(row.key for row in rows) == sorted(task.keys)
        for row in rows:
            assert (row.settings["l1_ratio"] > 0) == Regularizers.of(row.recipe).l1
            assert (row.iterations is not None) == Regularizers.of(row.recipe).early
            seed = row.seed if model == "CBM" else 0
            fitted = fit_for(build_model(model, seed).set_params(**row.settings), train.X, y, row.iterations)
            recipe = prediction_recipe(row.model, row.recipe, random_state=row.seed)
            assert row.f1 == f1_on_test(recipe, fitted, y, test) == row.by_document.mean()
            assert row.peak_mb > 1
            assert row.versions.keys() >= {"setwise", "python", "numpy"}


def test_the_best_of_the_tried_settings_is_chosen(folder: Path) -> None:
    (task, _) = tasks("model", "BR")
    rows = {row.recipe: row for row in score_rows(task, folder)}
    checkpoint = tiny_config(folder).trials / "tiny-BR.jsonl"
    trials = [json.loads(line) for line in checkpoint.read_text().splitlines()[1:]]
    assert len({trial["strength"] for trial in trials}) == TINY.learners.n_strengths
    values = {name: [trial["value"] for trial in trials if trial["recipe"] == name] for name in ("S+G", "No REG")}
    assert rows["S+G"].validation_f1 == pytest.approx(max(values["S+G"]))
    assert rows["No REG"].validation_f1 == pytest.approx(max(values["No REG"]))
    assert rows["E+S+G"].validation_f1 >= rows["S+G"].validation_f1


def test_recipes_with_the_same_choice_share_one_training(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainings = []

    def counted(*arguments: Any) -> Any:
        trainings.append(arguments)
        return fit_for(*arguments)

    monkeypatch.setattr(model_task, "fit_for", counted)
    (_, with_l1) = tasks("model", "BR")
    rows = score_rows(with_l1, folder)
    assert len(trainings) == len({repr((row.settings, row.iterations)) for row in rows}) < len(rows)


def test_settings_are_not_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (task, _) = tasks("model", "BR")
    first = score_rows(task, folder)
    monkeypatch.setattr(fit_tasks, "learning_curve", lambda *_: pytest.fail("tried again"))
    some = replace(task, keys=task.keys[1:])
    again = score_rows(some, folder)
    assert [without_cost(row) for row in again] == [without_cost(row) for row in first if row.key in some.keys]


def without_cost(row: ScoreRow) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if name not in ("seconds", "peak_mb")}


def test_test_documents_are_read_once_everything_is_chosen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    read = Parts.test

    def read_test(self: Parts, train: Part) -> Part:
        events.append("test")
        return read(self, train)

    def search_settings(*arguments: Any, **named: Any) -> Any:
        trials = search(*arguments, **named)
        events.append("search")
        return trials

    monkeypatch.setattr(Parts, "test", read_test)
    monkeypatch.setattr(model_task, "search", search_settings)
    (task, _) = tasks("model", "BR")
    score_rows(task, folder)
    assert events == ["search", "test"]


def test_no_setting_depends_on_test_documents(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    write_corpus(other / "data", n_train=160, n_test=1)  # the training part of the first corpus replaces this one
    target = other / "data" / "tiny"
    (target / "train.svm.gz").write_bytes((folder / "data" / "tiny" / "train.svm.gz").read_bytes())
    (task, _) = tasks("model", "BR")
    choices = [
        [(row.settings, row.iterations, row.validation_f1) for row in score_rows(task, where)]
        for where in (folder, other)
    ]
    assert choices[0] == choices[1]


def test_variants_use_the_settings_of_their_corpus(folder: Path) -> None:
    names = ["tiny", "tiny@split1", "tiny@5"]
    keys = tuple(("score", name, "BR", "All4", 0) for name in names)
    rows = {row.dataset: row for row in score_rows(Task("model", "tiny", "BR", True, keys), folder)}
    assert list(rows) == sorted(names)
    assert len({repr((row.settings, row.iterations, row.validation_f1)) for row in rows.values()}) == 1
    for name, row in rows.items():
        train = Parts(name, folder / "data").train()
        y = LabelMatrix.of(train.y)
        fitted = fit_for(build_model("BR").set_params(**row.settings), train.X, y, row.iterations)
        test = Parts(name, folder / "data").test(train)
        assert row.f1 == f1_on_test(prediction_recipe("BR", "All4"), fitted, y, test)


def test_every_repeat_has_its_own_seed(folder: Path) -> None:
    rows = [row for task in tasks("model", "CBM", ("4",)) for row in score_rows(task, folder)]
    seeds = {(row.repeat, row.seed) for row in rows}
    assert len(seeds) == TINY.n_repeats
    assert len({seed for _, seed in seeds}) == TINY.n_repeats


def test_a_corpus_is_counted_as_in_table_1(folder: Path) -> None:
    (task,) = tasks("corpus")
    (row,) = compute_rows(task, tiny_config(folder))
    assert isinstance(row, CorpusRow)
    train = Parts("tiny", folder / "data").train()
    sets = {tuple(np.flatnonzero(line)) for line in train.y.toarray()}
    assert (row.labels, row.features, row.instances, row.n_train, row.n_test) == (5, 12, 160, 120, 40)
    assert row.label_sets == len(sets)
    assert row.instances_per_label == pytest.approx(train.y.sum() / 5)


def test_a_heat_map_has_one_training_per_cell(folder: Path) -> None:
    (task,) = tasks("heat")
    steps: list[tuple[int, int]] = []
    (row,) = compute_rows(task, tiny_config(folder), lambda n_done, n_steps: steps.append((n_done, n_steps)))
    assert isinstance(row, HeatMapRow)
    assert steps == [(n_done, 6) for n_done in range(1, 7)]
    assert row.shares == pytest.approx([1e-1, 1e-2, 1e-3])
    train = Parts("tiny", folder / "data").train()
    test = Parts("tiny", folder / "data").test(train)
    y = LabelMatrix.of(train.y)
    for ratio, strengths, values in zip(row.l1_ratios, row.strengths, row.f1, strict=True):
        for strength, value in zip(strengths, values, strict=True):
            model = build_model("BR").set_params(strength=strength, l1_ratio=ratio, tol=1e-9).fit(train.X, y)
            assert value == pytest.approx(f1_on_test(prediction_recipe("BR", "S+G"), model, y, test), abs=0.02)


def test_longer_tasks_cost_more(folder: Path) -> None:
    config = tiny_config(folder)
    br, cbm = Task("model", "tiny", "BR"), Task("model", "tiny", "CBM", True)
    assert relative_cost(Task("corpus", "tiny"), config) < relative_cost(br, config) < relative_cost(cbm, config)
    assert relative_cost(replace(br, l1=True), config) > relative_cost(br, config)


def test_cbm_without_the_empty_set_uses_the_settings_of_stored_rows(folder: Path) -> None:
    config = replace(tiny_config(folder), rows=folder / "rows")
    for task in tasks("model", "CBM"):
        whole = {row.key: row for row in score_rows(task, folder)}
        with open_rows(folder / "rows", "tiny", config) as store:
            for row in whole.values():
                if row.model == "CBM":
                    store.add(row_to_json(row))
        trials = folder / "trials" / f"{task.name.replace(' ', '-')}.jsonl"
        trials.unlink()
        missing = tuple(key for key in task.keys if key[2] == CBM_NON_EMPTY)
        rows = [row for row in compute_rows(replace(task, keys=missing), config) if isinstance(row, ScoreRow)]
        assert not trials.exists()  # nothing was searched for
        assert [row.key for row in rows] == list(missing)
        for row in rows:
            of_cbm = whole["score", "tiny", "CBM", row.recipe, row.repeat]
            assert (row.f1, row.settings, row.seed) == (whole[row.key].f1, of_cbm.settings, of_cbm.seed)
