"""A model from outside the package needs one line in the registry, and nothing else, to be a model like the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_array_equal
from typer.testing import CliRunner

import setwise
from setwise import SetClassifier
from setwise.cli.app import app
from setwise.exceptions import Incompatible, InvalidParameter
from setwise.models import MODELS
from tests.cli.corpus import news, write_jsonl
from tests.contracts.test_models import (  # the same suite, on the ``estimator`` of this module
    TestAnswers,
    TestBadInput,
    TestDeclaration,
    TestOddData,
    TestState,
    TestTraining,
)
from tests.contracts.toy_model import ENTRY, LabelFrequencies

__all__ = ["TestAnswers", "TestBadInput", "TestDeclaration", "TestOddData", "TestState", "TestTraining"]

TRAIN = news(80)
TEXTS = [str(document["text"]) for document in TRAIN]
LABELS: Any = [document["labels"] for document in TRAIN]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "toy", ENTRY)


@pytest.fixture
def estimator() -> LabelFrequencies:
    return LabelFrequencies(strength=0.01)


@pytest.fixture
def classifier() -> SetClassifier:
    return SetClassifier("toy", budget="quick", cv=2, n_jobs=1).fit(TEXTS, LABELS)


def run(*arguments: Any) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_without_its_line_it_is_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delitem(MODELS, "toy")
    with pytest.raises(
        InvalidParameter,
        match=f"model must be one of 'auto', {', '.join(map(repr, MODELS))} or a model",
    ):
        SetClassifier("toy").fit(TEXTS, LABELS)
    fitted = SetClassifier(LabelFrequencies(), "support", "gfm", calibration=None).fit(TEXTS, LABELS)
    with pytest.raises(Incompatible, match="LabelFrequencies is not a registered model"):
        fitted.save(tmp_path / "toy.setwise")
    assert "toy" not in run("train", "--help")


def test_its_grid_is_tuned(classifier: SetClassifier) -> None:
    assert isinstance(classifier.model_, LabelFrequencies)
    result = classifier.tuning_
    assert result is not None
    assert {trial.setting.strength for trial in result.trials} == {1.0, 1e-2, 1e-4}
    assert classifier.model_.strength == result.model.strength
    assert result.n_iterations is not None  # its early stopping too
    assert len(set(map(tuple, classifier.predict(TEXTS)))) == 1  # features are ignored


def test_its_file_gives_the_same_bits(classifier: SetClassifier, tmp_path: Path) -> None:
    classifier.save(tmp_path / "toy.setwise")
    loaded = setwise.load(tmp_path / "toy.setwise")
    assert isinstance(loaded.model_, LabelFrequencies)
    assert loaded.model == "toy"
    assert_array_equal(loaded.model_.intercept_, classifier.model_.intercept_)
    assert_array_equal(loaded.predict_proba(TEXTS), classifier.predict_proba(TEXTS))
    assert_array_equal(loaded.expected_f1(TEXTS), classifier.expected_f1(TEXTS))
    assert loaded.predict(TEXTS) == classifier.predict(TEXTS)


def test_the_command_line_offers_trains_inspects_and_predicts_it(tmp_path: Path) -> None:
    assert "toy" in run("train", "--help")
    data, file = write_jsonl(tmp_path / "docs.jsonl", TRAIN), tmp_path / "toy.setwise"
    trained = json.loads(run("train", data, "-o", file, "--model", "toy", "--budget", "quick", "--json"))
    assert trained["tuning"]["settings"]["strength"] in (1.0, 1e-2, 1e-4)
    facts = json.loads(run("inspect", file, "--json"))
    assert facts["model"] == "LabelFrequencies"
    assert facts["labels"] == len(facts["per_label"]) == 4
    assert "LabelFrequencies" in run("inspect", file)
    run("predict", file, data, "-o", tmp_path / "predicted.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "predicted.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["labels"] for row in rows] == setwise.load(file).predict(TEXTS)
    assert "instance_f1" in json.loads(run("evaluate", file, data, "--json"))


def test_it_can_be_compared_with_the_others(tmp_path: Path) -> None:
    assert "toy" in run("compare", "--help")
    data = write_jsonl(tmp_path / "docs.jsonl", TRAIN)
    table = run("compare", data, "--models", "br,toy", "--budget", "quick")
    assert "toy" in table
