"""A corpus of the paper, with BR at l1_ratio 1 and strength 1/n: what each inference and decision attains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from setwise import SetClassifier
from setwise.decision import gfm, most_probable
from setwise.labels import Decision, SetCalibration
from setwise.metrics import Overlap, calibration_error, instance_f1, read_pair
from setwise.models import BinaryRelevance
from setwise.posterior import Posterior
from setwise.prediction import Recipe


@pytest.fixture(scope="module")
def fitted(corpus: Any) -> SetClassifier:
    X, y = corpus("bibtex").read("train")
    return SetClassifier(
        BinaryRelevance(1.0 / X.shape[0], l1_ratio=1.0), "support", "gfm", calibration="likelihood", cv=0.2
    ).fit(X, y)


@pytest.fixture(scope="module")
def test_part(corpus: Any) -> tuple[Any, Any]:
    X, y = corpus("bibtex").read("test")
    return X, y


@pytest.fixture(scope="module")
def posterior(fitted: SetClassifier, test_part: tuple[Any, Any]) -> Posterior:
    return fitted.model_.posterior(test_part[0])


def percent(fitted: SetClassifier, posterior: Posterior, y: Any, recipe: Recipe) -> float:
    """Return the instance F1 of a recipe."""
    return 100.0 * instance_f1(y, recipe.decide(posterior, fitted.support_, with_value=False).sets)


def test_support_and_gfm_attain_what_they_should(
    fitted: SetClassifier, posterior: Posterior, test_part: tuple[Any, Any]
) -> None:
    y = test_part[1]
    assert percent(fitted, posterior, y, Recipe("mode", "most_probable")) >= 39.0
    assert percent(fitted, posterior, y, Recipe("support", "most_probable")) >= 44.5
    plain = percent(fitted, posterior, y, Recipe("support", "gfm"))
    assert plain >= 47.0
    assert 100.0 * fitted.score(*test_part) > plain  # calibrated


def test_exact_marginals_are_as_good_as_a_thousand_samples(
    fitted: SetClassifier, posterior: Posterior, test_part: tuple[Any, Any]
) -> None:
    exact = percent(fitted, posterior, test_part[1], Recipe("exact", "gfm"))
    assert exact >= percent(fitted, posterior, test_part[1], Recipe("sampled", "gfm", n_samples=1000))


def test_calibration_makes_stated_probabilities_and_expected_f1_honest(
    fitted: SetClassifier, posterior: Posterior, test_part: tuple[Any, Any]
) -> None:
    y = test_part[1]
    errors = []
    for calibration in (SetCalibration(), fitted.recipe_.calibration):
        likely = decided(fitted, posterior, calibration, most_probable)
        best = decided(fitted, posterior, calibration, gfm)
        right = (likely.sets.toarray() == y.toarray()).all(axis=1)
        attained = Overlap.by_document(*read_pair(y, best.sets)).f1
        errors.append((calibration_error(likely.value, right), calibration_error(best.value, attained)))
    (plain_set, plain_f1), (set_error, f1_error) = errors
    assert set_error < plain_set / 3  # 0.03 and 0.25
    assert f1_error < plain_f1 / 2  # 0.06 and 0.18


def decided(
    fitted: SetClassifier, posterior: Posterior, calibration: SetCalibration, decide: Callable[[Any], Decision]
) -> Decision:
    """Decide by a function whose value is that of its own criterion: of the most probable set, its probability."""
    recipe = Recipe("support", "gfm", calibration=calibration)
    return Decision.stacked([decide(block.beliefs) for block in recipe.blocks(posterior, fitted.support_)])
