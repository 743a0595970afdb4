"""The text benchmark: features are compared before they are timed, and a missing fastText is a skipped row."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.harness.timing import Skipped, on_cores
from benchmarks.text import TextEffort
from benchmarks.text import rows as text_rows
from benchmarks.text.corpora import TextCorpus
from tests.benchmarks.small import number, tiny_texts

EFFORT = TextEffort(n_rounds=1, min_seconds=0.0)


@pytest.fixture
def corpus() -> TextCorpus:
    return tiny_texts()


@pytest.mark.parametrize("measure", [text_rows.transform_rows, text_rows.fit_rows])
def test_both_rules_are_compared_with_scikit_learn(corpus: TextCorpus, measure: Any) -> None:
    peer, *ours = measure(corpus, EFFORT)
    assert [peer.entry, peer.verdict, peer.values["speedup"]] == ["scikit-learn", "", None]
    assert [row.entry for row in ours] == ["setwise, rule sklearn", "setwise"]
    for row in ours:
        assert number(row, "speedup") == pytest.approx(number(peer, "seconds") / number(row, "seconds"))
        assert row.verdict


def test_other_features_than_the_peer_has_are_not_timed(corpus: TextCorpus) -> None:
    X = sp.csr_array(np.eye(2, dtype=np.float32))
    calls = {text_rows.PEER: lambda: X, **dict.fromkeys(text_rows.RULES, lambda: 2 * X)}
    with pytest.raises(Skipped, match="differ from scikit-learn's"):
        list(text_rows.feature_rows("fit", "tiny", "", calls, EFFORT, 1.0))


def test_the_bits_of_one_and_two_threads_are_compared(corpus: TextCorpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.harness.threads.n_cores_allowed", lambda: 2)
    rows = list(text_rows.thread_rows(corpus, EFFORT))
    assert [(row.setting, row.entry) for row in rows] == [
        (setting, entry) for setting in ("transform", "fit_transform") for entry in ("1 thread", "2 threads")
    ]
    assert not any("bits differ" in row.verdict for row in rows)


def test_documents_per_second_are_compared_with_fasttext(corpus: TextCorpus) -> None:
    pytest.importorskip("fasttext")
    peer, ours = text_rows.predict_rows(corpus, EFFORT)
    assert peer.values["relative"] is None
    assert number(ours, "per second") == pytest.approx(7 / number(ours, "seconds"))
    assert number(ours, "relative") == pytest.approx(number(ours, "per second") / number(peer, "per second"))
    assert ours.verdict.startswith(("yes", "no: "))


def test_a_missing_fasttext_is_a_row_with_the_reason(corpus: TextCorpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fasttext", None)
    monkeypatch.delitem(sys.modules, "benchmarks.text.fasttext_baseline", raising=False)
    peer, ours = text_rows.predict_rows(corpus, EFFORT)
    assert peer.values == {}
    assert peer.note.startswith("not installed: ")
    assert ours.verdict == ""
    assert number(ours, "per second") > 0


def test_fasttext_learns_the_labels_of_several_lines() -> None:
    pytest.importorskip("fasttext")
    baseline = importlib.import_module("benchmarks.text.fasttext_baseline")
    model = baseline.FastText(["red\nfox", "blue hen"] * 200, [["a fox"], ["hen"]] * 200)
    labels, _ = model.predict(baseline.as_lines(["fox\nred", "hen"]))
    assert labels == [["__label__0"], ["__label__1"]]


@pytest.mark.parametrize(("speedup", "verdict"), [(10.0, "yes"), (9.5, "no: 9.50 times, the goal is 10")])
def test_verdicts(speedup: float, verdict: str) -> None:
    assert text_rows.verdict_on_speed(speedup, 10.0) == verdict


def test_short_calls_are_repeated() -> None:
    calls: list[int] = []
    timed = text_rows.time_calls(lambda: calls.append(0), 0.01)
    assert len(calls) > 1
    assert timed.seconds < 0.01


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are listed on Linux alone")
def test_cores_are_those_of_all_threads() -> None:
    """A library's threads are otherwise left on the core of the section that started them."""
    before, asked, ended = os.sched_getaffinity(0), threading.Event(), threading.Event()

    def wait() -> None:
        asked.set()
        ended.wait()

    with on_cores(1):
        thread = threading.Thread(target=wait)
        thread.start()
        asked.wait()
        assert thread.native_id is not None
        assert len(os.sched_getaffinity(thread.native_id)) == 1
    after = os.sched_getaffinity(thread.native_id)
    ended.set()
    thread.join()
    assert after == before
