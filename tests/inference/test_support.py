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
    SetCalibration,
    SupportInference,
    blocks,
)
from setwise.inference.blend import size_marginals_of
from setwise.models.crf import PairwiseCRF
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
    known, exact = SupportInference(whole_support(model)).infer(model, X), ExactInference().infer(model, X)
    assert_allclose(known.probability.sum(axis=1), 1.0, rtol=1e-14)
    assert_allclose(known.probability, np.exp(model.log_prob(X, known.sets)), rtol=0, atol=1e-13)
    assert_allclose(known.marginals, model.marginals(X), rtol=0, atol=1e-13)
    sizes = size_marginals_of(known)
    assert_allclose(sizes.joint, exact.joint, rtol=0, atol=1e-13)
    assert_allclose(sizes.empty, exact.empty, rtol=0, atol=1e-13)
    assert_array_equal(gfm(known).sets.toarray(), gfm(exact).sets.toarray())
    assert_allclose(gfm(known).value, gfm(exact).value, rtol=0, atol=1e-13)
    modes = most_probable(ModeInference().infer(model, X))
    assert_array_equal(most_probable(known).sets.toarray(), modes.sets.toarray())
    assert_allclose(most_probable(known).value, modes.value, rtol=0, atol=1e-13)


def test_probabilities_are_those_of_the_model_scaled_to_sum_to_one_over_the_support() -> None:
    model, sets = MODELS["cbm"], every_set(6)[[5, 9, 0, 63, 17]]
    support = support_of(model, sets, counts=[3, 1, 2, 1, 4])
    known = SupportInference(support).infer(model, X)
    rows = support.sets.indicator.toarray()
    assert_array_equal(rows, sets[[4, 0, 2, 3, 1]])  # the most frequent first
    joint = np.exp(model.log_prob(X, rows))
    assert_allclose(known.probability, joint / joint.sum(axis=1, keepdims=True), rtol=1e-12)
    assert_allclose(known.marginals, known.probability @ rows, rtol=0, atol=1e-15)
    sizes = size_marginals_of(known)
    joint, empty = size_marginals_by_sums(known.probability, rows, 6)
    assert_allclose(sizes.joint, joint, rtol=0, atol=1e-15)
    assert_allclose(sizes.empty, empty, rtol=0, atol=1e-15)


def test_rare_sets_can_be_dropped_and_others_added() -> None:
    model, sets = MODELS["br"], every_set(6)[[5, 9, 33]]
    support = support_of(model, sets, counts=[3, 1, 2])
    few = SupportInference(support.at_least(2)).infer(model, X)
    assert_array_equal(few.sets.toarray(), sets[[0, 2]])
    assert_allclose(few.probability.sum(axis=1), 1.0, rtol=1e-14)
    more = SupportInference(support.with_sets(every_set(6)[[40]])).infer(model, X)
    assert_array_equal(more.sets.toarray(), every_set(6)[[5, 33, 9, 40]])
    plain = SupportInference(support).infer(model, X)
    shares = more.probability[:, :3] / more.probability[:, :3].sum(axis=1, keepdims=True)
    assert_allclose(shares, plain.probability, rtol=1e-11, atol=1e-300)
    known = np.exp(model.log_prob(X, every_set(6)[[40, 5]]))
    assert_allclose(more.probability[:, 3] / more.probability[:, 0], known[:, 0] / known[:, 1], rtol=1e-11)


def test_calibration_follows_its_formula() -> None:
    model, counts = MODELS["br"], [7, 1, 2]
    support = support_of(model, every_set(6)[[5, 9, 0]], counts).with_sets(every_set(6)[[40]])
    assert support.counts.tolist() == [7, 2, 1, 0]
    scores = 0.7 * model.log_prob(X, support.sets) + 0.4 * np.log([7, 2, 1, 0.5]) - 0.3 * np.array([2, 0, 2, 2])
    known = SupportInference(support, SetCalibration(0.7, 0.4, -0.3)).infer(model, X)
    assert_allclose(known.probability, softmax(scores, axis=1), rtol=1e-11, atol=1e-300)
    same = SupportInference(support, SetCalibration(1.0, 0.0, 0.0)).infer(model, X)
    assert_array_equal(same.probability, SupportInference(support).infer(model, X).probability)


@pytest.mark.parametrize("calibration", [SetCalibration(0.6, 0.0, 0.4), SetCalibration(1.7, 0.0, -1.0)], ids=str)
def test_for_br_calibrated_exact_inference_is_calibrated_support_over_all_sets(calibration: SetCalibration) -> None:
    model = MODELS["br"]
    known = size_marginals_of(SupportInference(whole_support(model), calibration).infer(model, X))
    exact = ExactInference(calibration).infer(model, X)
    assert_allclose(known.joint, exact.joint, rtol=0, atol=1e-13)
    assert_allclose(known.empty, exact.empty, rtol=0, atol=1e-13)
    prior = ExactInference(SetCalibration(calibration.scale, 5.0, calibration.size)).infer(model, X)
    assert_array_equal(prior.joint, exact.joint)  # no set was counted


