"""A corpus of the paper, with BR at l1_ratio 1 and strength 1/n: what each inference and decision attains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from setwise.classifier import SetClassifier
from setwise.decision import gfm, most_probable
from setwise.inference import ExactInference, ModeInference, SampledInference, SetCalibration, SupportInference
from setwise.inference.blocks import document_blocks
from setwise.labels import Decision
from setwise.metrics import calibration_error, instance_f1
from setwise.metrics.overlap import Overlap, read_pair
from setwise.models.br import BinaryRelevance


@pytest.fixture(scope="module")
def fitted(corpus: Any) -> SetClassifier:
    X, y = corpus("bibtex").read("train")
    return SetClassifier(
        BinaryRelevance(1.0 / X.shape[0], l1_ratio=1.0), "support", "gfm", calibration="likelihood", held_out=0.2
    ).fit(X, y)


@pytest.fixture(scope="module")
def test_part(corpus: Any) -> tuple[Any, Any]:
    X, y = corpus("bibtex").read("test")
    return X, y


def decided(fitted: SetClassifier, X: Any, inference: Any, decision: Any) -> Decision:
    parts = [decision(inference.infer(fitted.model_, some)) for some in document_blocks(X, inference.block(159))]
    sets = np.vstack([part.sets.toarray() for part in parts])
    return Decision(sets, np.concatenate([part.value for part in parts]))


def percent(fitted: SetClassifier, part: tuple[Any, Any], inference: Any, decision: Any) -> float:
    X, y = part
    return 100.0 * instance_f1(y, decided(fitted, X, inference, decision).sets)


def test_support_and_gfm_attain_what_they_should(fitted: SetClassifier, test_part: tuple[Any, Any]) -> None:
    over = SupportInference(fitted.support_)
    assert percent(fitted, test_part, ModeInference(), most_probable) >= 39.0
    assert percent(fitted, test_part, over, most_probable) >= 44.5
    plain = percent(fitted, test_part, over, gfm)
    assert plain >= 47.0
    assert 100.0 * fitted.score(*test_part) > plain  # calibrated


def test_exact_marginals_are_as_good_as_a_thousand_samples(fitted: SetClassifier, test_part: tuple[Any, Any]) -> None:
    exact = percent(fitted, test_part, ExactInference(), gfm)
    assert exact >= percent(fitted, test_part, SampledInference(1000), gfm)


def test_calibration_makes_stated_probabilities_and_expected_f1_honest(
    fitted: SetClassifier, test_part: tuple[Any, Any]
) -> None:
    X, y = test_part
    errors = []
    for calibration in (SetCalibration(), fitted.calibration_):
        inference = SupportInference(fitted.support_, calibration)
        likely, best = decided(fitted, X, inference, most_probable), decided(fitted, X, inference, gfm)
        right = (likely.sets == y.toarray()).all(axis=1)
        attained = Overlap.by_document(*read_pair(y, best.sets)).f1
        errors.append((calibration_error(likely.value, right), calibration_error(best.value, attained)))
    (plain_set, plain_f1), (set_error, f1_error) = errors
    assert set_error < plain_set / 3  # 0.03 and 0.25
    assert f1_error < plain_f1 / 2  # 0.06 and 0.18
