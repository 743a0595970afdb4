"""Tuning does each piece of work once: features are laid out, documents scored and supports compiled once per part."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from setwise import SetClassifier, _core, classifier_spec
from setwise.labels import LabelMatrix, Support
from setwise.learners import features
from setwise.models import MODELS, BinaryRelevance, ClassifierChain
from setwise.prediction import Recipe, candidates, select_recipe
from setwise.tuning import TuningResult, Validation
from tests.models.corpora import small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=120)
VALIDATION_DATA = small_corpus(random_state=1, n=40)
N_FOLDS = 3  # the default for few documents
N_CONFIDENCE = 10  # further folds, in which it is learned how sure predictions are


class Calls:
    """Counts the calls of functions while a test runs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.counts: Counter[str] = Counter()

    def count(self, owner: Any, name: str) -> None:
        """Count calls of ``owner.name`` from now on."""
        function = getattr(owner, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            self.counts[name] += 1
            return function(*arguments, **options)

        self._monkeypatch.setattr(owner, name, counted)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


def tuned(model: Any, **fit_options: Any) -> TuningResult:
    """Return the tuning of a classifier with a small grid."""
    result = SetClassifier(model, budget="quick", n_jobs=1).fit(X, y, **fit_options).tuning_
    assert result is not None
    return result


@pytest.mark.parametrize("name", ["br", "lsf", "crf"])
def test_features_are_laid_out_once_per_part_and_once_for_all_documents(name: str, calls: Calls) -> None:
    calls.count(features, "_canonical_columns")
    tuned(name)
    assert calls.counts["_canonical_columns"] == N_FOLDS + N_CONFIDENCE + 1


def test_features_are_laid_out_once_where_other_documents_are_tuned_on(calls: Calls) -> None:
    calls.count(features, "_canonical_columns")
    tuned("br", validation_data=VALIDATION_DATA)
    assert calls.counts["_canonical_columns"] == 1


@pytest.mark.parametrize("name", MODELS)
def test_the_critical_strength_is_computed_once(name: str, calls: Calls) -> None:
    calls.count(classifier_spec, "critical_strength")
    tuned(name)
    assert calls.counts["critical_strength"] == 1


@pytest.mark.parametrize("name", MODELS)
def test_held_out_documents_are_scored_once_per_trained_model(name: str, calls: Calls) -> None:
    """Early stopping trains further models: those that it evaluates during the training."""
    calls.count(MODELS[name].model, "_posterior")
    result = tuned(name)
    history = {trial.setting: trial.row["history"] for trial in result.trials}
    n_evaluated = sum(len(part) for parts in history.values() for part in parts)
    n_finalists = len({tuple(one.settings.items()) for one in result.alternatives})
    assert calls.counts["_posterior"] == n_evaluated + N_FOLDS * (len(history) + n_finalists) + N_CONFIDENCE


def test_without_a_grid_documents_are_scored_once_per_part(calls: Calls) -> None:
    calls.count(BinaryRelevance, "_posterior")
    result = tuned(BinaryRelevance(0.01))
    assert len(result.alternatives) > 5
    assert calls.counts["_posterior"] == N_FOLDS + N_CONFIDENCE


@pytest.mark.parametrize("inference", [None, "support", "exact", "blend", "sampled"])
def test_recipes_are_chosen_from_stored_posteriors(inference: Any, calls: Calls) -> None:
    """All candidates, their folds and their calibrations read one matrix of log-probabilities per part."""
    parts = Validation(n_folds=N_FOLDS).parts(X, LabelMatrix.of(y))
    model = BinaryRelevance(0.01)
    held = [part.held_out(BinaryRelevance(0.01).fit(part.features, part.y)) for part in parts]
    calls.count(BinaryRelevance, "_posterior")
    posterior = type(model.fit(X, y).posterior(X))
    calls.counts.clear()
    calls.count(posterior, "log_prob")
    calls.count(posterior, "sample")
    tried = candidates(Recipe("support", "gfm", n_samples=20), model, inference=inference)
    select_recipe(tried, held)
    needed = {name for one in tried for name in one.recipe.needs(model)}
    assert calls.counts == {name: N_FOLDS for name in ("log_prob", "sample") if name in needed}


def test_the_support_is_compiled_once_per_part_and_once_for_all_documents(calls: Calls) -> None:
    calls.count(classifier_spec.ClassifierSpec, "support")
    calls.count(Support, "of")
    calls.count(_core, "ChainTrie")
    fitted = SetClassifier("pcc", budget="quick", n_jobs=1).fit(X, y)
    n_parts = N_FOLDS + N_CONFIDENCE
    assert calls.counts == {"support": n_parts + 1, "of": n_parts + 1, "ChainTrie": n_parts}
    for _ in range(2):
        fitted.predict(X)
    assert calls.counts["ChainTrie"] == n_parts + 1


def test_a_chain_keeps_its_trie_whatever_the_documents(calls: Calls) -> None:
    support, model = Support.of(LabelMatrix.of(y)), ClassifierChain(0.01).fit(X, y)
    calls.count(_core, "ChainTrie")
    for rows in (X[:1], X[1:3], X):
        model.posterior(rows).log_prob(support.sets)
    assert calls.counts["ChainTrie"] == 1
