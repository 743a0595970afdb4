"""The plan of a run."""

from __future__ import annotations

import pytest

from setwise.exceptions import InvalidParameter
from setwise.experiments.plan import TABLES, VARIANT_MODELS, VARIANTS, plan, recipes_of
from setwise.experiments.recipes import MODELS, not_applicable
from tests.experiments.examples import PAPER_RECIPES
from tests.experiments.tiny import TINY


def keys(*arguments: object, **named: object) -> list[tuple[object, ...]]:
    return [key for work in plan(*arguments, **named) for key in work.keys]  # type: ignore[arg-type]


def test_all_columns_of_the_paper_are_planned_once() -> None:
    found = keys(["a", "b"], MODELS, list(TABLES), TINY)
    assert len(found) == len(set(found))
    for model in ("BR", "PCC", "CBM"):
        assert {key[3] for key in found if key[0] == "score" and key[2] == model} == set(PAPER_RECIPES)
    assert {key[3] for key in found if key[0] == "score" and key[2] == "LSF"} == {"S+G", "L+S+G", "E+S+G", "All4"}
    assert {key[3] for key in found if key[0] == "score" and key[2] == "CRF without pairs"} == {"E+S", "E+S+G"}
    assert {key[:2] for key in found if key[0] != "score"} == {(k, d) for k in ("corpus", "heat") for d in "ab"}
    assert all(not_applicable(key[2], key[3]) is None for key in found if key[0] == "score")


def test_only_chance_is_repeated() -> None:
    repeats = {key[2:4] for key in keys(["a"], MODELS, list(TABLES), TINY) if key[0] == "score" and key[4] > 0}
    sampled = {("BR", "L+E+G"), ("PCC", "L+E+G")}
    assert repeats == sampled | {("CBM", recipe) for recipe in PAPER_RECIPES}


def test_recipes_that_share_a_training_are_one_piece_of_work() -> None:
    works = plan(["a"], ["BR"], ["2", "4"], TINY)
    assert [(work.l1, {key[3] for key in work.keys}) for work in works] == [
        (False, {"No REG", "S+G", "E+S+G"}),
        (True, {"L+S+G", "L+E", "L+E+S", "L+E+G", "All4"}),
    ]
    assert {recipe for l1 in (False, True) for recipe in recipes_of("BR", l1=l1)} == set(PAPER_RECIPES)


def test_what_is_done_is_not_planned_again() -> None:
    everything = keys(["a"], ["BR"], ["1", "2"], TINY)
    assert keys(["a"], ["BR"], ["1", "2"], TINY, done=everything[1:]) == everything[:1]
    assert plan(["a"], ["BR"], ["1", "2"], TINY, done=everything) == []


def test_variants_come_with_their_corpus() -> None:
    (work,) = plan(["enron_raw"], ["BR"], ["variants"], TINY)
    assert (work.dataset, work.l1) == ("enron_raw", True)
    assert work.keys == tuple(("score", variant, "BR", "All4", 0) for variant in VARIANTS["enron_raw"])
    assert plan(["enron_raw"], ["CRF without pairs"], ["variants"], TINY) == []
    assert "CRF without pairs" not in VARIANT_MODELS


@pytest.mark.parametrize(
    ("models", "tables", "what"), [(["BM"], ["1"], "models"), (["BR"], ["7"], "tables"), (["BR"], [], "tables")]
)
def test_unknown_names_are_refused(models: list[str], tables: list[str], what: str) -> None:
    with pytest.raises(InvalidParameter, match=f"{what} must be some of"):
        plan(["a"], models, tables, TINY)
