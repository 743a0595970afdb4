"""The numbers of a report against the obvious way to compute each."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise import SetClassifier
from setwise.confidence import automation_threshold
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.models import BinaryRelevance
from setwise.reports import BatchScorer, make_report
from setwise.reports.outcome_tables import confusion_table, size_table
from setwise.tuning import ModelTrial
from tests.reports.small import LABELS, TEXTS, noisy, report, trained


def f1_of(true: Any, predicted: Any) -> float:
    true, predicted = set(true), set(predicted)
    return 1.0 if not true and not predicted else 2 * len(true & predicted) / (len(true) + len(predicted))


PREDICTED: list[list[str]] = trained().predict(TEXTS)
F1 = np.array([f1_of(*pair) for pair in zip(LABELS, PREDICTED, strict=True)])


def test_the_row_of_the_model() -> None:
    row = report().table("baselines").records()[0]
    assert row["instance_f1"] == pytest.approx(F1.mean())
    assert row["set_accuracy"] == pytest.approx((F1 == 1).mean())
    shared = sum(len(set(t) & set(p)) for t, p in zip(LABELS, PREDICTED, strict=True))
    assert row["micro_f1"] == pytest.approx(2 * shared / sum(map(len, [*LABELS, *PREDICTED])))


def test_a_cut_at_one_half_and_the_most_frequent_set() -> None:
    rows = {row["prediction"]: row for row in report().table("baselines").records()}
    probability = trained().posterior(TEXTS).marginals()
    cut = [[name for name, p in zip(trained().classes_, row, strict=True) if p > 0.5] for row in probability]
    scores = [f1_of(*pair) for pair in zip(LABELS, cut, strict=True)]
    assert rows["cut at one half"]["instance_f1"] == pytest.approx(np.mean(scores))
    assert rows["cut at one half"]["set_accuracy"] == pytest.approx(np.mean(np.array(scores) == 1))
    frequent = Counter(tuple(sorted(names)) for names in noisy(200, 1)[1]).most_common(1)[0][0]
    scores = [f1_of(true, frequent) for true in LABELS]
    assert rows["most frequent set"]["instance_f1"] == pytest.approx(np.mean(scores))


@pytest.mark.parametrize("may_be_empty", [True, False])
def test_the_tuned_threshold_is_never_tuned_on_the_half_that_it_is_scored_on(may_be_empty: bool) -> None:
    texts, labels = noisy(200, 1)
    keep = [i for i, names in enumerate(labels) if may_be_empty or names]
    classifier = SetClassifier(BinaryRelevance(1e-3, n_jobs=1), "support", "gfm", calibration=None, n_jobs=1)
    classifier.fit([texts[i] for i in keep], [labels[i] for i in keep])
    probability = classifier.posterior(TEXTS).marginals()
    fold = np.random.default_rng(0).random(len(TEXTS)) < 0.5

    def cut(row: Any, level: float) -> list[str]:
        chosen = [name for name, p in zip(classifier.classes_, row, strict=True) if p > level]
        return chosen or ([] if may_be_empty else [classifier.classes_[int(row.argmax())]])

    def scores(level: float) -> Any:
        return np.array([f1_of(true, cut(row, level)) for true, row in zip(LABELS, probability, strict=True)])

    levels = np.arange(1, 100) / 100
    by_level = np.array([scores(level) for level in levels])
    best = [int(np.argmax(by_level[:, fold == number].sum(axis=1).round(9))) for number in (0, 1)]
    expected = (by_level[best[1], fold == 0].sum() + by_level[best[0], fold == 1].sum()) / len(TEXTS)
    rows = {row["prediction"]: row for row in make_report(classifier, TEXTS, LABELS).table("baselines").records()}
    assert rows["tuned threshold"]["instance_f1"] == pytest.approx(expected, abs=1e-9)


def test_labels_with_their_training_frequency() -> None:
    trained_on = Counter(name for names in noisy(200, 1)[1] for name in names)
    rows = {row["label"]: row for row in report().table("labels").records()}
    assert set(rows) == {name for names in (*LABELS, *PREDICTED) for name in names}
    for name, row in rows.items():
        true, predicted = ([name in one for one in sets] for sets in (LABELS, PREDICTED))
        assert row["n_training"] == trained_on[name]
        assert (row["n_true"], row["n_predicted"]) == (sum(true), sum(predicted))
        both = sum(t and p for t, p in zip(true, predicted, strict=True))
        assert row["f1"] == pytest.approx(2 * both / (sum(true) + sum(predicted)))
    assert rows["never seen"]["n_training"] == 0
    by_frequency = report().table("labels_by_frequency").records()
    assert by_frequency[0]["n_training"] == "none"
    assert by_frequency[0]["macro_f1"] == 0.0
    assert sum(row["n_labels"] for row in by_frequency) == len(rows)


def test_confusions_are_pairs_of_a_missed_and_a_wrong_label() -> None:
    expected = Counter(
        pair
        for true, predicted in zip(LABELS, PREDICTED, strict=True)
        for pair in product(set(true) - set(predicted), set(predicted) - set(true))
    )
    rows = report().table("confusions").records()
    assert {(row["true_label"], row["predicted_label"]): row["n_documents"] for row in rows} == expected
    counts = [row["n_documents"] for row in rows]
    assert counts == sorted(counts, reverse=True)


label_sets = st.lists(st.lists(st.sampled_from("abc"), unique=True), min_size=1, max_size=8)


@settings(max_examples=30, deadline=None)
@given(label_sets)
def test_confusions_and_sizes_of_any_label_sets(labels: list[list[str]]) -> None:
    texts = ["a goal for the striker", "rain and storm", "the minister", ""][: len(labels)] * 2
    labels = labels[: len(texts)]
    classifier, scorer = trained(), BatchScorer(trained())
    scorer.add(classifier.vectorizer_.transform(texts[: len(labels)]), labels)
    evaluation = scorer.evaluation()
    predicted = classifier.predict(texts[: len(labels)])
    wrong = sum(len(set(t) - set(p)) * len(set(p) - set(t)) for t, p in zip(labels, predicted, strict=True))
    assert sum(confusion_table(evaluation).column("n_documents")) == wrong
    sizes = Counter((len(t), len(p)) for t, p in zip(labels, predicted, strict=True))
    assert {row[:2]: row[2] for row in size_table(evaluation).rows} == sizes
    assert evaluation.seen.tolist() == [tuple(sorted(t)) in _training_sets() for t in labels]


def _training_sets() -> set[tuple[str, ...]]:
    return {tuple(sorted(names)) for names in noisy(200, 1)[1]}


def test_reliability_bins_contain_every_document_once() -> None:
    sure = trained().confidence(TEXTS)
    for name, stated, outcome in (
        ("reliability_of_confidence", sure.probability, F1 == 1),
        ("reliability_of_expected_f1", sure.expected_f1, F1),
    ):
        rows = report().table(name).records()
        assert sum(row["n_documents"] for row in rows) == len(TEXTS)
        for row in rows:
            last = row["high"] == 1.0
            inside = (stated >= row["low"]) & ((stated < row["high"]) | last)
            assert row["n_documents"] == inside.sum()
            assert row["stated"] == pytest.approx(stated[inside].mean())
            assert row["measured"] == pytest.approx(outcome[inside].mean())
            assert row["interval_low"] <= row["measured"] <= row["interval_high"]


def test_the_automation_curve_and_its_targets() -> None:
    probability, right = trained().confidence(TEXTS).probability, F1 == 1
    for row in report().table("automation_curve").records():
        accepted = probability >= row["threshold"]
        assert row["n_documents"] == accepted.sum()
        assert row["accuracy"] == pytest.approx(right[accepted].mean())
        assert row["f1"] == pytest.approx(F1[accepted].mean())
    assert row["share"] == 1.0
    for row in report().table("automation_targets").records():
        stated = probability if row["metric"] == "accuracy" else trained().confidence(TEXTS).expected_f1
        outcome = right.astype(float) if row["metric"] == "accuracy" else F1
        found = automation_threshold(stated, outcome, row["target"], metric=row["metric"])
        assert (row["threshold"], row["share"], row["bound"]) == (found.threshold, found.share, found.bound)


def test_a_stored_threshold_comes_first() -> None:
    classifier = SetClassifier("br", budget="quick", n_jobs=1).fit(*noisy(400, 1))
    classifier.automate(*noisy(400, 2), target_accuracy=0.3)
    row = make_report(classifier, TEXTS, LABELS).table("automation_targets").records()[0]
    accepted = classifier.accepts(classifier.confidence(TEXTS))
    assert row["found_on"] == "the model file"
    assert row["share"] == accepted.mean() > 0


def test_the_documents_are_the_worst_and_the_most_surprising() -> None:
    probability = trained().confidence(TEXTS).probability
    n_wrong = np.array([len(set(t) ^ set(p)) for t, p in zip(LABELS, PREDICTED, strict=True)])
    rows = report().table("documents").records()
    groups = {name: [row["row"] - 1 for row in rows if row["group"] == name] for name in {row["group"] for row in rows}}
    assert {name: len(group) for name, group in groups.items()} == {
        "Worst": 5,
        "Confident and wrong": 5,
        "Unsure and right": 5,
    }
    assert sorted(n_wrong[groups["Worst"]]) == sorted(n_wrong)[-5:]
    assert sorted(probability[groups["Confident and wrong"]]) == pytest.approx(sorted(probability[F1 < 1])[-5:])
    assert sorted(probability[groups["Unsure and right"]]) == pytest.approx(sorted(probability[F1 == 1])[:5])
    cards = [card for section in report().sections for group in section.groups for card in group.cards]
    for card in cards:
        (one,) = card.judged
        assert one.text == TEXTS[one.row - 1]
        assert set(one.true) == set(LABELS[one.row - 1])
        assert one.explanation is not None
        assert set(one.explanation.labels) == set(one.predicted) == set(PREDICTED[one.row - 1])


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setwise.reports.builder.BATCH", 17)
    in_batches, whole = (json.dumps(one.as_dict()) for one in (make_report(trained(), TEXTS, LABELS), report()))
    first, second = json.loads(in_batches), json.loads(whole)
    for one, other in zip(*(made["tables"].pop("baselines")["rows"] for made in (first, second)), strict=True):
        assert one == pytest.approx(other)  # sums of numbers, in another order
    assert first == second


def test_tables_as_frames_and_json() -> None:
    made = report()
    for table in made.tables:
        frame = made.frame(table.name)
        assert list(frame.columns) == [column.name for column in table.columns]
        assert len(frame) == len(table.rows)
    numbers = json.loads(json.dumps(made.as_dict(), allow_nan=False))
    assert numbers["tables"]["labels"]["rows"] == made.table("labels").records()
    assert list(numbers["documents"]) == ["Worst", "Confident and wrong", "Unsure and right"]


def test_without_pandas_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(Incompatible, match="pandas, which is not installed"):
        report().frame("labels")


def test_a_table_that_is_not_there() -> None:
    with pytest.raises(InvalidParameter, match=r"no table 'x'. It has baselines, "):
        report().frame("x")


def test_without_tuning_there_is_no_confidence_and_the_sections_say_so() -> None:
    classifier = SetClassifier(BinaryRelevance(1e-3, n_jobs=1), "support", "gfm", calibration=None, n_jobs=1)
    made = make_report(classifier.fit(*noisy(200, 1)), TEXTS, LABELS)
    for name in ("automation_curve", "automation_targets", "reliability_of_confidence"):
        assert made.table(name).rows == []
        assert "has no confidence" in made.table(name).why_empty
    assert made.table("reliability_of_expected_f1").rows  # as the recipe states it
    assert "Nothing was tuned" in made.table("tuning_models").why_empty
    page = made.html()
    assert "This model has no confidence" in page
    assert "Nothing was tuned" in page
    assert any("has not learned how sure it is" in sentence for sentence in made.summary)


def test_a_model_that_has_no_probabilities() -> None:
    classifier = SetClassifier(BinaryRelevance(1e-3, n_jobs=1), "mode", "most_probable", calibration=None, n_jobs=1)
    made = make_report(classifier.fit(*noisy(200, 1)), TEXTS, LABELS)
    assert made.table("reliability_of_expected_f1").rows == []
    assert made.table("documents").column("group") == ["Worst"] * 5
    assert "It is the most probable set" in made.html()


def test_features_without_texts() -> None:
    vectorizer = trained().vectorizer_
    classifier = SetClassifier("br", budget="quick", n_jobs=1)
    texts, labels = noisy(200, 1)
    classifier.fit(vectorizer.transform(texts), labels)
    for X in (vectorizer.transform(TEXTS), vectorizer.transform(TEXTS).toarray()):
        made = make_report(classifier, X, LABELS)
        assert made.table("baselines").column("instance_f1")[0] == pytest.approx(F1.mean(), abs=0.1)
        assert "<mark" not in made.html()


@pytest.mark.parametrize("form", ["array", "frame", "integers"])
def test_labels_in_other_forms(form: str) -> None:
    pd: Any = pytest.importorskip("pandas")
    texts = ["red fox", "blue hen", "red hen", "grey owl"] * 30
    names = [["red", "fox"], ["blue", "hen"], ["red", "hen"], []] * 30
    columns = sorted({name for one in names for name in one})
    indicator = np.array([[int(name in one) for name in columns] for one in names])
    y: Any = {
        "array": indicator,
        "frame": pd.DataFrame(indicator, columns=columns),
        "integers": [[columns.index(name) for name in one] for one in names],
    }[form]
    made = make_report(SetClassifier("br", budget="quick", n_jobs=1).fit(texts, y), texts, y)
    assert made.table("labels").column("n_true") == sorted(indicator.sum(axis=0), reverse=True)
    assert made.table("baselines").column("set_accuracy")[0] == 1.0


def test_one_label_and_empty_sets() -> None:
    texts, labels = ["red fox", "blue hen"] * 40, [["fox"], []] * 40
    made = make_report(SetClassifier("br", budget="quick", n_jobs=1).fit(texts, labels), texts, labels)
    assert made.table("labels").column("label") == ["fox"]
    assert made.table("confusions").rows == []
    assert "<svg" in made.html()
    only_empty = make_report(trained(), ["red fox", ""], [[], []])
    assert "<section" in only_empty.html()


def test_one_document() -> None:
    assert "<section" in make_report(trained(), TEXTS[:1], LABELS[:1]).html()


@pytest.mark.parametrize(("n_texts", "n_labels"), [(3, 2), (0, 0)])
def test_documents_that_do_not_fit(n_texts: int, n_labels: int) -> None:
    with pytest.raises(InvalidData, match="rows but y has|at least one labeled document"):
        make_report(trained(), TEXTS[:n_texts], LABELS[:n_labels])


def test_tuning_that_an_older_file_does_not_store() -> None:
    classifier = SetClassifier("crf", budget="quick", n_jobs=1).fit(*noisy(120, 1))
    assert classifier.tuning_ is not None
    new = make_report(classifier, TEXTS, LABELS)
    assert new.table("tuning_curves").rows
    trials = [replace(one, row={**one.row, "history": []}) for one in classifier.tuning_.trials]
    older = [ModelTrial(name, "support, gfm", 0.5, 1, 1, None, of) for name, of in (("crf", trials), ("other", None))]
    classifier.tuning_ = replace(classifier.tuning_, trials=trials, model_trials=older)
    old = make_report(classifier, TEXTS, LABELS)
    assert old.table("tuning_curves").rows == []
    assert "written by an earlier version" in old.table("tuning_curves").why_empty
    assert "Not stored: the settings of other." in old.table("tuning_settings").note
    rows = [[row[1:] for row in one.table("tuning_settings").rows] for one in (old, new)]
    assert rows[0] == rows[1]


def test_the_summary_names_good_and_weak_labels() -> None:
    texts = ["red fox", "blue hen", "grey owl", "green cat"] * 30
    labels = [["fox"], ["hen"], ["owl"], ["cat"]] * 30
    classifier = SetClassifier("br", budget="quick", n_jobs=1).fit(texts, labels)
    wrong = [["fox"], ["hen"], ["owl"], ["hen"]] * 30
    summary = " ".join(make_report(classifier, texts, wrong).summary)
    assert "On 120 documents, 75.0 % of the predicted sets are exactly right, and the mean F1 is 75.0 %." in summary
    assert "Good at “fox” (F1 100 %) and “owl” (F1 100 %); weak at “hen” (F1 67 %)." in summary
    assert "Its most frequent confusion: “cat” in place of “hen”, in 30 documents." in summary
