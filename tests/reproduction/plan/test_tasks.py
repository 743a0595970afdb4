"""The tasks of a run."""

from __future__ import annotations

import pytest

from reproduction.paper import CBM_NON_EMPTY, MODELS, not_applicable
from reproduction.plan import (
    DATASETS,
    ENSEMBLE,
    EXTRA_DATASETS,
    NETWORK_DATASETS,
    PREDICTOR_MODELS,
    PREDICTORS,
    TABLES,
    VARIANT_MODELS,
    VARIANTS,
    plan_tasks,
    recipes_of,
    why_unavailable,
)
from setwise.exceptions import InvalidParameter
from setwise.models import MODELS as REGISTRY
from tests.reproduction.examples import PAPER_RECIPES
from tests.reproduction.tiny import TINY


def keys(*arguments: object, **named: object) -> list[tuple[object, ...]]:
    return [key for task in plan_tasks(*arguments, **named) for key in task.keys]  # type: ignore[arg-type]


def test_every_column_of_the_paper_is_planned_once() -> None:
    planned = keys(["a", "b"], MODELS, list(TABLES), TINY)
    assert len(planned) == len(set(planned))
    scores = [key for key in planned if key[0] == "score"]
    recipes = {model: {key[3] for key in scores if key[2] == model} for model in MODELS}
    for model in ("BR", "PCC", "CBM"):
        assert recipes[model] == set(PAPER_RECIPES)
    assert recipes["LSF"] == {"S+G", "L+S+G", "E+S+G", "All4"}
    assert recipes["CRF without pairs"] == {"E+S", "E+S+G"}
    assert {key[3] for key in scores if key[2] == CBM_NON_EMPTY} == {"No REG", "L+E"}
    assert {key[:2] for key in planned if key[0] != "score"} == {(k, d) for k in ("corpus", "heat") for d in "ab"}
    predictors = [(one.model, one.name) for one in PREDICTORS]
    assert [key[2:4] for key in scores if key[1] == "a" and key[2] in PREDICTOR_MODELS] == predictors
    of_paper = [key for key in scores if key[2] not in PREDICTOR_MODELS]
    assert all(not_applicable(str(key[2]), str(key[3])) is None for key in of_paper)


def test_only_random_results_are_repeated() -> None:
    planned = keys(["a"], MODELS, list(TABLES), TINY)
    repeated = {key[2:4] for key in planned if key[0] == "score" and key[4] == 1}
    sampled = {("BR", "L+E+G"), ("PCC", "L+E+G")}
    non_empty = {(CBM_NON_EMPTY, recipe) for recipe in ("No REG", "L+E")}
    assert repeated == sampled | non_empty | {("CBM", recipe) for recipe in PAPER_RECIPES}


def test_recipes_that_share_a_search_are_one_task() -> None:
    tasks = plan_tasks(["a"], ["BR"], ["2", "4"], TINY)
    assert [(task.l1, {key[3] for key in task.keys}) for task in tasks] == [
        (False, {"No REG", "S+G", "E+S+G"}),
        (True, {"L+S+G", "L+E", "L+E+S", "L+E+G", "All4"}),
    ]
    assert {recipe for l1 in (False, True) for recipe in recipes_of("BR", l1=l1)} == set(PAPER_RECIPES)


def test_finished_rows_are_not_planned_again() -> None:
    everything = keys(["a"], ["BR"], ["1", "2"], TINY)
    assert keys(["a"], ["BR"], ["1", "2"], TINY, done=everything[1:]) == everything[:1]
    assert plan_tasks(["a"], ["BR"], ["1", "2"], TINY, done=everything) == []


def test_variants_belong_to_the_task_of_their_corpus() -> None:
    (task,) = plan_tasks(["enron_raw"], ["BR"], ["variants"], TINY)
    assert (task.dataset, task.l1) == ("enron_raw", True)
    assert task.keys == tuple(("score", variant, "BR", "All4", 0) for variant in VARIANTS["enron_raw"])
    assert plan_tasks(["enron_raw"], ["CRF without pairs"], ["variants"], TINY) == []
    assert "CRF without pairs" not in VARIANT_MODELS


def test_cbm_without_the_empty_set_belongs_to_the_tasks_of_cbm() -> None:
    for l1, recipe in ((False, "No REG"), (True, "L+E")):
        (task,) = (one for one in plan_tasks(["a"], ["CBM"], ["4"], TINY) if one.l1 == l1)
        assert task.model == "CBM"
        assert {key[3] for key in task.keys if key[2] == CBM_NON_EMPTY} == {recipe}
    stored = [key for key in keys(["a"], ["CBM"], ["2", "4"], TINY) if key[2] == "CBM"]
    assert {key[2] for key in keys(["a"], ["CBM"], ["2", "4"], TINY, done=stored)} == {CBM_NON_EMPTY}


def test_networks_are_planned_for_every_seed_where_the_paper_can_be_compared() -> None:
    tasks = plan_tasks(["medical", "bibtex"], ["BR"], ["6"], TINY)
    assert [(task.name, task.part, len(task.keys)) for task in tasks] == [
        ("bibtex MLP", "networks", 2 * TINY.networks.n_seeds),
        ("bibtex SPEN", "networks", TINY.networks.n_seeds),
    ]
    assert set(NETWORK_DATASETS) < set(DATASETS)


def test_all_predictors_of_a_dataset_are_one_task() -> None:
    (task,) = plan_tasks(["medical"], ["BR"], ["predictors"], TINY)
    assert (task.name, task.part) == ("medical predictors", "predictors")
    assert task.keys[-1] == ("score", "medical", ENSEMBLE, "ensemble", 0)
    assert len({one.name for one in PREDICTORS}) == len(PREDICTORS)


def test_a_model_that_is_too_slow_is_not_planned() -> None:
    assert "take too long" in (why_unavailable("rakel", "bibtex") or "")
    assert all(key[2] != "rakel" for key in keys(["bibtex"], ["BR"], ["predictors"], TINY))
    assert any(key[2] == "rakel" for key in keys(["medical"], ["BR"], ["predictors"], TINY))
    assert why_unavailable("rakel", "medical") is why_unavailable(ENSEMBLE, "bibtex") is None


def test_every_model_of_the_predictors_is_registered() -> None:
    assert PREDICTOR_MODELS[-1] == ENSEMBLE
    assert set(PREDICTOR_MODELS[:-1]) <= set(REGISTRY)


def test_datasets_that_the_paper_does_not_have_get_no_heat_map() -> None:
    planned = keys(EXTRA_DATASETS, ["BR"], ["1", "2", "heat"], TINY)
    assert {key[0] for key in planned} == {"corpus", "score"}


@pytest.mark.parametrize(
    ("models", "tables", "option"), [(["BM"], ["1"], "models"), (["BR"], ["7"], "tables"), (["BR"], [], "tables")]
)
def test_unknown_names_are_refused(models: list[str], tables: list[str], option: str) -> None:
    with pytest.raises(InvalidParameter, match=f"{option} must be some of"):
        plan_tasks(["a"], models, tables, TINY)
