"""The tasks of a run."""

from __future__ import annotations

import pytest

from reproduction.paper import MODELS, not_applicable
from reproduction.plan import TABLES, VARIANT_MODELS, VARIANTS, plan_tasks, recipes_of
from setwise.exceptions import InvalidParameter
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
    assert {key[:2] for key in planned if key[0] != "score"} == {(k, d) for k in ("corpus", "heat") for d in "ab"}
    assert all(not_applicable(str(key[2]), str(key[3])) is None for key in scores)


def test_only_random_results_are_repeated() -> None:
    planned = keys(["a"], MODELS, list(TABLES), TINY)
    repeated = {key[2:4] for key in planned if key[0] == "score" and key[4] == 1}
    sampled = {("BR", "L+E+G"), ("PCC", "L+E+G")}
    assert repeated == sampled | {("CBM", recipe) for recipe in PAPER_RECIPES}


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


@pytest.mark.parametrize(
    ("models", "tables", "option"), [(["BM"], ["1"], "models"), (["BR"], ["7"], "tables"), (["BR"], [], "tables")]
)
def test_unknown_names_are_refused(models: list[str], tables: list[str], option: str) -> None:
    with pytest.raises(InvalidParameter, match=f"{option} must be some of"):
        plan_tasks(["a"], models, tables, TINY)
