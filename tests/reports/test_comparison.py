"""Two models side by side: numbers against brute force, intervals, and the documents where they differ."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from setwise import SetClassifier
from setwise.metrics import instance_f1, macro_f1, micro_f1, paired_difference
from setwise.models import BinaryRelevance
from setwise.reports import Report, compare_report
from tests.reports.small import LABELS, TEXTS, noisy, trained
from tests.reports.test_page import outline


def weak() -> SetClassifier:
    texts, labels = noisy(60, 3)
    classifier = SetClassifier(BinaryRelevance(3e-2, n_jobs=1), "support", "gfm", calibration=None, n_jobs=1)
    return classifier.fit(texts, [[name for name in names if name != "weather"] for names in labels])


WEAK = weak()
FIRST, SECOND = WEAK.predict(TEXTS), trained().predict(TEXTS)


def f1_of(predicted: Any) -> Any:
    return np.array([instance_f1([t, ["x"]], [p, ["x"]]) * 2 - 1 for t, p in zip(LABELS, predicted, strict=True)])


@pytest.fixture(scope="module")
def made() -> Report:
    return compare_report(WEAK, trained(), TEXTS, LABELS, names=("weak", "<b>strong</b>"))


def test_metrics_and_their_intervals(made: Report) -> None:
    rows = {row["metric"]: row for row in made.table("metrics").records()}
    first, second = f1_of(FIRST), f1_of(SECOND)
    expected = paired_difference(second, first)
    row = rows["mean F1"]
    assert (row["first"], row["second"]) == pytest.approx((first.mean(), second.mean()))
    assert (row["difference"], row["low"], row["high"]) == pytest.approx((expected.mean, expected.low, expected.high))
    for name, metric in (("micro F1", micro_f1), ("macro F1", macro_f1)):
        row = rows[name]
        assert (row["first"], row["second"]) == pytest.approx((metric(LABELS, FIRST), metric(LABELS, SECOND)))
        assert row["low"] < row["difference"] < row["high"]
    assert rows["mean F1"]["low"] > 0


def test_the_interval_of_micro_and_macro_f1_is_that_of_resampled_documents(made: Report) -> None:
    random, rows = np.random.default_rng(1), {row["metric"]: row for row in made.table("metrics").records()}
    differences: dict[str, list[float]] = {"micro F1": [], "macro F1": []}
    for _ in range(150):
        drawn = random.integers(len(TEXTS), size=len(TEXTS))
        y, one, other = ([sets[i] for i in drawn] for sets in (LABELS, FIRST, SECOND))
        differences["micro F1"].append(micro_f1(y, other) - micro_f1(y, one))
        differences["macro F1"].append(macro_f1(y, other) - macro_f1(y, one))
    for name, values in differences.items():
        low, high = np.quantile(values, [0.025, 0.975])
        assert (rows[name]["low"], rows[name]["high"]) == pytest.approx((low, high), abs=0.25 * (high - low))


def test_wins_count_every_document_once(made: Report) -> None:
    first, second = f1_of(FIRST), f1_of(SECOND)
    same = np.array([set(a) == set(b) for a, b in zip(FIRST, SECOND, strict=True)])
    counts = made.table("wins").column("n_documents")
    assert counts == [
        int((first > second + 1e-9).sum()),
        int((second > first + 1e-9).sum()),
        int((np.isclose(first, second) & ~same).sum()),
        int(same.sum()),
    ]
    assert sum(counts) == len(TEXTS)


def test_labels_that_only_one_model_knows(made: Report) -> None:
    rows = {row["label"]: row for row in made.table("labels").records()}
    assert rows["weather"]["first"] == 0.0
    assert rows["weather"]["second"] > 0.7
    assert rows["weather"]["n_true"] == sum("weather" in names for names in LABELS)
    assert rows["weather"]["difference"] == rows["weather"]["second"]


def test_documents_where_they_differ(made: Report) -> None:
    difference = f1_of(SECOND) - f1_of(FIRST)
    groups = made.sections[-1].groups
    rows = [[card.judged[0].row - 1 for card in group.cards] for group in groups]
    assert sorted(-difference[rows[0]]) == pytest.approx(sorted(-difference)[-len(rows[0]) :])
    assert sorted(difference[rows[1]]) == pytest.approx(sorted(difference)[-5:])
    for group in groups:
        for card in group.cards:
            assert set(card.judged[0].predicted) == set(FIRST[card.judged[0].row - 1])
            assert set(card.judged[1].predicted) == set(SECOND[card.judged[1].row - 1])


def test_the_page_and_the_json(made: Report) -> None:
    parsed = outline(made.html())
    assert "<b>strong</b> is better" in parsed.text
    numbers = json.loads(json.dumps(made.as_dict(), allow_nan=False))
    assert numbers["tables"]["metrics"]["rows"][0]["metric"] == "mean F1"
    assert "<b>strong</b> is better: its mean F1 is" in made.summary[0]


def test_a_model_against_itself_shows_no_difference() -> None:
    same = compare_report(trained(), trained(), TEXTS, LABELS)
    assert "No difference that is more than chance" in same.summary[0]
    assert same.table("wins").column("n_documents") == [0, 0, 0, len(TEXTS)]
    assert same.table("metrics").column("high") == [0.0] * 4
    assert "A is better on no document." in same.html()


def test_features_without_texts() -> None:
    vectorizer = trained().vectorizer_
    X, (texts, labels) = vectorizer.transform(TEXTS), noisy(200, 1)
    strengths: Any = (BinaryRelevance(1e-1, n_jobs=1), BinaryRelevance(1e-3, n_jobs=1))
    models = [SetClassifier(one, "exact", "threshold", calibration=None) for one in strengths]
    first, second = (one.fit(vectorizer.transform(texts), labels) for one in models)
    made = compare_report(first, second, X, LABELS)
    assert "<mark" not in made.html()
    assert made.table("trust").column("number") == ["calibration error of expected F1"]
