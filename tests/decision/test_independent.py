"""The best sets for independent labels: against every set, against other algorithms, and against size marginals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.special import expit, logit

from setwise import SetClassifier, _core, decide
from setwise.decision import expected_f, expected_jaccard, gfm, most_probable, threshold
from setwise.exceptions import Incompatible
from setwise.inference import ExactInference, IndependentInference
from setwise.labels import Decision, IndependentLabels, LabelMatrix, SetCalibration, SizeMarginals, Support
from setwise.models import BernoulliMixture, BinaryRelevance, posterior_of_probabilities
from setwise.posterior import Posterior
from setwise.prediction import Recipe
from tests.oracles.independent import (
    chai_expected_f,
    expected_values,
    f_with,
    hamming_agreement,
    jaccard,
    jansche_expected_f,
    nan_expected_f1,
)

Array = NDArray[np.float64]

ATOL = 1e-12
BETAS = (0.5, 1.0, 2.0)
FAR = 750.0  # the logit of a probability of 0 or 1


def logits_of(p: Any) -> Array:
    return np.asarray(np.clip(logit(np.atleast_2d(np.asarray(p, dtype=np.float64))), -FAR, FAR))


def labels_of(p: Any) -> IndependentLabels:
    return IndependentLabels(logits_of(p))


@st.composite
def rows(draw: st.DrawFn, max_labels: int = 7, min_labels: int = 1) -> Array:
    """Probabilities of one document: zeros, ones, halves, ties and small ones among them."""
    values = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 0.25, 0.1, 1e-9]), st.floats(0.0, 1.0))
    return draw(hnp.arrays(np.float64, draw(st.integers(min_labels, max_labels)), elements=values))


def realistic(n_documents: int, n_labels: int, seed: int = 0) -> Array:
    """Logits as of a trained model: most labels are improbable, a few are not."""
    random = np.random.default_rng(seed)
    logits = random.normal(-7.0, 2.0, (n_documents, n_labels))
    for row in logits:
        likely = random.choice(n_labels, size=min(n_labels, int(random.integers(0, 8))), replace=False)
        row[likely] = random.normal(0.5, 2.0, likely.size)
    return logits


def size_marginals(logits: Array, *, excludes_empty: bool = False) -> SizeMarginals:
    joint, empty = _core.mixture_size_marginals(logits[:, None], np.zeros((len(logits), 1)), logits.shape[1], 1)
    sizes = SizeMarginals(joint, empty)
    return sizes.non_empty() if excludes_empty else sizes


def known(logits: Array, excludes_empty: bool) -> IndependentLabels:
    return IndependentLabels(logits, excludes_empty)


def value_in(sets: Any, values: Array, chosen: sp.csr_array) -> float:
    """Return the value that a table has for the only chosen set."""
    return float(values[(sets == chosen.toarray()[0]).all(axis=1)][0])


def test_an_example_by_hand() -> None:
    """p = (.6, .2): {0} has F1 .6 (.8 + .2 2/3) = .56 and Jaccard .6 (.8 + .2 / 2) = .54; both labels have less."""
    best = gfm(labels_of([0.6, 0.2]))
    assert best.sets.toarray().tolist() == [[1, 0]]
    assert best.value[0] == pytest.approx(0.56, abs=1e-15)
    best = expected_jaccard(labels_of([0.6, 0.2]))
    assert best.sets.toarray().tolist() == [[1, 0]]
    assert best.value[0] == pytest.approx(0.54, abs=1e-15)


@settings(deadline=None)
@given(rows(), st.sampled_from(BETAS), st.booleans())
def test_no_set_has_a_higher_expected_f(p: Array, beta: float, excludes_empty: bool) -> None:
    logits = logits_of(p)
    chances = expit(logits[0])
    if excludes_empty and not (chances > 1e-12).any():
        return  # nothing is left to condition on
    sets, values = expected_values(chances, f_with(beta), excludes_empty=excludes_empty)
    best = gfm(known(logits, excludes_empty), beta=beta)
    assert best.value[0] == pytest.approx(values.max(), abs=ATOL)
    assert value_in(sets, values, best.sets) == pytest.approx(values.max(), abs=ATOL)


@settings(deadline=None)
@given(rows(), st.booleans())
def test_no_set_has_a_higher_expected_jaccard_index(p: Array, excludes_empty: bool) -> None:
    logits = logits_of(p)
    chances = expit(logits[0])
    if excludes_empty and not (chances > 1e-12).any():
        return
    sets, values = expected_values(chances, jaccard, excludes_empty=excludes_empty)
    best = expected_jaccard(known(logits, excludes_empty))
    assert best.value[0] == pytest.approx(values.max(), abs=ATOL)
    assert value_in(sets, values, best.sets) == pytest.approx(values.max(), abs=ATOL)
    assert best.sets.nnz > 0 or not excludes_empty


@settings(deadline=None)
@given(rows())
def test_no_set_has_a_lower_expected_hamming_loss_than_the_cut_at_one_half(p: Array) -> None:
    """The per-document threshold of Quevedo et al. for the Hamming loss is the one decision that needs no search."""
    sets, values = expected_values(p, hamming_agreement)
    assert value_in(sets, values, threshold(p[None], 0.5)) == pytest.approx(values.max(), abs=ATOL)


@settings(deadline=None)
@given(rows(), st.sampled_from(BETAS), st.booleans(), st.integers(0, 127))
def test_the_expected_f_of_any_set(p: Array, beta: float, excludes_empty: bool, place: int) -> None:
    logits = logits_of(p)
    chances = expit(logits[0])
    if excludes_empty and not (chances > 1e-12).any():
        return
    sets, values = expected_values(chances, f_with(beta), excludes_empty=excludes_empty)
    place %= len(sets)
    found = expected_f(known(logits, excludes_empty), sp.csr_array(sets[[place]]), beta=beta)
    assert found[0] == pytest.approx(values[place], abs=ATOL)


@settings(deadline=None, max_examples=30)
@given(rows(max_labels=14))
def test_other_algorithms_agree(p: Array) -> None:
    logits = logits_of(p)
    falling = np.sort(expit(logits[0]))[::-1]
    empty = float(np.prod(1.0 - falling))
    by_chai, by_jansche, by_nan = chai_expected_f(falling), jansche_expected_f(falling), nan_expected_f1(falling)
    assert_allclose(by_jansche, by_chai, rtol=0, atol=ATOL)
    assert_allclose(by_nan, by_chai, rtol=0, atol=ATOL)
    assert gfm(IndependentLabels(logits)).value[0] == pytest.approx(max(empty, by_nan.max()), abs=ATOL)


@pytest.mark.parametrize("n_labels", [1, 2, 3, 10, 25, 40])
def test_all_values_are_those_of_the_other_algorithms(n_labels: int) -> None:
    """Not of the best set alone: every number of first labels."""
    logits = realistic(3, n_labels, seed=n_labels)
    for row in logits:
        order = np.argsort(-row, kind="stable")
        falling = expit(row[order])
        prefixes = np.zeros((n_labels, n_labels), dtype=np.int64)
        prefixes[:, order] = np.tril(np.ones((n_labels, n_labels), dtype=np.int64))
        repeated = IndependentLabels(np.repeat(row[None], n_labels, axis=0))
        found = expected_f(repeated, sp.csr_array(prefixes))
        assert_allclose(found, nan_expected_f1(falling), rtol=0, atol=ATOL)
        assert_allclose(found, chai_expected_f(falling), rtol=0, atol=ATOL)
        for beta in (0.5, 2.0):
            found = expected_f(repeated, sp.csr_array(prefixes), beta=beta)
            assert_allclose(found, jansche_expected_f(falling, beta), rtol=0, atol=ATOL)


def assert_same_decisions(found: Decision, expected: Decision, sizes: SizeMarginals, beta: float) -> None:
    """The values agree, and so do the sets unless rounding decides between sets of the same value."""
    assert_allclose(found.value, expected.value, rtol=0, atol=ATOL)
    other = (found.sets != expected.sets).sum(axis=1) > 0
    own = expected_f(sizes, found.sets, beta=beta)
    assert_allclose(own[other], expected.value[other], rtol=0, atol=1e-15)
    assert other.sum() <= 0.01 * len(other)


@pytest.mark.parametrize("excludes_empty", [False, True])
@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("n_labels", [1, 2, 5, 17, 40, 300])
def test_size_marginals_lead_to_the_same_sets(n_labels: int, beta: float, excludes_empty: bool) -> None:
    random = np.random.default_rng(n_labels)
    kinds = [
        realistic(100, n_labels),
        random.normal(0.0, 2.0, (20, n_labels)),
        random.normal(5.0, 3.0, (20, n_labels)),
        random.choice([-3.0, -1.0, 0.0, 1.0], (20, n_labels)),
    ]
    logits = np.concatenate(kinds)
    sizes = size_marginals(logits, excludes_empty=excludes_empty)
    found, expected = gfm(known(logits, excludes_empty), beta=beta), gfm(sizes, beta=beta)
    assert_same_decisions(found, expected, sizes, beta)


@settings(deadline=None)
@given(rows(max_labels=40, min_labels=8), st.sampled_from(BETAS))
def test_size_marginals_have_the_same_value_for_odd_probabilities(p: Array, beta: float) -> None:
    logits = logits_of(p)
    found, expected = gfm(IndependentLabels(logits), beta=beta), gfm(size_marginals(logits), beta=beta)
    assert_allclose(found.value, expected.value, rtol=0, atol=ATOL)
    own = expected_f(size_marginals(logits), found.sets, beta=beta)
    assert_allclose(own, expected.value, rtol=0, atol=ATOL)


@pytest.mark.parametrize("choose", [gfm, expected_jaccard])
def test_of_equally_probable_labels_the_first_are_chosen(choose: Any) -> None:
    """Some of the four labels with .4 beside a certain one would do as well as any other of them."""
    p = np.full(200, 0.004)
    p[[7, 30, 31, 150]] = 0.4
    p[90] = 1.0
    sets = choose(labels_of(p)).sets
    ties = [label for label in sets.indices if label != 90]
    assert 90 in sets.indices
    assert ties == [7, 30, 31, 150][: len(ties)]
    for n_tied in (1, 2, 3):
        tied = np.full((1, 6), 0.5)
        tied[0, 6 - n_tied :] = 0.2
        chosen = choose(labels_of(tied)).sets.indices
        assert chosen.tolist() == list(range(len(chosen)))


@pytest.mark.parametrize("choose", [gfm, expected_jaccard])
def test_of_sets_with_the_same_value_the_smaller_is_chosen(choose: Any) -> None:
    """A single label of probability one half: both sets have the value one half."""
    best = choose(labels_of([0.5]))
    assert best.sets.nnz == 0
    assert best.value[0] == 0.5
    assert choose(labels_of([0.5]).non_empty()).sets.nnz == 1


@pytest.mark.parametrize("choose", [gfm, expected_jaccard])
def test_improbable_labels_keep_their_digits_where_the_set_is_not_empty(choose: Any) -> None:
    """p = (3e, e, e) with a tiny e: given that one is on, it is the first with probability 3 / 5."""
    for scale in (1e-8, 1e-20, 1e-45, 1e-90, 1e-200):
        best = choose(labels_of(np.array([scale, 3 * scale, scale])).non_empty())
        chances = np.array([1.0, 3.0, 1.0]) / 5.0
        values = {1: chances[1], 2: 2 / 3 * 0.8 if choose is gfm else 0.8 / 2, 3: 0.5 if choose is gfm else 1 / 3}
        assert best.value[0] == pytest.approx(max(values.values()), abs=1e-7 if scale == 1e-8 else ATOL)
        assert best.sets.toarray().tolist() == [[0, 1, 0]]


def test_certain_labels_are_chosen_and_impossible_ones_are_not() -> None:
    p = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    for best in (gfm(labels_of(p)), expected_jaccard(labels_of(p))):
        assert_array_equal(best.sets.toarray(), p)
        assert_allclose(best.value, 1.0, rtol=0, atol=1e-15)


@pytest.mark.parametrize("excludes_empty", [False, True])
def test_threads_and_batches_leave_every_bit(excludes_empty: bool) -> None:
    logits = realistic(150, 400)
    for choose in (gfm, expected_jaccard):
        whole = choose(known(logits, excludes_empty), n_jobs=1)
        for n_jobs in (2, 3):
            again = choose(known(logits, excludes_empty), n_jobs=n_jobs)
            assert_array_equal(again.sets.toarray(), whole.sets.toarray())
            assert_array_equal(again.value, whole.value)
        for i in (0, 77, 149):
            single = choose(known(logits[i : i + 1], excludes_empty))
            assert_array_equal(single.sets.toarray(), whole.sets[[i]].toarray())
            assert single.value[0] == whole.value[i]
    sets = gfm(known(logits, excludes_empty)).sets
    values = expected_f(known(logits, excludes_empty), sets, n_jobs=1)
    assert_array_equal(expected_f(known(logits, excludes_empty), sets, n_jobs=3), values)


def test_marginals_given_that_the_set_is_not_empty() -> None:
    logits = realistic(20, 6)
    assert_allclose(known(logits, False).marginals, size_marginals(logits).marginals, rtol=0, atol=ATOL)
    conditioned = size_marginals(logits, excludes_empty=True)
    assert_allclose(known(logits, True).marginals, conditioned.marginals, rtol=0, atol=ATOL)


class TestRecipe:
    """The recipe asks for independent labels where the model has them."""

    SUPPORT = Support.of(LabelMatrix.of(np.eye(30, dtype=np.int64)))

    @staticmethod
    def posterior(n_labels: int = 30) -> Posterior:
        return posterior_of_probabilities(tuple(map(str, range(n_labels))), expit(realistic(60, n_labels)), 1)

    @pytest.mark.parametrize("at_least_one", [False, True])
    @pytest.mark.parametrize("scaling", [SetCalibration(), SetCalibration(0.7, 0.0, 0.2)], ids=["plain", "scaled"])
    @pytest.mark.parametrize("beta", BETAS)
    def test_exact_gfm_is_that_of_size_marginals(
        self, beta: float, scaling: SetCalibration, at_least_one: bool
    ) -> None:
        recipe = Recipe("exact", "gfm", beta=beta, scaling=scaling, at_least_one=at_least_one)
        found = recipe.decide(self.posterior(), self.SUPPORT)
        sizes = ExactInference(scaling).infer(self.posterior())
        sizes = sizes.non_empty() if at_least_one else sizes
        assert_array_equal(found.sets.toarray(), gfm(sizes, beta=beta).sets.toarray())
        assert_allclose(found.value, expected_f(sizes.consistent(), found.sets), rtol=0, atol=ATOL)

    @pytest.mark.parametrize("decision", ["gfm", "threshold", "expected_jaccard"])
    def test_no_size_marginals_are_computed(self, decision: str, monkeypatch: pytest.MonkeyPatch) -> None:
        posterior = self.posterior()
        monkeypatch.setattr(type(posterior), "size_marginals", None)
        decided = Recipe("exact", decision, beta=2.0).decide(posterior, self.SUPPORT)
        assert not np.isnan(decided.value).any()

    def test_the_value_is_the_expected_f1_whatever_the_decision(self) -> None:
        sizes = ExactInference().infer(self.posterior()).consistent()
        for decision in ("gfm", "threshold", "expected_jaccard"):
            decided = Recipe("exact", decision).decide(self.posterior(), self.SUPPORT)
            assert_allclose(decided.value, expected_f(sizes, decided.sets), rtol=0, atol=ATOL)

    def test_expected_jaccard_gives_every_document_a_label_on_request(self) -> None:
        recipe = Recipe("exact", "expected_jaccard")
        assert (np.diff(recipe.decide(self.posterior(), self.SUPPORT).sets.indptr) == 0).any()
        recipe = Recipe("exact", "expected_jaccard", at_least_one=True)
        assert (np.diff(recipe.decide(self.posterior(), self.SUPPORT).sets.indptr) > 0).all()

    def test_many_documents_fit_in_a_block(self) -> None:
        labels = ("exact", self.SUPPORT, self.posterior().abilities)
        assert isinstance(Recipe(labels[0], "gfm").over(*labels[1:]), IndependentInference)
        assert isinstance(Recipe(labels[0], "gfm").over(labels[1], frozenset({"size_marginals"})), ExactInference)

    def test_decide_for_any_classifier_takes_the_same_path(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(self.posterior()), "size_marginals", None)
        assert decide(np.array([[0.6, 0.2]]), [["a"], ["b"]], inference="exact") == [["a"]]


X, Y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] * 4, [["a"], ["b"], ["a", "b"]] * 4


def test_other_beliefs_are_refused_with_a_hint() -> None:
    with pytest.raises(Incompatible, match=r"needs independent labels; got other beliefs\. Hint: use exact"):
        expected_jaccard(SizeMarginals(np.zeros((1, 2, 1)), np.ones(1)))  # type: ignore[arg-type]
    with pytest.raises(Incompatible, match="Hint: use support or mode"):
        most_probable(labels_of([0.5]))  # type: ignore[arg-type]


def test_models_whose_labels_depend_on_one_another_are_refused_with_a_hint() -> None:
    classifier = SetClassifier(BernoulliMixture(), "exact", "expected_jaccard", calibration=None)
    message = "^decision='expected_jaccard' needs BernoulliMixture to have `independent_labels`. Hint: The labels of BR"
    with pytest.raises(Incompatible, match=message):
        classifier.fit(X, Y)
    with pytest.raises(Incompatible, match="Hint: it works with 'exact'"):
        SetClassifier(BinaryRelevance(), "support", "expected_jaccard").fit(X, Y)


def test_a_tuned_inference_is_found_for_a_requested_decision() -> None:
    classifier = SetClassifier(BinaryRelevance(), decision="expected_jaccard", cv=0.5).fit(X, Y)
    assert (classifier.recipe_.inference, classifier.recipe_.decision) == ("exact", "expected_jaccard")
    assert classifier.predict([[1.0, 0.0]]) == [["a"]]


def test_shapes_that_do_not_match_are_refused() -> None:
    sets = _core.LabelSets(3, np.array([0, 1], dtype=np.int64), np.array([1], dtype=np.int32))
    with pytest.raises(ValueError, match="one set per document"):
        _core.expected_f_independent(np.zeros((2, 3)), False, sets, 1.0, 1)
    with pytest.raises(ValueError, match="number of labels"):
        _core.expected_f_independent(np.zeros((1, 4)), False, sets, 1.0, 1)
    with pytest.raises(ValueError, match="must have a label"):
        _core.maximize_expected_f_independent(np.zeros((1, 0)), False, 1.0, 1)
    with pytest.raises(ValueError, match="beta"):
        _core.maximize_expected_f_independent(np.zeros((1, 2)), False, 0.0, 1)
    with pytest.raises(ValueError, match="n_threads"):
        _core.maximize_expected_jaccard_independent(np.zeros((1, 2)), False, 0)


def test_no_documents_give_empty_arrays() -> None:
    for choose in (gfm, expected_jaccard):
        assert choose(IndependentLabels(np.zeros((0, 3)))).sets.shape == (0, 3)
