"""Samples against exact size marginals, and blends of the two kinds of inference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone

from setwise.decision import gfm
from setwise.exceptions import Incompatible
from setwise.inference import (
    INFERENCES,
    BlendInference,
    ExactInference,
    ModeInference,
    SampledInference,
    SupportInference,
    size_marginals_of,
)
from setwise.labels import SetCalibration, SizeMarginals
from setwise.models import MODELS as REGISTRY
from setwise.models import ClassifierChain, LabelSizeFactors, PairwiseCRF
from setwise.posterior import lacking
from setwise.prediction import Recipe
from tests.inference.models import br_of_scores, random_cbm, support_of
from tests.models.corpora import small_corpus
from tests.oracles.sets import every_set, size_marginals_by_sums

Array = NDArray[np.float64]

X = np.random.default_rng(2).normal(-0.3, 1.5, size=(4, 4))
MODELS: dict[str, Any] = {"br": br_of_scores(4), "cbm": random_cbm(4, 4)}
SIGMAS = 5.0


def flat(beliefs: SizeMarginals, n_sizes: int = 4) -> Array:
    """Return all probabilities as one row per document."""
    joint = np.pad(beliefs.joint, ((0, 0), (0, 0), (0, n_sizes - beliefs.joint.shape[2])))
    return np.hstack([joint.reshape(len(joint), -1), beliefs.empty[:, None]])


@pytest.mark.parametrize("name", MODELS)
def test_samples_converge_to_the_exact_size_marginals(name: str) -> None:
    model, n = MODELS[name], 200_000
    exact = flat(ExactInference().infer(model.posterior(X)))
    found = flat(SampledInference(n).infer(model.posterior(X)))
    assert (np.abs(found - exact) <= SIGMAS * np.sqrt(exact * (1.0 - exact) / n) + 1.0 / n).all()
    assert_allclose(found * n, np.round(found * n), rtol=0, atol=1e-6)  # shares of the samples


def test_the_error_falls_with_the_root_of_the_number_of_samples() -> None:
    model = MODELS["br"]
    exact = flat(ExactInference().infer(model.posterior(X)))
    errors = [
        np.sqrt(
            np.mean(
                [
                    (flat(SampledInference(n, random_state).infer(model.posterior(X))) - exact) ** 2
                    for random_state in range(20)
                ]
            )
        )
        for n in (200, 3200)
    ]
    assert 2.8 < errors[0] / errors[1] < 5.6  # 4 where there is no noise


def test_samples_of_a_chain_converge_to_sums_over_every_set() -> None:
    features, labels = small_corpus()
    model = ClassifierChain(strength=0.01).fit(features, labels)
    some, n = features[:3], 20_000
    joint, empty = size_marginals_by_sums(np.exp(model.posterior(some).log_prob(every_set(5))), every_set(5), 5)
    exact, found = flat(SizeMarginals(joint, empty), 5), flat(SampledInference(n).infer(model.posterior(some)), 5)
    assert (np.abs(found - exact) <= SIGMAS * np.sqrt(exact * (1.0 - exact) / n) + 1.0 / n).all()


def test_one_seed_gives_one_answer_and_another_gives_another() -> None:
    model = MODELS["cbm"]
    one, same, other = (
        SampledInference(300, random_state).infer(model.posterior(X)).joint for random_state in (1, 1, 2)
    )
    assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_samples_that_are_all_empty_leave_all_to_the_empty_set() -> None:
    beliefs = SampledInference(50).infer(MODELS["br"].posterior(np.full((2, 4), -1e4)))
    assert beliefs.joint.shape == (2, 4, 1)
    assert not beliefs.joint.any()
    assert beliefs.empty.tolist() == [1.0, 1.0]
    assert_array_equal(gfm(beliefs).value, [1.0, 1.0])


@pytest.mark.parametrize("free", [ExactInference(), SampledInference(100)], ids=lambda free: type(free).__name__)
def test_a_blend_lies_on_the_line_between_its_parts(free: Any) -> None:
    model = MODELS["cbm"]
    over = SupportInference(support_of(model, every_set(4)[[0, 3, 5, 6]], counts=[1, 2, 3, 1]))
    first, last = flat(size_marginals_of(over.infer(model.posterior(X)))), flat(free.infer(model.posterior(X)))
    assert not np.allclose(first, last, atol=0.05)
    for weight in (0.0, 0.25, 0.5, 1.0):
        found = flat(BlendInference(over, free, weight).infer(model.posterior(X)))
        assert_allclose(found, (1.0 - weight) * first + weight * last, rtol=0, atol=1e-15)
    assert_array_equal(flat(BlendInference(over, free, 0.0).infer(model.posterior(X))), first)
    assert_array_equal(flat(BlendInference(over, free, 1.0).infer(model.posterior(X))), last)


FEATURES, LABELS = small_corpus(n=40)
SUPPORT = support_of(PairwiseCRF(strength=0.1).fit(FEATURES, LABELS), LABELS)
NO_SAMPLE = "Hint: CRF knows only training sets, so use support inference; LSF has `size_marginals` directly."
NO_SIZES = "Hint: Use support or sampled inference, which work from the joint distribution; SPEN has thresholds."


@pytest.mark.parametrize(
    ("inference", "model", "message"),
    [
        (
            SupportInference(SUPPORT),
            LabelSizeFactors(strength=0.1),
            "LabelSizeFactors has no `log_prob`. "
            "Hint: Support inference needs only `log_prob`; BR, PCC, CRF, CBM and MLP have it.",
        ),
        (SampledInference(), PairwiseCRF(strength=0.1), f"PairwiseCRF has no `sample`. {NO_SAMPLE}"),
        (SampledInference(), LabelSizeFactors(strength=0.1), f"LabelSizeFactors has no `sample`. {NO_SAMPLE}"),
        (ExactInference(), ClassifierChain(strength=0.1), f"ClassifierChain has no `size_marginals`. {NO_SIZES}"),
        (
            ModeInference(),
            LabelSizeFactors(strength=0.1),
            "LabelSizeFactors has no `mode`. Hint: For the most probable of the training sets, use support inference.",
        ),
        (
            BlendInference(SupportInference(SUPPORT), ExactInference()),
            ClassifierChain(strength=0.1),
            f"ClassifierChain has no `size_marginals`. {NO_SIZES}",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_model_that_lacks_what_is_needed_is_refused(inference: Any, model: Any, message: str) -> None:
    posterior = clone(model).fit(FEATURES, LABELS).posterior(FEATURES)
    with pytest.raises(Incompatible) as refusal:
        inference.infer(posterior)
    assert str(refusal.value) == message


def test_which_model_goes_with_which_inference() -> None:
    """The table in docs/prediction.md."""
    recipes = {name: Recipe(name, "gfm") for name in INFERENCES if name != "blend"}
    recipes["calibrated exact"] = Recipe("exact", "gfm", scaling=SetCalibration(2.0))
    able = {
        entry.model.__name__: {
            name for name, recipe in recipes.items() if not lacking(entry.model, *recipe.needs(entry.model))
        }
        for entry in REGISTRY.values()
    }
    assert able == {
        "BinaryRelevance": {"support", "exact", "sampled", "mode", "calibrated exact"},
        "ClassifierChain": {"support", "sampled", "mode"},
        "PairwiseCRF": {"support", "exact", "mode"},
        "BernoulliMixture": {"support", "exact", "sampled", "mode", "calibrated exact"},
        "LabelSizeFactors": {"exact"},
        "FactorizedLabelSizes": {"exact"},
        "LabelSizeRegression": {"exact"},
        "PowerSet": {"support", "exact", "mode"},
        "RandomLabelsets": {"support", "exact", "sampled", "mode", "calibrated exact"},
        "CostSensitiveRelevance": {"support", "exact", "sampled", "mode", "calibrated exact"},
        "MultilayerPerceptron": {"support", "exact", "sampled", "mode", "calibrated exact"},
        "EnergyNetwork": set(),
    }
