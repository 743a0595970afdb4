"""The search: cells are what single fits would be, whatever the order, the interruptions and the threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.metrics import hamming_loss, instance_f1, macro_f1, micro_f1, set_accuracy
from setwise.models import BernoulliMixture, BinaryRelevance, ClassifierChain, LabelSizeFactors, PairwiseCRF
from setwise.models.model_size import model_size
from setwise.prediction import Candidate, HeldOut, Recipe, TuningTargets, tune_recipe
from setwise.tuning import Line, Patience, Progress, Validation, best_of, fit_for, search
from setwise.tuning.search import PAPER
from tests.models.corpora import small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=80)
LABELS = LabelMatrix.of(y)
PARTS = Validation(share=0.3, random_state=1).parts(X, LABELS)
LINES = [Line((0.1, 0.01, 0.001), {"l1_ratio": ratio}) for ratio in (1.0, 0.5)]
BR = BinaryRelevance(n_jobs=1)
TIGHT = BinaryRelevance(tol=1e-9, n_jobs=1)  # a path and a fit of its own then end at the same sets
EXACT = Candidate("exact", Recipe("exact", "gfm"))


def scored(model: Any, recipe: Recipe = PAPER.recipe, metric: Any = instance_f1) -> float:
    (part,) = PARTS
    decided = recipe.decided(model, part.X_held, part.support)
    return float(metric(part.y_held, part.y_held.with_indicator(decided.sets)))


@pytest.mark.parametrize("model", [BR, ClassifierChain(), LabelSizeFactors()], ids=lambda model: type(model).__name__)
def test_a_cell_is_worth_what_a_fit_of_its_own_would_be(model: Any) -> None:
    judge = EXACT if isinstance(model, LabelSizeFactors) else PAPER
    model = clone(model).set_params(tol=1e-9)
    found = search(model, LINES, PARTS, judges=[judge])
    assert [one.cell for one in found] == [cell for line in LINES for cell in line.cells]
    for one in found:
        fit = clone(model).set_params(**one.cell.settings).fit(PARTS[0].X, PARTS[0].y)
        assert one.value == scored(fit, judge.recipe)
        assert one.iterations is None
        size = model_size(fit)
        assert (one.row["n_nonzero"], one.row["n_features_used"]) == (size.n_nonzero, size.n_features_used)


def test_rows_say_all_that_is_known() -> None:
    (one, *_) = search(BR, LINES, PARTS, dataset="made")
    assert one.row.keys() >= {"dataset", "model", "strength", "l1_ratio", "iterations", "metric", "value", "seconds"}
    assert (one.row["dataset"], one.row["model"], one.row["metric"]) == ("made", "BinaryRelevance", "instance_f1")
    assert one.row["n_bytes"] > 0


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        (BernoulliMixture(3, tol=0.0, max_iter=12), {"gate_strength": 0.1}),
        (PairwiseCRF(max_iter=12), {"l1_ratio": 0.0}),
        (BinaryRelevance(max_iter=12), {"l1_ratio": 1.0}),
    ],
    ids=["cbm", "crf", "br"],
)
def test_with_patience_the_iterations_are_those_of_the_best_look(model: Any, settings: dict[str, Any]) -> None:
    (found,) = search(model, [Line((0.001,), settings)], PARTS, stopping=Patience(patience=100))
    values = []
    fit_one = clone(model).set_params(strength=0.001, **settings)
    fit_one.fit(PARTS[0].X, PARTS[0].y, callback=lambda _, seen: values.append(scored(seen)))
    assert found.value == max(values)
    assert found.row["history"] == [list(zip(range(1, 1 + len(values)), values, strict=True))]
    assert found.iterations == 1 + values.index(max(values))
    assert found.value == scored(fit_for(fit_one, PARTS[0].X, PARTS[0].y, found.iterations))


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("instance_f1", instance_f1),
        ("set_accuracy", set_accuracy),
        ("micro_f1", micro_f1),
        ("macro_f1", macro_f1),
        ("hamming_loss", hamming_loss),
    ],
)
def test_any_metric_is_chosen_by_and_a_loss_is_low(name: Any, metric: Any) -> None:
    found = search(TIGHT, LINES, PARTS, metric=name)
    for one in found:
        fit = clone(TIGHT).set_params(**one.cell.settings).fit(PARTS[0].X, PARTS[0].y)
        assert one.value == scored(fit, metric=metric)
    best = best_of(found, name)
    assert best is not None
    assert best.value == (min if name == "hamming_loss" else max)(one.value for one in found)


def test_folds_are_judged_all_together() -> None:
    parts = Validation(n_folds=3, random_state=0).parts(X, LABELS)
    assert sum(part.y_held.n_samples for part in parts) == 80
    (one,) = search(BR, [Line((0.01,), {"l1_ratio": 1.0})], parts)
    total = 0.0
    for part in parts:
        fit = clone(BR).set_params(strength=0.01, l1_ratio=1.0).fit(part.X, part.y)
        sets = part.y_held.with_indicator(PAPER.recipe.decided(fit, part.X_held, part.support).sets)
        total += instance_f1(part.y_held, sets) * part.y_held.n_samples
    assert one.value == pytest.approx(total / 80)


def test_a_judge_finds_its_numbers_first() -> None:
    judge = Candidate("cut", Recipe("exact", "threshold", at_least_one=True), TuningTargets(threshold="tuned"))
    found = search(TIGHT, LINES[:1], PARTS, judges=[PAPER, judge])
    assert [one.judge for one in found] == ["paper", "cut"] * 3
    for one in found[1::2]:
        fit = clone(TIGHT).set_params(**one.cell.settings).fit(PARTS[0].X, PARTS[0].y)
        held = HeldOut(fit, PARTS[0].X_held, PARTS[0].y_held, PARTS[0].support)
        assert one.value == scored(fit, tune_recipe(judge.recipe, judge.wishes, [held]))


def test_threads_do_not_matter() -> None:
    one, two = (search(clone(BR).set_params(n_jobs=n), LINES, PARTS) for n in (1, 2))
    assert [tried.value for tried in one] == [tried.value for tried in two]


def test_at_most_so_many_documents_are_judged_by() -> None:
    few = Validation(share=0.5, random_state=0, max_documents=10).parts(X, LABELS)
    assert few[0].y_held.n_samples == 10
    assert few[0].y.n_samples == 40
    turns = Validation(n_folds=4, random_state=0, max_documents=20).parts(X, LABELS)
    assert [part.y_held.n_samples for part in turns] == [5] * 4


class TestResumed:
    MODELS: tuple[tuple[Any, list[Line], Patience | None], ...] = (
        (BR, LINES, None),
        (BernoulliMixture(3, max_iter=3), [Line((0.01, 0.001))], Patience(patience=2)),
    )

    @pytest.mark.parametrize(("model", "lines", "stopping"), MODELS, ids=["br", "cbm"])
    def test_from_any_number_of_finished_cells_it_gives_the_same(
        self, tmp_path: Path, model: Any, lines: list[Line], stopping: Patience | None
    ) -> None:
        whole = search(model, lines, PARTS, stopping=stopping, path=tmp_path / "whole")
        written = (tmp_path / "whole").read_bytes().splitlines(keepends=True)
        assert len(written) == 1 + len(whole)
        for kept in range(len(written) + 1):
            (tmp_path / "part").write_bytes(b"".join(written[:kept]))
            again = search(model, lines, PARTS, stopping=stopping, path=tmp_path / "part")
            assert [(one.cell, one.value, one.iterations) for one in again] == [
                (one.cell, one.value, one.iterations) for one in whole
            ]
            assert (tmp_path / "part").read_bytes().startswith(b"".join(written[:kept]))

    def test_what_is_finished_is_not_done_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = search(BR, LINES, PARTS, path=tmp_path / "cells")
        monkeypatch.setattr(BinaryRelevance, "fit_path", lambda *_: pytest.fail("it was trained again"))
        again = search(BR, LINES, PARTS, path=tmp_path / "cells")
        assert [one.row for one in again] == [one.row for one in whole]

    @pytest.mark.parametrize("change", ["data", "grid", "model", "judge", "metric"])
    def test_a_file_of_another_run_is_refused(self, tmp_path: Path, change: str) -> None:
        search(BR, LINES, PARTS, path=tmp_path / "cells")
        given: dict[str, Any] = {"model": BR, "lines": LINES, "parts": PARTS}
        match change:
            case "data":
                given["parts"] = Validation(share=0.3, random_state=2).parts(X, LABELS)
            case "grid":
                given["lines"] = LINES[:1]
            case "model":
                given["model"] = clone(BR).set_params(max_iter=199)
            case "judge":
                given["judges"] = [EXACT]
            case "metric":
                given["metric"] = "micro_f1"
        with pytest.raises(InvalidData, match="must come from the same run"):
            search(**given, path=tmp_path / "cells")

    def test_ctrl_c_keeps_what_is_finished(self, tmp_path: Path) -> None:
        def interrupt(progress: Progress) -> None:
            if progress.done == 4:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            search(BR, LINES, PARTS, path=tmp_path / "cells", watcher=interrupt)
        assert len((tmp_path / "cells").read_bytes().splitlines()) == 1 + 4
        seen: list[Progress] = []
        whole = search(BR, LINES, PARTS, path=tmp_path / "cells", watcher=seen.append)
        assert [progress.done for progress in seen] == [4, 5, 6]
        assert seen[-1].best == best_of(whole)
        assert [one.value for one in whole] == [one.value for one in search(BR, LINES, PARTS)]


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="metric must be one of"):
        search(BR, LINES, PARTS, metric="auc")  # type: ignore[arg-type]
