"""Support inference against no support, and against plain sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.special import softmax

from setwise import _core
from setwise.decision import gfm, most_probable
from setwise.inference import (
    BlendInference,
    ExactInference,
    ModeInference,
    SampledInference,
    SupportInference,
    documents_per_block,
    size_marginals_of,
)
from setwise.labels import SetCalibration
from setwise.models import PairwiseCRF
from tests.inference.models import br_of_scores, random_cbm, support_of, whole_support
from tests.models.corpora import small_corpus
from tests.oracles.fmeasure import expected_f_of_sets
from tests.oracles.mixture import set_log_prob
from tests.oracles.sets import every_set, size_marginals_by_sums

Array = NDArray[np.float64]

MODELS: dict[str, Any] = {"br": br_of_scores(6), "cbm": random_cbm(6, 6)}
X = np.random.default_rng(1).normal(-0.3, 2.0, size=(40, 6))

EXTREME = st.one_of(
    st.sampled_from([0.0, 1e4, -1e4, 36.0, -36.0, 709.0, -709.0, 745.5, -745.5]), st.floats(-1e4, 1e4), st.floats(-5, 5)
)


@st.composite
def extreme_scores(draw: st.DrawFn, max_labels: int = 6) -> Array:
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, max_labels)))
    return draw(hnp.arrays(np.float64, shape, elements=EXTREME))


@pytest.mark.parametrize("name", MODELS)
def test_over_all_sets_the_support_changes_nothing(name: str) -> None:
    model = MODELS[name]
    beliefs, exact = (
        SupportInference(whole_support(model)).infer(model.posterior(X)),
        ExactInference().infer(model.posterior(X)),
    )
    assert_allclose(beliefs.probability.sum(axis=1), 1.0, rtol=1e-14)
    assert_allclose(beliefs.probability, np.exp(model.posterior(X).log_prob(beliefs.sets)), rtol=0, atol=1e-13)
    assert_allclose(beliefs.marginals, model.posterior(X).marginals(), rtol=0, atol=1e-13)
    sizes = size_marginals_of(beliefs)
    assert_allclose(sizes.joint, exact.joint, rtol=0, atol=1e-13)
    assert_allclose(sizes.empty, exact.empty, rtol=0, atol=1e-13)
    assert_array_equal(gfm(beliefs).sets.toarray(), gfm(exact).sets.toarray())
    assert_allclose(gfm(beliefs).value, gfm(exact).value, rtol=0, atol=1e-13)
    modes = most_probable(ModeInference().infer(model.posterior(X)))
    assert_array_equal(most_probable(beliefs).sets.toarray(), modes.sets.toarray())
    assert_allclose(most_probable(beliefs).value, modes.value, rtol=0, atol=1e-13)


def test_probabilities_are_those_of_the_model_scaled_to_sum_to_one_over_the_support() -> None:
    model, sets = MODELS["cbm"], every_set(6)[[5, 9, 0, 63, 17]]
    support = support_of(model, sets, counts=[3, 1, 2, 1, 4])
    beliefs = SupportInference(support).infer(model.posterior(X))
    rows = support.sets.indicator.toarray()
    assert_array_equal(rows, sets[[4, 0, 2, 3, 1]])  # the most frequent first
    joint = np.exp(model.posterior(X).log_prob(rows))
    assert_allclose(beliefs.probability, joint / joint.sum(axis=1, keepdims=True), rtol=1e-12)
    assert_allclose(beliefs.marginals, beliefs.probability @ rows, rtol=0, atol=1e-15)
    sizes = size_marginals_of(beliefs)
    joint, empty = size_marginals_by_sums(beliefs.probability, rows, 6)
    assert_allclose(sizes.joint, joint, rtol=0, atol=1e-15)
    assert_allclose(sizes.empty, empty, rtol=0, atol=1e-15)


def test_rare_sets_can_be_dropped_and_others_added() -> None:
    model, sets = MODELS["br"], every_set(6)[[5, 9, 33]]
    support = support_of(model, sets, counts=[3, 1, 2])
    few = SupportInference(support.at_least(2)).infer(model.posterior(X))
    assert_array_equal(few.sets.indicator.toarray(), sets[[0, 2]])
    assert_allclose(few.probability.sum(axis=1), 1.0, rtol=1e-14)
    more = SupportInference(support.with_sets(every_set(6)[[40]])).infer(model.posterior(X))
    assert_array_equal(more.sets.indicator.toarray(), every_set(6)[[5, 33, 9, 40]])
    plain = SupportInference(support).infer(model.posterior(X))
    shares = more.probability[:, :3] / more.probability[:, :3].sum(axis=1, keepdims=True)
    assert_allclose(shares, plain.probability, rtol=1e-11, atol=1e-300)
    beliefs = np.exp(model.posterior(X).log_prob(every_set(6)[[40, 5]]))
    assert_allclose(more.probability[:, 3] / more.probability[:, 0], beliefs[:, 0] / beliefs[:, 1], rtol=1e-11)


def test_calibration_follows_its_formula() -> None:
    model, counts = MODELS["br"], [7, 1, 2]
    support = support_of(model, every_set(6)[[5, 9, 0]], counts).with_sets(every_set(6)[[40]])
    assert support.counts.tolist() == [7, 2, 1, 0]
    scores = (
        0.7 * model.posterior(X).log_prob(support.sets) + 0.4 * np.log([7, 2, 1, 0.5]) - 0.3 * np.array([2, 0, 2, 2])
    )
    beliefs = SupportInference(support, SetCalibration(0.7, 0.4, -0.3)).infer(model.posterior(X))
    assert_allclose(beliefs.probability, softmax(scores, axis=1), rtol=1e-11, atol=1e-300)
    same = SupportInference(support, SetCalibration(1.0, 0.0, 0.0)).infer(model.posterior(X))
    assert_array_equal(same.probability, SupportInference(support).infer(model.posterior(X)).probability)


@pytest.mark.parametrize("calibration", [SetCalibration(0.6, 0.0, 0.4), SetCalibration(1.7, 0.0, -1.0)], ids=str)
def test_for_br_calibrated_exact_inference_is_calibrated_support_over_all_sets(calibration: SetCalibration) -> None:
    model = MODELS["br"]
    beliefs = size_marginals_of(SupportInference(whole_support(model), calibration).infer(model.posterior(X)))
    exact = ExactInference(calibration).infer(model.posterior(X))
    assert_allclose(beliefs.joint, exact.joint, rtol=0, atol=1e-13)
    assert_allclose(beliefs.empty, exact.empty, rtol=0, atol=1e-13)
    prior = ExactInference(SetCalibration(calibration.scale, 5.0, calibration.size)).infer(model.posterior(X))
    assert_array_equal(prior.joint, exact.joint)  # no set was counted


@given(extreme_scores())
def test_expected_f1_under_independence_is_maximised_exactly(scores: Array) -> None:
    """Exact size marginals and GFM: the problem of Chai (2005), Jansche (2007) and Nan et al. (2012), by every set."""
    n_labels = scores.shape[1]
    every, model = every_set(n_labels), br_of_scores(n_labels)
    decided = gfm(ExactInference().infer(model.posterior(scores)))
    log_prob = set_log_prob(scores[:, None], np.zeros((len(scores), 1)), every)
    for i, chosen in enumerate(decided.sets.toarray()):
        expected = expected_f_of_sets(np.exp(log_prob[i]), every, every)
        mine = expected_f_of_sets(np.exp(log_prob[i]), every, chosen[None])
        assert decided.value[i] == pytest.approx(expected.max(), abs=1e-12)
        assert mine[0] == pytest.approx(expected.max(), abs=1e-12)


@given(extreme_scores(), st.data())
def test_extreme_scores_give_no_nan_and_no_underflow_to_the_empty_set(scores: Array, data: st.DataObject) -> None:
    n_labels = scores.shape[1]
    model = br_of_scores(n_labels)
    places = data.draw(st.lists(st.integers(1, 2**n_labels - 1), min_size=1, max_size=6, unique=True))
    calibration = data.draw(st.sampled_from([SetCalibration(), SetCalibration(0.5, 1.0, -2.0), SetCalibration(3.0)]))
    support = support_of(model, every_set(n_labels)[places])
    beliefs = SupportInference(support, calibration).infer(model.posterior(scores))
    assert_allclose(beliefs.probability.sum(axis=1), 1.0, rtol=1e-13)
    assert (beliefs.probability >= 0.0).all()
    for decided in (gfm(beliefs), gfm(size_marginals_of(beliefs)), most_probable(beliefs)):
        assert (np.diff(decided.sets.indptr) > 0).all()
        assert ((decided.value > 0.0) & (decided.value <= 1.0 + 1e-13)).all()
    best = model.posterior(scores).log_prob(support.sets).argmax(axis=1)
    if calibration == SetCalibration():
        assert_array_equal(beliefs.probability[np.arange(len(best)), best], beliefs.probability.max(axis=1))


@given(extreme_scores())
def test_extreme_scores_give_no_nan_without_a_support(scores: Array) -> None:
    model = br_of_scores(scores.shape[1])
    for inference in (ExactInference(), ExactInference(SetCalibration(2.0, 0.0, -3.0)), SampledInference(20)):
        beliefs = inference.infer(model.posterior(scores))
        assert np.isfinite(beliefs.joint).all()
        assert np.isfinite(beliefs.empty).all()
        assert np.isfinite(gfm(beliefs).value).all()
    certain = np.where(scores > 0, 1e4, -1e4)
    chosen = gfm(ExactInference().infer(model.posterior(certain)))
    assert_array_equal(chosen.sets.toarray(), certain > 0)
    assert_allclose(chosen.value, 1.0, rtol=1e-12)


def inferences() -> dict[str, Any]:
    over = SupportInference(whole_support(MODELS["br"]), SetCalibration(0.8, 0.1, 0.2))
    return {
        "support": over,
        "exact": ExactInference(),
        "sampled": SampledInference(50),
        "mode": ModeInference(),
        "blend": BlendInference(over, ExactInference(), 0.3),
    }


def in_blocks(inference: Any, model: Any) -> tuple[Array, Array]:
    n_per_block = documents_per_block(inference.n_numbers(6))
    beliefs = [inference.infer(block) for block in model.posterior(X).blocks(n_per_block)]
    decided = [most_probable(part) if isinstance(inference, ModeInference) else gfm(part) for part in beliefs]
    return np.vstack([part.sets.toarray() for part in decided]), np.concatenate([part.value for part in decided])


@pytest.mark.parametrize("name", inferences())
def test_nothing_depends_on_the_size_of_blocks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, inference = MODELS["br"], inferences()[name]
    assert documents_per_block(inference.n_numbers(6)) > len(X)
    sets, values = in_blocks(inference, model)
    for n_bytes, at_most in ((1, 1), (8 * (64 + 36) * 7, 200)):
        monkeypatch.setattr("setwise.inference.base.BLOCK_BYTES", n_bytes)
        assert documents_per_block(inference.n_numbers(6)) <= at_most
        few_sets, few_values = in_blocks(inference, model)
        assert_array_equal(few_sets, sets)
        assert_allclose(few_values, values, rtol=1e-14)


def test_the_core_changes_the_very_scores_it_was_given_or_refuses() -> None:
    scores = np.zeros((2, 4))
    _core.softmax_rows(scores, 1)
    assert_array_equal(scores, np.full((2, 4), 0.25))
    copies: list[Any] = [np.zeros((4, 2)).T, np.zeros((2, 4), dtype=np.float32)]
    for copied in copies:
        with pytest.raises(TypeError):
            _core.softmax_rows(copied, 1)


def test_a_set_that_the_model_rules_out_has_no_probability() -> None:
    features, labels = small_corpus(n=30)
    crf = PairwiseCRF(strength=0.1).fit(features, labels)
    unseen = next(row for row in every_set(5) if row.tolist() not in labels.tolist())
    support = support_of(crf, labels).with_sets([unseen])
    plain = SupportInference(support_of(crf, labels)).infer(crf.posterior(features))
    for calibration in (SetCalibration(), SetCalibration(0.5, 0.2, 0.1), SetCalibration(0.0), SetCalibration(-1.0)):
        beliefs = SupportInference(support, calibration).infer(crf.posterior(features))
        assert_allclose(beliefs.probability.sum(axis=1), 1.0, rtol=1e-13)
        assert not beliefs.probability[:, -1].any()
    assert_allclose(
        SupportInference(support).infer(crf.posterior(features)).probability[:, :-1],
        plain.probability,
        rtol=0,
        atol=1e-15,
    )
