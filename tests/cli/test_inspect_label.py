"""``setwise inspect --label``: what a model knows about one label."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from setwise import SetClassifier
from setwise.cli.label_facts import find_label
from setwise.cli.top_features import strongest_features
from setwise.exceptions import InvalidParameter
from setwise.models import MODELS, BinaryRelevance
from tests.cli.corpus import WORDS, news
from tests.cli.process import call

DOCUMENTS = news(80)
TEXTS = [one["text"] for one in DOCUMENTS]
LABELS = [one["labels"] for one in DOCUMENTS]

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")


def saved(path: Path, model: Any = None, **options: Any) -> SetClassifier:
    settings: dict[str, Any] = {"inference": "support", "decision": "gfm", "calibration": None, "n_jobs": 1, **options}
    classifier = SetClassifier(model or BinaryRelevance(1e-3), **settings).fit(TEXTS, LABELS)
    classifier.save(path)
    return classifier


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "news.setwise"
    saved(path)
    return path


def facts_of(model: Path, label: str, *options: str) -> dict[str, Any]:
    shown = call("inspect", model, "--label", label, "--json", *options)
    assert shown.returncode == 0, shown.stderr
    facts: dict[str, Any] = json.loads(shown.stdout)
    return facts


@pytest.mark.parametrize("label", WORDS)
def test_counts_are_those_of_the_training_documents(model: Path, label: str) -> None:
    facts = facts_of(model, label)
    own = [labels for labels in LABELS if label in labels]
    others = Counter(other for labels in own for other in labels if other != label)
    assert facts["documents"] == len(own)
    assert facts["n_documents"] == len(LABELS)
    assert facts["share"] == pytest.approx(len(own) / len(LABELS))
    assert facts["alone"] == sum(labels == [label] for labels in own)
    assert facts["label_sets"] == len({tuple(labels) for labels in own})
    assert {one["label"]: one["documents"] for one in facts["occurs_with"]} == others
    for one in facts["occurs_with"]:
        share_of_all = sum(one["label"] in labels for labels in LABELS) / len(LABELS)
        assert one["share"] == pytest.approx(others[one["label"]] / len(own))
        assert one["lift"] == pytest.approx(one["share"] / share_of_all)
    counts = [one["documents"] for one in facts["occurs_with"]]
    assert counts == sorted(counts, reverse=True)


def test_the_strongest_features_are_words_of_the_label(model: Path) -> None:
    facts = facts_of(model, "sport", "--top-features", "3")
    assert {name for name, _ in facts["top_features"]} <= set(WORDS["sport"])
    assert len(facts["top_features"]) == len(facts["against_features"]) == 3
    assert all(weight > 0 for _, weight in facts["top_features"])
    assert all(weight < 0 for _, weight in facts["against_features"])


def test_features_for_and_against_are_sorted_by_the_size_of_their_weight() -> None:
    class Weights:
        def label_weights(self) -> sp.csr_array:
            return sp.csr_array(np.array([[0.0, 0.0, 9.0, 0.0, 0.0], [0.5, -2.0, 3.0, 3.0, -0.1]]))

    top, against = strongest_features(Weights(), 1, 3)
    assert top == [(2, 3.0), (3, 3.0), (0, 0.5)]
    assert against == [(1, -2.0), (4, -0.1)]
    assert strongest_features(Weights(), 1, 1) == ([(2, 3.0)], [(1, -2.0)])


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_facts(name: str, tmp_path: Path) -> None:
    classifier = SetClassifier(name, budget="quick", cv=2, n_jobs=1).fit(TEXTS[:40], LABELS[:40])
    classifier.save(tmp_path / "m")
    facts = facts_of(tmp_path / "m", "sport")
    assert np.isfinite(facts["intercept"])
    assert call("inspect", tmp_path / "m", "--label", "sport").returncode == 0


def test_what_decides_about_a_label(model: Path, tmp_path: Path) -> None:
    assert facts_of(model, "sport")["threshold"] is None
    assert facts_of(model, "sport")["decided_by"] == "support inference and gfm, which choose whole sets"
    classifier = saved(tmp_path / "m", decision="threshold", inference="exact")
    facts = facts_of(tmp_path / "m", "sport")
    assert facts["threshold"] == float(np.ravel(classifier.recipe_.threshold)[0])
    assert facts["decided_by"] == f"a probability above {facts['threshold']:.3g}, of exact inference"


def test_the_tables_fit_in_80_columns(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = call("inspect", model, "--label", "economy")
    lines = shown.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in shown.stdout
    assert lines[0].split() == ["label", "economy"]
    assert any(line.split()[:1] == ["politics"] and len(line.split()) == 4 for line in lines)


def test_how_many_labels_are_listed(tmp_path: Path) -> None:
    many = [["a", "b", "c"], ["a", "b"], ["d"]]
    classifier = SetClassifier(BinaryRelevance(1e-3), "support", "gfm", calibration=None, n_jobs=1)
    classifier.fit(["one two", "one three", "four"], many).save(tmp_path / "m")
    all_of_them, first = (call("inspect", tmp_path / "m", "--label", "a", "--show", show) for show in ("0", "1"))
    assert first.stderr == "showing the 1 most frequent of 2 labels; --show 0 shows all.\n"
    assert all_of_them.stderr == ""
    assert [line.split()[0] in "bc" for line in all_of_them.stdout.splitlines()[-2:]] == [True, True]
    assert first.stdout.splitlines()[-1].split()[0] == "b"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("sprot", "Did you mean 'sport'?"),
        ("SPORT", "Did you mean 'sport'?"),
        ("econmy", "Did you mean 'economy'?"),
        ("xyz", "Its 4 labels are 'economy', 'politics', 'sport', 'weather'."),
    ],
)
def test_a_label_that_does_not_exist(model: Path, name: str, hint: str) -> None:
    refused = call("inspect", model, "--label", name)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == f"error: The model has no label {name!r}. {hint}\n"


def test_of_many_labels_only_some_are_listed() -> None:
    with pytest.raises(InvalidParameter, match=r"Its 9 labels are '1', '2', '3', '4', '5', \.\.\.\.$"):
        find_label("xyz", range(1, 10))
    assert find_label("7", range(1, 10)) == 6
