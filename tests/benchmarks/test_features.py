"""The benchmark of the choice of features: every set is tested once, after all of them were trained."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from benchmarks.features import FeatureEffort
from benchmarks.features.rows import feature_rows, verdict_on_choice
from benchmarks.harness.texts import LabeledTexts, TextPart
from tests.benchmarks.small import number

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")


@dataclass(frozen=True)
class TinyTexts(LabeledTexts):
    """A small corpus whose labels depend on pairs of words alone; it records when its parts are read."""

    name: str = "tiny"
    events: list[str] = field(default_factory=list)

    def read(self, part: str, n_documents: int | None = None) -> TextPart:
        self.events.append(part)
        texts = ["red fox blue hen", "blue fox red hen", "red hen blue fox", "blue hen red fox"] * 12
        labels = [["fire"], ["ice"], ["ice"], ["fire"]] * 12
        return TextPart(texts[:n_documents], labels[:n_documents])


def test_the_chosen_features_are_marked_and_compared() -> None:
    corpus = TinyTexts()
    rows = list(feature_rows(corpus, FeatureEffort()))
    assert corpus.events == ["train", "test"]
    combined = "words + bigrams + character 3-5-grams"  # tried, because bigrams are a gain and characters no loss
    assert [row.entry for row in rows] == ["words", "words + bigrams", "words + character 3-5-grams", combined]
    (chosen,) = [row for row in rows if row.note == "chosen"]
    assert chosen.entry == "words + bigrams"
    assert chosen.verdict == "yes"
    assert number(chosen, "F1") == 100.0 > number(rows[0], "F1")
    assert number(chosen, "features") > number(rows[0], "features")


def test_the_verdict_says_what_was_lost() -> None:
    assert verdict_on_choice("tiny", 70.0, 70.3) == "yes"
    assert verdict_on_choice("tiny", 70.0, 70.5) == "no: 0.50 below the best"
    assert verdict_on_choice("brighter_chn", 60.0, 70.0) == "yes"
    assert verdict_on_choice("brighter_chn", 50.0, 50.0) == "no: the goal is 51"