@given(extreme_scores())
def test_expected_f1_under_independence_is_maximised_exactly(scores: Array) -> None:
    """Exact size marginals and GFM: the problem of Chai (2005), Jansche (2007) and Nan et al. (2012), by every set."""
    n_labels = scores.shape[1]
    every, model = every_set(n_labels), br_of_scores(n_labels)
    decided = gfm(ExactInference().infer(model, scores))
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
    known = SupportInference(support, calibration).infer(model, scores)
    assert_allclose(known.probability.sum(axis=1), 1.0, rtol=1e-13)
    assert (known.probability >= 0.0).all()
    for decided in (gfm(known), gfm(size_marginals_of(known)), most_probable(known)):
        assert (np.diff(decided.sets.indptr) > 0).all()
        assert ((decided.value > 0.0) & (decided.value <= 1.0 + 1e-13)).all()
    best = model.log_prob(scores, support.sets).argmax(axis=1)
    if calibration == SetCalibration():
        assert_array_equal(known.probability[np.arange(len(best)), best], known.probability.max(axis=1))


@given(extreme_scores())
def test_extreme_scores_give_no_nan_without_a_support(scores: Array) -> None:
    model = br_of_scores(scores.shape[1])
    for inference in (ExactInference(), ExactInference(SetCalibration(2.0, 0.0, -3.0)), SampledInference(20)):
        known = inference.infer(model, scores)
        assert np.isfinite(known.joint).all()
        assert np.isfinite(known.empty).all()
        assert np.isfinite(gfm(known).value).all()
    certain = np.where(scores > 0, 1e4, -1e4)
    chosen = gfm(ExactInference().infer(model, certain))
    assert_array_equal(chosen.sets.toarray(), certain > 0)
    assert_allclose(chosen.value, 1.0, rtol=1e-12)


def inferences() -> dict[str, Any]:
    over = SupportInference(whole_support(MODELS["br"]), SetCalibration(0.8, 0.1, 0.2))
    return {
        "support": over,
        "exact": ExactInference(),
        "mode": ModeInference(),
        "blend": BlendInference(over, ExactInference(), 0.3),
    }


def in_blocks(inference: Any, model: Any) -> tuple[Array, Array]:
    known = [inference.infer(model, some) for some in blocks.document_blocks(X, inference.block(6))]
    decided = [most_probable(part) if isinstance(inference, ModeInference) else gfm(part) for part in known]
    return np.vstack([part.sets.toarray() for part in decided]), np.concatenate([part.value for part in decided])


@pytest.mark.parametrize("name", inferences())
def test_nothing_depends_on_the_size_of_blocks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, inference = MODELS["br"], inferences()[name]
    assert inference.block(6) > len(X)
    sets, values = in_blocks(inference, model)
    for n_bytes, at_most in ((1, 1), (8 * (64 + 36) * 7, 200)):
        monkeypatch.setattr(blocks, "BLOCK_BYTES", n_bytes)
        assert inference.block(6) <= at_most
        few_sets, few_values = in_blocks(inference, model)
        assert_array_equal(few_sets, sets)
        assert_allclose(few_values, values, rtol=1e-14)


def test_sampled_inference_keeps_a_block_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document's draws depend on its place in the block, so the block is the same whatever the memory."""
    before = SampledInference().block(6)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1)
    assert SampledInference().block(6) == before
    assert SampledInference().block(1000) == before


def test_the_core_changes_the_very_scores_it_was_given_or_refuses() -> None:
    scores = np.zeros((2, 4))
    _core.softmax_rows(scores, 1)
    assert_array_equal(scores, np.full((2, 4), 0.25))
    for copied in (np.zeros((4, 2)).T, np.zeros((2, 4), dtype=np.float32)):
        with pytest.raises(TypeError):
            _core.softmax_rows(copied, 1)


def test_a_set_that_the_model_rules_out_has_no_probability() -> None:
    features, labels = small_corpus(n=30)
    crf = PairwiseCRF(strength=0.1).fit(features, labels)
    unseen = next(row for row in every_set(5) if row.tolist() not in labels.tolist())
    support = support_of(crf, labels).with_sets([unseen])
    plain = SupportInference(support_of(crf, labels)).infer(crf, features)
    for calibration in (SetCalibration(), SetCalibration(0.5, 0.2, 0.1), SetCalibration(0.0), SetCalibration(-1.0)):
        known = SupportInference(support, calibration).infer(crf, features)
        assert_allclose(known.probability.sum(axis=1), 1.0, rtol=1e-13)
        assert not known.probability[:, -1].any()
    assert_allclose(
        SupportInference(support).infer(crf, features).probability[:, :-1], plain.probability, rtol=0, atol=1e-15
    )
