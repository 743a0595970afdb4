"""A piece of work: chosen on training documents alone, then tested."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from setwise.data.splits import random_hold_out
from setwise.experiments import model_work as module
from setwise.experiments.corpora import Part, Parts
from setwise.experiments.grids import SLOW, make_model
from setwise.experiments.plan import TABLES, Work, plan
from setwise.experiments.recipes import MODELS, Letters, prediction
from setwise.experiments.rows import Corpus, Heat, Score
from setwise.experiments.seeds import seed_of
from setwise.experiments.work import found_by
from setwise.labels import LabelMatrix, Support
from setwise.metrics import instance_f1
from setwise.tuning import fit_for
from tests.experiments.tiny import TINY, circumstances, write_corpus


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "data")
    return tmp_path


def works(kind: str, model: str = "", tables: tuple[str, ...] = tuple(TABLES)) -> list[Work]:
    planned = plan(["tiny"], [model] if model else list(MODELS), list(tables), TINY)
    return [one for one in planned if one.kind == kind]


@pytest.mark.parametrize("model", MODELS)
def test_a_row_is_what_its_settings_give_by_hand(folder: Path, model: str) -> None:
    run = circumstances(folder)
    train = Parts("tiny", run.data).train()
    test = Parts("tiny", run.data).test(train)
    y, truth = LabelMatrix.of(train.y), LabelMatrix.of(test.y)
    if model in SLOW:  # sees 110 of the 120
        _, some = random_hold_out(y.n_samples, 110 / 120, seed_of(run.seed, "tiny"))
        train, y = Part(train.X[some], train.y[some]), y.take(some)
    for work in works("model", model):
        rows = list(found_by(work, run))
        assert [row.key for row in sorted(rows, key=lambda row: work.keys.index(row.key))] == list(work.keys)
        for row in rows:
            assert isinstance(row, Score)
            assert (row.settings["l1_ratio"] > 0) == Letters.of(row.recipe).l1
            assert (row.iterations is not None) == Letters.of(row.recipe).early
            seed = row.seed if model == "CBM" else 0
            fitted = fit_for(make_model(model, seed).set_params(**row.settings), train.X, y, row.iterations)
            sets = prediction(model, row.recipe, seed=row.seed).decided(fitted, test.X, Support.of(y)).sets
            assert row.f1 == instance_f1(truth, truth.with_indicator(sets)) == row.by_document.mean()
            assert row.peak_mb > 1
            assert row.versions.keys() >= {"setwise", "python", "numpy"}


def test_settings_are_the_best_of_those_tried(folder: Path) -> None:
    run = circumstances(folder)
    (work, _) = works("model", "BR")
    rows = {row.recipe: row for row in found_by(work, run) if isinstance(row, Score)}
    lines = [json.loads(line) for line in (run.cells / "tiny-BR.jsonl").read_text().splitlines()[1:]]
    assert len(lines) == TINY.learners.n_strengths
    assert rows["S+G"].validation_f1 == max(line["values"]["S+G"][-1] for line in lines)
    assert rows["No REG"].validation_f1 == max(line["values"]["No REG"][-1] for line in lines)
    assert rows["E+S+G"].validation_f1 == max(max(line["values"]["S+G"]) for line in lines)


def test_recipes_that_chose_the_same_share_one_training(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = []

    def counted(*arguments: Any) -> Any:
        trained.append(arguments)
        return fit_for(*arguments)

    monkeypatch.setattr(module, "fit_for", counted)
    (_, with_l1) = works("model", "BR")
    rows = [row for row in found_by(with_l1, circumstances(folder)) if isinstance(row, Score)]
    assert len(trained) == len({repr((row.settings, row.iterations)) for row in rows}) < len(rows)


def test_settings_that_were_tried_are_not_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = circumstances(folder)
    (work, _) = works("model", "BR")
    first = list(found_by(work, run))
    monkeypatch.setattr(module, "watched", lambda *_: pytest.fail("tried again"))
    some = Work(work.kind, work.dataset, work.model, work.l1, work.keys[1:])
    again = list(found_by(some, run))
    assert [told(row) for row in again] == [told(row) for row in first if row.key in some.keys]


def told(row: Any) -> dict[str, Any]:
    """All of a row but what the machine adds."""
    return {name: value for name, value in asdict(row).items() if name not in ("seconds", "peak_mb")}


def test_test_documents_are_read_when_all_is_chosen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    read, look = Parts.test, module.watched
    monkeypatch.setattr(Parts, "test", lambda *given: events.append("test") or read(*given))
    monkeypatch.setattr(module, "watched", lambda *given: events.append("tried") or look(*given))
    (work, _) = works("model", "BR")
    list(found_by(work, circumstances(folder)))
    assert events == ["tried"] * TINY.learners.n_strengths + ["test"]


def test_no_setting_depends_on_test_documents(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    write_corpus(other / "data", n_train=160, n_test=1)  # then only the first 120 are left to train on
    target = other / "data" / "tiny"
    (target / "train.svm.gz").write_bytes((folder / "data" / "tiny" / "train.svm.gz").read_bytes())
    (work, _) = works("model", "BR")
    ours, theirs = (list(found_by(work, circumstances(where))) for where in (folder, other))
    chosen = [[(row.settings, row.iterations, row.validation_f1) for row in rows] for rows in (ours, theirs)]  # type: ignore[union-attr]
    assert chosen[0] == chosen[1]


def test_variants_take_the_settings_of_their_corpus(folder: Path) -> None:
    run = circumstances(folder)
    names = ["tiny", "tiny@split1", "tiny@5"]
    keys = tuple(("score", name, "BR", "All4", 0) for name in names)
    rows = {
        row.dataset: row for row in found_by(Work("model", "tiny", "BR", True, keys), run) if isinstance(row, Score)
    }
    assert list(rows) == sorted(names)
    assert len({repr((row.settings, row.iterations, row.validation_f1)) for row in rows.values()}) == 1
    for name, row in rows.items():
        train = Parts(name, run.data).train()
        test = Parts(name, run.data).test(train)
        y, truth = LabelMatrix.of(train.y), LabelMatrix.of(test.y)
        fitted = fit_for(make_model("BR").set_params(**row.settings), train.X, y, row.iterations)
        sets = prediction("BR", "All4").decided(fitted, test.X, Support.of(y)).sets
        assert row.f1 == instance_f1(truth, truth.with_indicator(sets))


def test_seeds_come_from_names(folder: Path) -> None:
    rows = [row for work in works("model", "CBM", ("4",)) for row in found_by(work, circumstances(folder))]
    seeds = {(row.repeat, row.seed) for row in rows if isinstance(row, Score)}
    assert len(seeds) == TINY.n_repeats
    assert len({seed for _, seed in seeds}) == TINY.n_repeats


def test_a_corpus_is_told_as_in_table_1(folder: Path) -> None:
    (work,) = works("corpus")
    (row,) = found_by(work, circumstances(folder))
    assert isinstance(row, Corpus)
    train = Parts("tiny", folder / "data").train()
    sets = {tuple(np.flatnonzero(line)) for line in train.y.toarray()}
    assert (row.labels, row.features, row.instances, row.n_train, row.n_test) == (5, 12, 160, 120, 40)
    assert row.label_sets == len(sets)
    assert row.instances_per_label == pytest.approx(train.y.sum() / 5)


def test_a_heat_map_is_a_training_a_place(folder: Path) -> None:
    run = circumstances(folder)
    (work,) = works("heat")
    steps: list[tuple[int, int]] = []
    (row,) = found_by(work, run, lambda done, total: steps.append((done, total)))
    assert isinstance(row, Heat)
    assert steps == [(done, 6) for done in range(1, 7)]
    train = Parts("tiny", run.data).train()
    test = Parts("tiny", run.data).test(train)
    y, truth = LabelMatrix.of(train.y), LabelMatrix.of(test.y)
    for ratio, strengths, values in zip(row.l1_ratios, row.strengths, row.f1, strict=True):
        for strength, value in zip(strengths, values, strict=True):
            model = make_model("BR").set_params(strength=strength, l1_ratio=ratio, tol=1e-9).fit(train.X, y)
            sets = prediction("BR", "S+G").decided(model, test.X, Support.of(y)).sets
            assert value == pytest.approx(instance_f1(truth, truth.with_indicator(sets)), abs=0.02)
