"""One path from documents to sets: whoever asks, a document gets the same set.

``predict``, ``predict_with_value``, the command ``predict`` and what the command ``evaluate`` scores are compared for
every model, inference and decision that can be combined.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from typer.testing import CliRunner

from setwise import SetClassifier
from setwise.cli.app import app
from setwise.decision import DECISIONS
from setwise.exceptions import Incompatible
from setwise.inference import INFERENCES
from setwise.labels import SetCalibration
from setwise.models import MODELS, LabelSizeFactors
from setwise.prediction import are_compatible
from setwise.reports import BatchScorer
from setwise.text import TextVectorizer
from tests.cli.corpus import COMMON, WORDS, news, write_jsonl

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

TRAIN = news(60)
TRAIN_LABELS: Any = [one["labels"] for one in TRAIN]
BATCH = 7

PAIRS = [
    (inference, decision) for inference in INFERENCES for decision in DECISIONS if are_compatible(inference, decision)
]


def mixed_texts(n: int) -> list[str]:
    """Texts with words of any labels, so that little is certain."""
    random = np.random.default_rng(5)
    words = [*COMMON, *(word for own in WORDS.values() for word in own)]
    return [" ".join(random.choice(words, size=8)) for _ in range(n)]


TEXTS = mixed_texts(40)
VECTORIZER = TextVectorizer()
X = VECTORIZER.fit_transform([str(one["text"]) for one in TRAIN])
NEW = VECTORIZER.transform(TEXTS)

_fitted: dict[Any, SetClassifier] = {}


def fitted(model: Any, inference: Any, decision: Any, **options: Any) -> SetClassifier:
    """Return the classifier, fitted once; a threshold equals a probability that occurs among the documents."""
    key = (str(model), inference, decision, str(options))
    if key not in _fitted:
        made = MODELS[model].model(n_jobs=1) if isinstance(model, str) else model
        parameters: Any = {"calibration": None, "n_samples": 30, "n_jobs": 1, **options}
        classifier = SetClassifier(made, inference, decision, **parameters)
        try:
            classifier.fit(X, TRAIN_LABELS)
        except Incompatible as refusal:
            pytest.skip(str(refusal))
        if decision == "threshold":
            occurring = np.sort(classifier.predict_proba(NEW).ravel())
            middle = float(occurring[3 * occurring.size // 4])
            classifier.set_params(threshold=middle).fit(X, TRAIN_LABELS)
        _fitted[key] = classifier
    return _fitted[key]


def run(*arguments: Any) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


CALIBRATED = {"calibration": SetCalibration(0.7, 0.0, 0.2)}
CASES: list[Any] = [(model, *pair, {}) for model in MODELS for pair in PAIRS]
CASES += [(model, *pair, CALIBRATED) for model in ("br", "cbm") for pair in PAIRS if pair[0] in ("exact", "blend")]
CASES += [(LabelSizeFactors("multinomial", n_jobs=1), "exact", decision, {}) for decision in ("gfm", "threshold")]
CASES += [("br", "exact", "threshold", {"at_least_one": True}), ("lsf", "exact", "gfm", {"at_least_one": True})]


@pytest.mark.parametrize(("model", "inference", "decision", "options"), CASES, ids=str)
def test_every_path_gives_the_same_sets(
    model: Any, inference: Any, decision: Any, options: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    classifier = fitted(model, inference, decision, **options)
    predicted = classifier.predict(NEW)
    decided = classifier.predict_with_value(NEW)
    assert classifier.labels_.with_indicator(decided.sets).as_given() == predicted
    scorer = BatchScorer(classifier)
    scorer.add(NEW, predicted)
    assert scorer.scores().metrics["set_accuracy"] == 1.0

    monkeypatch.setattr("setwise.cli.predict.BATCH", BATCH)
    monkeypatch.setattr("setwise.cli.evaluate.BATCH", BATCH)
    file, documents, out = tmp_path / "m.setwise", tmp_path / "d.jsonl", tmp_path / "p.jsonl"
    classifier.save(file, VECTORIZER)
    write_jsonl(documents, [{"text": t, "labels": labels} for t, labels in zip(TEXTS, predicted, strict=True)])
    run("predict", file, documents, "-o", out)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["labels"] for row in rows] == predicted
    stated = [np.nan if row["expected_f1"] is None else row["expected_f1"] for row in rows]
    assert_allclose(stated, decided.value, rtol=0, atol=1e-12)
    assert json.loads(run("evaluate", file, documents, "--json"))["set_accuracy"] == 1.0


@pytest.mark.parametrize("inference", ["support", "exact", "sampled", "blend"])
@pytest.mark.parametrize("model", [*MODELS, LabelSizeFactors("multinomial", n_jobs=1)], ids=str)
@settings(max_examples=20)
@given(place=st.integers(0, NEW.shape[0] * 4 - 1))
def test_a_threshold_cuts_what_predict_proba_gives(model: Any, inference: Any, place: int) -> None:
    classifier = fitted(model, inference, "threshold")
    chances = classifier.predict_proba(NEW)
    level = float(chances.ravel()[place])  # one that occurs: above it is not at it
    classifier.recipe_ = replace(classifier.recipe_, threshold=level)
    assert_array_equal(classifier.predict_with_value(NEW).sets.toarray(), chances > level)
    assert_array_equal(classifier._predict_labels(NEW).indicator.toarray(), chances > level)


@pytest.mark.parametrize("model", ["br", "pcc", "cbm"])
def test_a_sampled_prediction_depends_on_its_document_alone(model: str) -> None:
    classifier = fitted(model, "sampled", "gfm")
    whole = classifier.predict_proba(NEW)
    assert_array_equal(whole[::-1], classifier.predict_proba(NEW[::-1]))
    assert_array_equal(whole[11:12], classifier.predict_proba(NEW[11:12]))
