"""Networks: settings and thresholds are chosen on training documents only, for every seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.plan import NETWORKS, TUNED_THRESHOLD, Task, build_network, network_grid
from reproduction.run import Parts, ScoreRow, compute_rows, derived_seed
from setwise.labels import LabelMatrix, Support
from setwise.metrics import instance_f1
from setwise.models import fit_for
from setwise.prediction import Recipe, tune_recipe
from setwise.tuning import Validation
from tests.reproduction.tiny import TINY, tiny_config, write_corpus


def network_rows(folder: Path, name: str) -> list[ScoreRow]:
    predictions = NETWORKS[name].predictions
    keys = tuple(("score", "tiny", name, one.name, repeat) for repeat in range(2) for one in predictions)
    rows = list(compute_rows(Task("networks", "tiny", name, keys=keys), tiny_config(folder)))
    assert [row.key for row in rows] == list(keys)
    return [row for row in rows if isinstance(row, ScoreRow)]


@pytest.mark.parametrize("name", NETWORKS)
def test_a_row_is_what_its_settings_give_a_user(tmp_path: Path, name: str) -> None:
    write_corpus(tmp_path / "data")
    train = Parts("tiny", tmp_path / "data").train()
    test = Parts("tiny", tmp_path / "data").test(train)
    y, truth = LabelMatrix.of(train.y), LabelMatrix.of(test.y)
    (part,) = Validation(0.2, None, derived_seed(0, "tiny")).parts(train.X, y)
    rows = network_rows(tmp_path, name)
    assert len({row.seed for row in rows}) == 2
    for row in rows:
        model = build_network(name, TINY.networks, row.seed).set_params(**row.settings)
        recipe = Recipe("support", "gfm")
        if row.recipe == TUNED_THRESHOLD.name:
            held_out = part.held_out(fit_for(model, part.X, part.y, row.iterations))
            recipe = tune_recipe(TUNED_THRESHOLD.recipe, TUNED_THRESHOLD.targets, [held_out])
        fitted = fit_for(model, train.X, y, row.iterations)
        sets = recipe.decide(fitted.posterior(test.X), Support.of(y), with_value=False).sets
        assert row.f1 == instance_f1(truth, truth.with_indicator(sets))


def test_the_penalty_of_the_perceptron_is_tuned_for_both() -> None:
    strengths = sorted(TINY.networks.strengths, reverse=True)
    assert [path.strengths for path in network_grid("MLP", TINY.networks)] == [tuple(strengths)]
    assert {path.parameters["mlp_strength"] for path in network_grid("SPEN", TINY.networks)} == set(strengths)


def test_the_networks_are_those_of_the_paper_and_not_of_a_tuning_grid() -> None:
    """Two hidden layers of 150 units without dropout, standardized features, and no screening of features."""
    recipe = {"n_hidden": 150, "n_layers": 2, "dropout": 0.0, "standardize": True, "screening_strength": None}
    recipe |= {"batch_size": 32, "learning_rate": 1e-3}
    parameters = build_network("MLP", TINY.networks, 0).get_params()
    assert {name: parameters[name] for name in recipe} == recipe
    spen = build_network("SPEN", TINY.networks, 0).get_params()
    assert (spen["n_hidden"], spen["n_units"], spen["mlp_learning_rate"]) == (150, 16, 1e-3)
    assert spen["max_iter"] == spen["mlp_max_iter"] == parameters["max_iter"] == TINY.networks.max_epochs
