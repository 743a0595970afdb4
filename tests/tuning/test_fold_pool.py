"""The models of the folds, pooled in place of a last fit to all documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import setwise
from setwise import SetClassifier
from setwise.exceptions import Incompatible, InvalidParameter
from setwise.labels import calibrate
from setwise.models import BinaryRelevance, Ensemble, PairwiseCRF
from setwise.tuning import auto, pooling
from tests.models.corpora import name_lists, small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=120)
NEW, NEW_Y = small_corpus(random_state=1, n=40)


def fitted(model: Any = "br", **options: Any) -> SetClassifier:
    return SetClassifier(model, budget="quick", refit="folds", n_jobs=1, **options).fit(X, y)


def test_the_pool_is_the_mean_of_the_folds_over_the_support() -> None:
    classifier = fitted(inference="support", decision="gfm", calibration="likelihood")
    pool, result = classifier.model_, classifier.tuning_
    assert isinstance(pool, Ensemble)
    assert result is not None
    assert len(result.trained) == len(pool.models_) == 3
    assert classifier.recipe_.calibration.is_identity
    support = classifier.support_
    of_folds = [
        calibrate(one.posterior(NEW).log_prob(support.sets), result.recipe.calibration, support, 1).probability
        for one in result.trained
    ]
    assert_allclose(np.exp(pool.posterior(NEW).log_prob(support.sets)), np.mean(of_folds, axis=0), atol=1e-12)


def test_the_pool_without_support_is_the_mean_of_the_label_probabilities() -> None:
    classifier = fitted(inference="exact", decision="gfm", calibration="likelihood")
    result = classifier.tuning_
    assert result is not None
    scaling = result.recipe.scaling
    assert not scaling.is_identity
    assert classifier.recipe_.scaling.is_identity
    of_folds = [one.posterior(NEW).rescaled(scaling.scale, scaling.size).marginals() for one in result.trained]
    assert_allclose(classifier.predict_proba(NEW), np.mean(of_folds, axis=0), atol=1e-12)
    assert classifier.score(NEW, NEW_Y) > 0.4


@pytest.mark.parametrize("model", ["crf", "pcc"])
def test_other_models_and_the_model_file(model: str, tmp_path: Path) -> None:
    classifier = fitted(model)
    classifier.save(tmp_path / "folds.setwise")
    assert_array_equal(setwise.load(tmp_path / "folds.setwise").predict(NEW), classifier.predict(NEW))
    assert classifier.score(NEW, NEW_Y) > 0.4


def test_a_pool_of_models_is_pooled_over_the_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling, "simplex_weights", lambda rows: np.full(rows.shape[1], 1.0 / rows.shape[1]))
    plain = auto._with_trial

    def only_the_pool(result: Any, name: str, started: float) -> Any:
        return plain(replace(result, value=result.value if name == "pool" else 0.0), name, started)

    monkeypatch.setattr(auto, "_with_trial", only_the_pool)
    classifier = SetClassifier("auto", refit="folds", n_jobs=1).fit(X, y)
    assert isinstance(classifier.model_, Ensemble)
    assert [type(one) for one in classifier.model_.models_] == [BinaryRelevance, BinaryRelevance, PairwiseCRF] * 3
    assert_allclose(classifier.model_.weights_, 1.0 / 9.0)


def test_texts_have_one_vocabulary_for_all_folds() -> None:
    texts = [f"common word{i} word{i} {'x' if i % 2 else 'y'}{i % 2}" for i in range(40)]
    labels = [["a"] if i % 2 else ["b"] for i in range(40)]
    vectorizer = setwise.TextVectorizer(min_df=1)
    classifier = SetClassifier("br", budget="quick", refit="folds", vectorizer=vectorizer, cv=4).fit(texts, labels)
    assert len(classifier.model_.models_) == 4
    assert classifier.n_features_in_ == len(classifier.vectorizer_.words_) == 43
    assert classifier.predict(texts[:2]) == labels[:2]


def test_what_cannot_be_combined_is_one_sentence() -> None:
    with pytest.raises(InvalidParameter, match=r"cv must be a number of folds where refit='folds'; got the share 0\.2"):
        fitted(cv=0.2)
    with pytest.raises(Incompatible, match="refit='folds' cannot be combined with validation_data"):
        SetClassifier("br", refit="folds").fit(X, name_lists(y), validation_data=(NEW, name_lists(NEW_Y)))
    with pytest.raises(InvalidParameter, match="refit must be"):
        SetClassifier("br", refit="all").fit(X, y)  # type: ignore[arg-type]
