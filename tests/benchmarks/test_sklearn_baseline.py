"""Baseline and rival on small corpora: they find the best candidate, and read the test part last."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from benchmarks.default import DefaultEffort, sklearn_baseline
from benchmarks.default import rows as default_rows
from benchmarks.default.sklearn_baseline import BASELINE, PENALTIES, RIVAL, Candidate, Rival, Setting
from benchmarks.harness.corpora import Part
from setwise import SetClassifier
from setwise.data.splits import hold_out
from setwise.decision import threshold
from setwise.metrics import instance_f1
from tests.benchmarks.small import TinyParts, tiny_part

SETTING = Setting(1, "logistic", "l2", 0)
FEW = DefaultEffort(c_steps=(0, 4), n_resamples=100)
every_loss = pytest.mark.parametrize("loss", RIVAL.losses)


@pytest.fixture(scope="module")
def train() -> Part:
    return tiny_part(seed=1, n_documents=120)


@pytest.fixture(scope="module", params=[BASELINE, RIVAL], ids=lambda rival: rival.section)
def rival(request: pytest.FixtureRequest) -> Rival:
    chosen: Rival = request.param
    return chosen


@pytest.fixture(scope="module")
def tuned(train: Part, rival: Rival) -> list[Candidate]:
    return sklearn_baseline.tune(train, rival, (0, 4))


def ordered_words(n_documents: int = 200) -> Part:
    """Generate texts whose label depends on the order of two words, and not on which words there are."""
    random = np.random.default_rng(8)
    swapped = random.random(n_documents) < 0.5
    noise = random.choice(["red", "blue", "green"], size=n_documents)
    pairs = np.where(swapped, "early late", "late early")
    texts = np.array([f"{word} {pair}" for word, pair in zip(noise, pairs, strict=True)], dtype=object)
    return Part(texts, sp.csr_array(np.column_stack([swapped, ~swapped]).astype(np.int64)))


@pytest.mark.parametrize("at_least_one", [True, False])
@pytest.mark.parametrize("n_empty", [0, 15])
def test_shared_threshold_is_the_best_of_all(at_least_one: bool, n_empty: int) -> None:
    random = np.random.default_rng(3)
    probabilities = random.random((40, 4)).round(2)  # rounded, so that some are equal
    truth = (random.random((40, 4)) < probabilities**2).astype(np.int64)
    truth[:n_empty] = 0
    tried = [
        instance_f1(truth, threshold(probabilities, level, at_least_one=at_least_one))
        for level in np.unique(np.append(probabilities, 0.0))
    ]
    (candidate,) = (
        each
        for each in sklearn_baseline.candidates(SETTING, probabilities, sp.csr_array(truth))
        if not each.per_label and each.at_least_one == at_least_one
    )
    assert candidate.f1 == pytest.approx(max(tried))
    assert candidate.f1 == pytest.approx(instance_f1(truth, candidate.sets(probabilities)))


def test_at_least_one_label_is_the_most_probable() -> None:
    probabilities = np.array([[0.1, 0.3, 0.2], [0.9, 0.1, 0.8], [0.0, 0.0, 0.01]])
    candidate = Candidate(SETTING, 0.5, at_least_one=True, f1=1.0)
    assert_array_equal(candidate.sets(probabilities).toarray(), [[0, 1, 0], [1, 0, 1], [0, 0, 1]])


def test_with_empty_sets_the_baseline_does_not_require_a_label() -> None:
    random = np.random.default_rng(4)
    truth = np.zeros((60, 3), dtype=np.int64)
    truth[:20, 0] = 1
    probabilities = np.where(truth == 1, 0.8, 0.2) + 0.1 * random.random((60, 3))
    candidates = sklearn_baseline.candidates(SETTING, probabilities, sp.csr_array(truth))
    best = max(candidates, key=lambda candidate: candidate.f1)
    assert not best.at_least_one
    assert best.f1 == 1.0


def test_thresholds_per_label_are_scored_on_other_documents() -> None:
    """Labels independent of their probabilities: thresholds fit the documents that chose them, and no others."""
    random = np.random.default_rng(5)
    probabilities = random.random((60, 8))
    truth = sp.csr_array((random.random((60, 8)) < 0.3).astype(np.int64))
    for candidate in sklearn_baseline.candidates(SETTING, probabilities, truth):
        in_sample = instance_f1(truth, candidate.sets(probabilities))
        assert candidate.f1 == pytest.approx(in_sample) if not candidate.per_label else candidate.f1 < in_sample


def test_rare_labels_get_the_shared_threshold() -> None:
    random = np.random.default_rng(6)
    probabilities, truth = random.random((50, 3)), np.zeros((50, 3), dtype=np.int64)
    truth[: sklearn_baseline.MIN_POSITIVES, 0] = truth[: sklearn_baseline.MIN_POSITIVES - 1, 1] = 1
    levels = sklearn_baseline.label_thresholds(probabilities, sp.csr_array(truth), True)
    assert_array_equal(levels[1:], sklearn_baseline.shared_threshold(probabilities, sp.csr_array(truth), True))


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_threshold_of_margins_is_the_best_of_all(penalty: str, train: Part) -> None:
    setting = Setting(1, "squared hinge", penalty, 0)
    model = sklearn_baseline.one_vs_rest(train.X, train.y[:, :3], setting)
    margins, truth = model.decision_function(train.X), train.y[:, :3]
    found = list(sklearn_baseline.candidates(setting, model.predict_proba(train.X), truth))
    for candidate in (each for each in found if not each.per_label):
        levels = np.append(np.unique(margins), -np.inf)
        sets = [threshold(margins, level, at_least_one=candidate.at_least_one) for level in levels]
        assert candidate.f1 == pytest.approx(max(instance_f1(truth, each) for each in sets))


@pytest.mark.parametrize("penalty", PENALTIES)
def test_margins_are_those_of_linear_svc(penalty: str, train: Part) -> None:
    y = train.y[:, [0]].toarray().ravel()
    svc = LinearSVC(penalty=penalty, C=10.0, dual=False, max_iter=1000, random_state=0).fit(train.X, y)
    setting = Setting(1, "squared hinge", penalty, 4)
    scores = sklearn_baseline.one_vs_rest(train.X, train.y, setting).predict_proba(train.X)
    assert_allclose(logit(scores[:, 0]), svc.decision_function(train.X), rtol=1e-6)


@every_loss
def test_constant_labels_are_predicted_as_their_constant(loss: str, train: Part) -> None:
    scores = sklearn_baseline.one_vs_rest(train.X, train.y, replace(SETTING, loss=loss)).predict_proba(train.X)
    assert_array_equal(scores[:, 3:], np.tile([1.0, 0.0], (train.X.shape[0], 1)))


@every_loss
@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_penalty_option_is_passed_on(loss: str, penalty: str, train: Part) -> None:
    model = sklearn_baseline.one_vs_rest(train.X, train.y[:, :3], Setting(1, loss, penalty, -8))
    n_zeros = np.count_nonzero(np.vstack([each.coef_ for each in model.estimators_]) == 0)
    assert (n_zeros > 0) == (penalty == "l1")


def test_only_the_rival_learns_from_the_order_of_words() -> None:
    train = ordered_words()
    best = sklearn_baseline.tune(train, RIVAL, (0, 4))[0]
    assert best.setting.n_words == 2
    assert best.f1 == 1.0
    assert sklearn_baseline.tune(train, BASELINE, (0, 4))[0].f1 < 0.8
    scores = sklearn_baseline.fit(train, best.setting).predict_proba(["green early late", "red late early"])
    assert_array_equal(best.sets(scores).toarray(), np.eye(2))


def test_words_are_learnt_without_the_held_out_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    train, seen = ordered_words(), []
    fit = TfidfVectorizer.fit_transform

    def recorded(self: TfidfVectorizer, texts: Any) -> Any:
        seen.append(list(texts))
        return fit(self, texts)

    monkeypatch.setattr(TfidfVectorizer, "fit_transform", recorded)
    sklearn_baseline.tune(train, RIVAL, (0,))
    rest = list(train.X[hold_out(train.y, 0.2, random_state=0)[0]])
    assert seen == [rest, rest]  # once for words, once for pairs
    sklearn_baseline.fit(train, SETTING)
    assert seen[2:] == [list(train.X)]


def test_the_rival_tries_all_that_the_baseline_does(train: Part) -> None:
    of_texts = {each.setting for each in sklearn_baseline.tune(ordered_words(), RIVAL, (0,))}
    of_features = {each.setting for each in sklearn_baseline.tune(train, RIVAL, (0,))}
    assert {(each.n_words, each.loss, each.penalty) for each in of_texts} == set(
        product((1, 2), ("logistic", "squared hinge"), PENALTIES)
    )
    assert {each.n_words for each in of_features} == {1}


def test_best_comes_first_and_all_its_neighbors_were_tried(rival: Rival, tuned: list[Candidate]) -> None:
    best, settings = tuned[0], {candidate.setting for candidate in tuned}
    assert best.f1 == max(candidate.f1 for candidate in tuned)
    neighbors = {replace(best.setting, c_step=best.setting.c_step + step) for step in sklearn_baseline.NEIGHBORS}
    start = {Setting(1, loss, penalty, c_step) for loss in rival.losses for penalty in PENALTIES for c_step in (0, 4)}
    assert neighbors | start <= settings


def test_a_path_of_c_ends_after_its_best(train: Part, monkeypatch: pytest.MonkeyPatch) -> None:
    """The F1 by C is made up: a small C is best, or the largest."""
    for best_step, n_tried in ((-6, 3), (-2, 5), (2, 7), (8, 8)):

        def made_up(setting: Setting, *_: Any, best_step: int = best_step) -> list[Candidate]:
            return [Candidate(setting, 0.5, at_least_one=True, f1=1 / (1 + abs(setting.c_step - best_step)))]

        monkeypatch.setattr(sklearn_baseline, "candidates", made_up)
        monkeypatch.setattr(sklearn_baseline, "NEIGHBORS", ())
        tried = {each.setting for each in sklearn_baseline.tune(train, BASELINE)}
        assert tried == {Setting(1, "logistic", p, c) for p in PENALTIES for c in sklearn_baseline.START[:n_tried]}


def test_tuned_on_the_part_that_setwise_holds_out(train: Part, tuned: list[Candidate]) -> None:
    rest, held = hold_out(train.y, 0.2, random_state=0)
    model = sklearn_baseline.one_vs_rest(train.X[rest], train.y[rest], tuned[0].setting)
    again = sklearn_baseline.candidates(tuned[0].setting, model.predict_proba(train.X[held]), train.y[held])
    assert max(candidate.f1 for candidate in again) == tuned[0].f1


def test_c_has_four_steps_per_decade() -> None:
    assert_allclose([replace(SETTING, c_step=c_step).C for c_step in (-6, -4, 0, 4, 8)], [10**-1.5, 0.1, 1, 10, 100])


@pytest.mark.parametrize("rows", [partial(default_rows.rival_rows, RIVAL), default_rows.default_rows])
def test_no_test_document_is_read_before_the_last_fit(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = TinyParts()
    for owner, name in ((sklearn_baseline, "one_vs_rest"), (SetClassifier, "fit")):
        fit = getattr(owner, name)

        def recorded(*arguments: Any, fit: Any = fit, name: str = name) -> Any:
            parts.events.append(name)
            return fit(*arguments)

        monkeypatch.setattr(owner, name, recorded)
    list(rows(parts, FEW))
    entries = " ".join(parts.events).split("train")  # every entry starts by reading the train part
    for events in (each.split() for each in entries if each):
        assert events.count("test") == 1
        assert events[-1] == "test"
        assert len(events) > 1
