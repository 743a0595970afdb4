"""Set calibration against a generic optimiser on the plain likelihood."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from setwise.exceptions import Incompatible, InvalidData
from setwise.inference import SupportInference, fit_calibration, fit_scaling, improve_calibration
from setwise.labels import IDENTITY, SetCalibration, Support
from setwise.models import LabelSizeFactors, PairwiseCRF
from setwise.posterior import LazyPosterior
from tests.inference.models import br_of_scores, random_cbm, support_of
from tests.models.corpora import small_corpus
from tests.oracles.sets import every_set

Array = NDArray[np.float64]

N_LABELS = 5
BR = br_of_scores(N_LABELS)


def some_support(model: Any = BR, random_state: int = 0) -> Support:
    random = np.random.default_rng(random_state)
    return support_of(model, every_set(N_LABELS)[random.permutation(32)[:14]], random.integers(1, 30, size=14))


def scored(calibration: SetCalibration, log_prob: Array, support: Support) -> Array:
    counts, sizes = np.log(np.maximum(support.counts, 0.5)), support.sets.sizes
    return calibration.scale * log_prob + calibration.prior * counts + calibration.size * sizes


def simulated(
    calibration: SetCalibration, support: Support, model: Any = BR, n: int = 4000, random_state: int = 1
) -> tuple[Array, NDArray[np.int64]]:
    """Documents whose sets are drawn from the calibrated distribution over the support."""
    random = np.random.default_rng(random_state)
    X = random.normal(-0.5, 2.0, size=(n, N_LABELS))
    chances = softmax(scored(calibration, model.posterior(X).log_prob(support.sets), support), axis=1)
    place = (random.random((n, 1)) < chances.cumsum(axis=1)).argmax(axis=1)
    return X, support.sets.indicator.toarray()[place]


def fitted_calibration(X: Array, y: Any, support: Support) -> SetCalibration:
    return fit_calibration(BR.posterior(X), y, support)


def loss(point: Array, log_prob: Array, own: NDArray[np.int64], support: Support) -> float:
    """The mean over documents of -log p(own set), plainly."""
    log_p = log_softmax(scored(SetCalibration(*point), log_prob, support), axis=1)
    return float(-log_p[np.arange(len(own)), own].mean())


@pytest.mark.parametrize("truth", [(1.0, 0.0, 0.0), (0.5, 0.6, 0.8), (1.6, 0.2, -0.7)], ids=str)
def test_a_true_calibration_is_recovered(truth: tuple[float, float, float]) -> None:
    support = some_support()
    found = fitted_calibration(*simulated(SetCalibration(*truth), support), support)
    assert_allclose(astuple(found), truth, rtol=0, atol=0.1)


@pytest.mark.parametrize("model", [BR, random_cbm(N_LABELS, N_LABELS)], ids=lambda model: type(model).__name__)
def test_no_generic_optimiser_does_better(model: Any) -> None:
    support = some_support(model)
    X, y = simulated(SetCalibration(0.6, 0.3, 0.5), support, model, n=200)
    found = fit_calibration(model.posterior(X), y, support)
    log_prob, own = model.posterior(X).log_prob(support.sets), support.index_of(y)
    generic = minimize(loss, np.array([1.0, 0.0, 0.0]), args=(log_prob, own, support), method="BFGS", tol=1e-9)
    here = np.array(astuple(found))
    assert_allclose(here, generic.x, rtol=0, atol=2e-4)
    assert loss(here, log_prob, own, support) <= generic.fun + 1e-10
    slope = [
        (loss(here + move, log_prob, own, support) - loss(here - move, log_prob, own, support)) / 2e-5
        for move in 1e-5 * np.eye(3)
    ]
    assert_allclose(slope, 0.0, atol=2e-5)
    assert loss(here, log_prob, own, support) < loss(np.array([1.0, 0.0, 0.0]), log_prob, own, support)


@pytest.mark.parametrize(("scale", "size"), [(1.0, 0.0), (0.6, -0.7), (1.5, 0.5)])
def test_the_scale_and_shift_of_logits_are_found_again(scale: float, size: float) -> None:
    """For independent labels: a logistic regression with one weight and one intercept for all."""
    random = np.random.default_rng(4)
    X = random.normal(-0.5, 2.0, size=(2000, N_LABELS))
    y = (random.random(X.shape) < expit(scale * X + size)).astype(int)
    found = fit_scaling(BR.posterior(X), y)
    assert found.prior == 0.0
    assert_allclose([found.scale, found.size], [scale, size], rtol=0, atol=0.1)

    def plain(point: Array) -> float:
        scores = point[0] * X + point[1]
        return float((np.logaddexp(0.0, scores) - y * scores).sum() / len(X))

    best = minimize(plain, np.array([1.0, 0.0]), tol=1e-9)
    assert_allclose([found.scale, found.size], best.x, rtol=0, atol=0.01)
    assert plain(np.array([found.scale, found.size])) <= best.fun + 1e-4


def test_extreme_logits_are_scaled_down_too(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    X = random.normal(-0.5, 2.0, size=(500, N_LABELS))
    y = (random.random(X.shape) < expit(X)).astype(int)
    whole = fit_scaling(BR.posterior(1e3 * X), y)
    assert np.isfinite(astuple(whole)).all()
    assert abs(whole.scale) < 0.1
    monkeypatch.setattr("setwise.posterior.SCORES_AT_ONCE", N_LABELS * 7)  # seven documents at a time
    lazy = BR.posterior(1e3 * X)
    assert isinstance(lazy, LazyPosterior)
    assert_allclose(astuple(fit_scaling(lazy, y)), astuple(whole), rtol=0, atol=1e-3)
    with pytest.raises(Incompatible, match="^PairwiseCRF has no `rescaled`"):
        fit_scaling(PairwiseCRF(strength=0.1).fit(X, y).posterior(X), y)


def test_documents_whose_set_is_unseen_have_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    support = some_support()
    X, y = simulated(SetCalibration(0.6, 0.3, 0.5), support, n=100)
    plain = fit_calibration(BR.posterior(X), y, support)
    unseen = next(row for row in every_set(N_LABELS) if support.index_of(row[None])[0] < 0)
    more = fitted_calibration(
        np.vstack([X, np.full((3, N_LABELS), 9.0)]), np.vstack([y, unseen, unseen, unseen]), support
    )
    assert_allclose(astuple(more), astuple(plain), rtol=1e-12)
    mixed = np.random.default_rng(0).permutation(100)
    monkeypatch.setattr("setwise.inference.base.BLOCK_BYTES", 8 * 4 * 14 * 7)  # seven documents at a time
    assert_allclose(astuple(fit_calibration(BR.posterior(X[mixed]), y[mixed], support)), astuple(plain), rtol=1e-7)
    with pytest.raises(InvalidData, match=r"^No set of y is in the support\. Hint: use exact"):
        fit_calibration(BR.posterior(X[:2]), [unseen, unseen], support)


def test_a_direction_in_which_nothing_can_be_told_is_left_alone() -> None:
    """All sets have one count and one size: prior and size tilt change nothing, so they stay zero."""
    support = support_of(BR, every_set(N_LABELS)[[1, 2, 4, 8, 16]])
    found = fitted_calibration(*simulated(SetCalibration(0.7), support, n=2000), support)
    assert found.scale == pytest.approx(0.7, abs=0.1)
    assert_allclose(astuple(found)[1:], 0.0, atol=1e-9)
    single = support_of(BR, every_set(N_LABELS)[[3]])
    assert fitted_calibration(np.zeros((2, N_LABELS)), every_set(N_LABELS)[[3, 3]], single) == IDENTITY


def test_extreme_scores_are_scaled_down_without_nan() -> None:
    support = some_support()
    X, y = simulated(IDENTITY, support, n=300)
    found = fitted_calibration(1e4 * X, y, support)
    assert np.isfinite(astuple(found)).all()
    assert found.scale < 0.01
    assert_allclose(astuple(fitted_calibration(1e2 * X, y, support))[0], 0.01, rtol=0.3)


def test_sets_that_the_model_rules_out_have_no_part() -> None:
    X, y = small_corpus(n=40)
    crf = PairwiseCRF(strength=0.1).fit(X, y)
    support = support_of(crf, y)
    unseen = next(row for row in every_set(5) if row.tolist() not in y.tolist())
    plain, more = (fit_calibration(crf.posterior(X), y, some) for some in (support, support.with_sets([unseen])))
    assert_allclose(astuple(more), astuple(plain), rtol=1e-9)
    extended = np.vstack([y, unseen])
    again = fit_calibration(crf.posterior(X[[*range(40), 0]]), extended, support.with_sets([unseen]))
    assert_allclose(astuple(again), astuple(plain), rtol=1e-9)


def test_calibration_makes_the_held_out_sets_more_probable() -> None:
    support = some_support()
    X, y = simulated(SetCalibration(0.5, 0.6, 0.8), support)
    found = fit_calibration(BR.posterior(X[:2000]), y[:2000], support)
    own = support.index_of(y[2000:])
    plain, better = (
        SupportInference(support, calibration).infer(BR.posterior(X[2000:])).probability[np.arange(2000), own]
        for calibration in (IDENTITY, found)
    )
    assert np.log(better).mean() > np.log(plain).mean()


def test_improved_calibration_is_never_worse() -> None:
    start = SetCalibration(0.8, 0.1, -0.2)
    tried: list[SetCalibration] = []

    def bumpy(calibration: SetCalibration) -> float:
        tried.append(calibration)
        return -round(10 * abs(calibration.scale - 0.5) + 10 * abs(calibration.size - 0.3))

    better = improve_calibration(start, bumpy)
    assert bumpy(better) > bumpy(start)
    assert len(tried) <= 60 + 6
    tried.clear()
    assert improve_calibration(start, lambda calibration: 1.0) is start  # nothing is better
    assert improve_calibration(start, bumpy, with_prior=False).prior == start.prior
    assert {calibration.prior for calibration in tried} == {start.prior}
    assert improve_calibration(start, lambda calibration: float(calibration == start)) is start
    assert bumpy(improve_calibration(start, bumpy, max_evaluations=5)) >= bumpy(start)


def test_calibration_needs_probabilities_of_sets() -> None:
    X, y = small_corpus(n=40)
    lsf = LabelSizeFactors(strength=0.1).fit(X, y)
    with pytest.raises(Incompatible, match=r"^LabelSizeFactors has no `log_prob`\. Hint: Support"):
        fit_calibration(lsf.posterior(X), y, support_of(lsf, y))


def test_the_identity_changes_nothing() -> None:
    assert IDENTITY.is_identity
    assert not SetCalibration(1.0, 0.0, 0.1).is_identity
