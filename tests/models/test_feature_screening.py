"""Which features a CRF has weights for."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.labels import LabelMatrix
from setwise.learners import FeatureColumns, fit_labels
from setwise.models import BinaryRelevance, PairwiseCRF, feature_screening, support_likelihood
from tests.models.test_crf import problem

STRENGTH = 0.1
X, y = problem(60, 30, 4, 3)
LABELS = LabelMatrix.of(y)


@pytest.fixture(autouse=True)
def few_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Screen the features of small problems too."""
    monkeypatch.setattr(support_likelihood, "SCREENED_WEIGHTS", 1)


def used_by_br(sample_weight: np.ndarray | None = None) -> np.ndarray:
    """The features that BR uses."""
    model = BinaryRelevance(STRENGTH, 1.0, loss="squared_hinge").fit(X, y, sample_weight)
    return np.unique(model.coef_.indices)


@pytest.mark.parametrize("sample_weight", [None, np.linspace(0.5, 2.0, 60)], ids=["plain", "weighted"])
def test_a_screened_fit_is_the_fit_to_the_features_that_br_uses(sample_weight: np.ndarray | None) -> None:
    used = used_by_br(sample_weight)
    assert 0 < used.size < 30
    screened = PairwiseCRF(0.01, screening_strength=STRENGTH).fit(X, y, sample_weight)
    alone = PairwiseCRF(0.01).fit(sp.csr_array(X)[:, used], y, sample_weight)
    assert screened.n_features_in_ == screened.coef_.shape[1] == 30
    assert set(screened.coef_.indices) <= set(used.tolist())
    assert np.array_equal(screened.coef_.toarray()[:, used], alone.coef_.toarray())
    assert np.array_equal(screened.intercept_, alone.intercept_)


def test_without_a_strength_all_features_have_weights() -> None:
    assert np.unique(PairwiseCRF(0.01).fit(X, y).coef_.indices).size == 30


def test_few_weights_are_not_screened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support_likelihood, "SCREENED_WEIGHTS", 30 * 4)
    model = PairwiseCRF(0.01, screening_strength=STRENGTH).fit(X, y)
    assert np.array_equal(model.coef_.toarray(), PairwiseCRF(0.01).fit(X, y).coef_.toarray())


def test_where_br_uses_no_feature_all_have_weights() -> None:
    model = PairwiseCRF(0.01, screening_strength=1e3).fit(X, y)
    assert np.unique(model.coef_.indices).size == 30


def test_features_are_screened_once_for_several_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[float] = []

    def counted(*arguments: object, **options: float) -> object:
        fitted.append(options["strength"])
        return fit_labels(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(feature_screening, "fit_labels", counted)
    features = FeatureColumns.of(X)
    for strength in (0.1, 0.01):
        PairwiseCRF(strength, screening_strength=STRENGTH).fit(features, LABELS)
    PairwiseCRF(0.1, screening_strength=2 * STRENGTH).fit(features, LABELS)
    PairwiseCRF(0.1, screening_strength=STRENGTH).fit(features, LabelMatrix.of(y))
    assert fitted == [STRENGTH, 2 * STRENGTH, STRENGTH]
