"""The plan of a fit: the tasks that it counts are those that run, where no path ends early."""

from __future__ import annotations

from collections import Counter

import pytest

from setwise import SetClassifier
from setwise.executors import running, session
from setwise.models import BinaryRelevance
from setwise.tuning import label_blocks, path_ends
from tests.models.corpora import small_corpus

X, y = small_corpus(n=60)


@pytest.mark.parametrize("options", [{"budget": "quick"}, {"budget": "quick", "model": "crf", "cv": 2}])
@pytest.mark.parametrize("has_workers", [False, True], ids=["one process", "label blocks"])
def test_planned_tasks_are_those_that_run(
    options: dict[str, object], has_workers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_calls: Counter[str] = Counter()
    call = running.call

    def counted(function: str, *arguments: object) -> object:
        n_calls[function.partition(":")[2]] += 1
        return call(function, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(session, "call", counted)
    monkeypatch.setattr(path_ends, "REACH", float("inf"))  # no path ends
    if has_workers:  # as far as the scheduler knows: tasks run in this process, where their calls are seen
        monkeypatch.setattr(session._SerialSession, "works_ahead", True)
        monkeypatch.setattr(label_blocks, "LEAST_BLOCK_SECONDS", 0.01)
    classifier = SetClassifier(n_jobs=1, **options)  # type: ignore[arg-type]
    plan: Counter[str] = Counter()
    for one in classifier.plan(X, y).tasks:
        alone = one.title in ("fits of the confidence", "fits of the final model")
        plan["fits alone" if alone else one.title.split(" of ")[0]] += one.n_tasks
    classifier.fit(X, y)
    assert plan["fits"] == n_calls["fit_next"] + n_calls["fit_until_worse"]
    assert plan["evaluations"] == n_calls["evaluate"]
    assert plan["confidence"] == n_calls["collect_evidence"]
    if has_workers:  # a task per recipe, for the best setting under each of the two recipes that screen settings
        assert n_calls["select"] in (plan["choice"], 2 * plan["choice"])
    is_blockwise = has_workers and "model" not in options
    if "model" not in options:  # models of folds that stopped at different iterations are trained again
        assert plan["fits alone"] == n_calls["fit_alone"]
    assert (plan["fits"] > 3 * plan["evaluations"]) == is_blockwise  # there are two or three folds


def test_more_documents_cost_more() -> None:
    small, large = (SetClassifier("br", n_jobs=1).plan(*small_corpus(n=n)) for n in (60, 600))
    assert large.cpu_seconds > small.cpu_seconds > 0
    assert large.worker_bytes > small.worker_bytes > 10**8


def test_a_plan_trains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BinaryRelevance, "fit_path", lambda *_, **__: pytest.fail("a model was trained"))
    assert SetClassifier("br").plan(X, y).n_tasks > 0
