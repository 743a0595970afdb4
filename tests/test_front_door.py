"""The front door: four names of the package, texts in and label names out, one file, and scikit-learn's tools."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import setwise
from setwise import SetClassifier, TextVectorizer, decide, load
from setwise.exceptions import Incompatible, InvalidData
from setwise.models import (
    MODELS,
    BernoulliMixture,
    BinaryRelevance,
    EnergyNetwork,
    LabelModel,
    MultilayerPerceptron,
)
from tests.models.corpora import name_lists, small_corpus
from tests.test_classifier import BR, NEW, NEW_Y, X, plain, y

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

TEXTS = ["red apple", "green pear", "red car", "green apple tree", "fast red car", "old tree"] * 4
LABELS = [["fruit"], ["fruit"], ["car"], ["fruit", "plant"], ["car"], ["plant"]] * 4
INDICATOR = np.array([[name in names for name in ("car", "fruit", "plant")] for names in LABELS], dtype=int)


def of_texts(**options: Any) -> SetClassifier:
    return plain(BinaryRelevance(strength=1e-3, n_jobs=1), **options)


class TestNames:
    def test_the_package_lists_its_names(self) -> None:
        names = {"SetClassifier", "TextVectorizer", "decide", "load"}
        assert names <= set(dir(setwise))
        assert names <= set(setwise.__all__)
        for name in names:
            assert getattr(setwise, name) is globals()[name]
        with pytest.raises(AttributeError, match=r"^module 'setwise' has no attribute 'fit'$"):
            setwise.fit  # type: ignore[attr-defined]  # noqa: B018

    def test_the_names_are_typed(self, tmp_path: Path) -> None:
        """mypy checks these lines: none of the names is ``Any``."""
        classifier = assert_type(SetClassifier(BR, "support", "gfm", calibration=None), SetClassifier)
        classifier.fit(X, name_lists(y)).save(tmp_path / "m")
        assert_type(load(tmp_path / "m"), SetClassifier)
        assert_type(TextVectorizer().fit(TEXTS), TextVectorizer)
        assert decide([[0.9]], [["a"]]) == [["a"]]

    def test_importing_the_package_alone_imports_no_heavy_library(self) -> None:
        program = "import sys, setwise; dir(setwise); print(*{'numpy', 'scipy', 'sklearn'} & sys.modules.keys())"
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert ended.stdout.split() == []


class TestTexts:
    def test_from_texts_to_names_and_back_from_a_file(self, tmp_path: Path) -> None:
        classifier = SetClassifier(budget="quick", n_jobs=1).fit(TEXTS, LABELS)
        new = ["a red apple", "an old tree", "nothing of these"]
        assert classifier.predict(new)[:2] == [["fruit"], ["plant"]]
        assert classifier.predict_sets(new, top=2)[0][0].labels == ("fruit",)
        classifier.save(tmp_path / "m.setwise")
        loaded = load(tmp_path / "m.setwise")
        assert loaded.predict(new) == classifier.predict(new)
        assert loaded.predict_sets(new, top=3) == classifier.predict_sets(new, top=3)
        assert_array_equal(loaded.expected_f1(new), classifier.expected_f1(new))
        assert_array_equal(loaded.predict_proba(new), classifier.predict_proba(new))
        assert loaded.score(TEXTS, LABELS) == classifier.score(TEXTS, LABELS)

    def test_texts_are_predicted_as_their_features_are(self) -> None:
        vectorizer = TextVectorizer()
        usual = of_texts().fit(vectorizer.fit_transform(TEXTS), LABELS)
        classifier = of_texts().fit(TEXTS, LABELS)
        assert_array_equal(classifier.predict_proba(TEXTS), usual.predict_proba(vectorizer.transform(TEXTS)))
        features = classifier.vectorizer_.transform(TEXTS)  # which a classifier of texts takes as well
        assert_array_equal(classifier.predict_proba(features), classifier.predict_proba(TEXTS))

    def test_the_vectorizer_is_a_parameter(self) -> None:
        vectorizer = TextVectorizer((1, 2), stop_words=["red"])
        classifier = of_texts(vectorizer=vectorizer).fit(TEXTS, LABELS)
        assert not hasattr(vectorizer, "words_")  # the classifier fits a copy
        assert "fast car" in classifier.vectorizer_.words_
        assert classifier.n_features_in_ == len(classifier.vectorizer_.words_)
        assert of_texts(vectorizer=vectorizer).fit(X, y).vectorizer_ is None

    def test_any_transformer_of_texts_works_but_only_ours_is_saved(self, tmp_path: Path) -> None:
        classifier = of_texts(vectorizer=CountVectorizer(binary=True)).fit(TEXTS, LABELS)
        assert classifier.predict(["red apple"]) == [["fruit"]]
        sentence = r"^A model file can store a TextVectorizer only; got {}\.$"
        with pytest.raises(Incompatible, match=sentence.format("CountVectorizer")):
            classifier.save(tmp_path / "m")
        with pytest.raises(Incompatible, match=sentence.format("Shouting")):
            of_texts(vectorizer=Shouting()).fit(TEXTS, LABELS).save(tmp_path / "m")
        assert list(tmp_path.iterdir()) == []

    def test_validation_data_may_be_texts(self) -> None:
        options: Any = {"calibration": "likelihood"}
        classifier = of_texts(**options).fit(TEXTS, LABELS, validation_data=(TEXTS[:6], LABELS[:6]))
        assert classifier.recipe_.calibration != of_texts().fit(TEXTS, LABELS).recipe_.calibration

    @pytest.mark.parametrize(
        "form",
        [
            tuple,
            np.array,
            lambda texts: np.array(texts, dtype=object),
            lambda texts: np.array(texts)[:, None],
            lambda texts: [[text] for text in texts],
            lambda texts: list(map(np.str_, texts)),
        ],
        ids=["tuple", "array", "objects", "column", "lists of one", "numpy strings"],
    )
    def test_every_form_of_texts(self, form: Any) -> None:
        usual = of_texts().fit(TEXTS, LABELS)
        classifier = of_texts().fit(form(TEXTS), LABELS)
        assert classifier.predict(form(TEXTS)) == usual.predict(TEXTS)
        assert classifier.vectorizer_.words_ == usual.vectorizer_.words_

    def test_texts_of_a_data_frame(self) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed here")
        frame = pandas.DataFrame({"text": TEXTS, "length": list(map(len, TEXTS))}, index=range(100, 100 + len(TEXTS)))
        targets = pandas.DataFrame(INDICATOR, columns=["car", "fruit", "plant"])
        for texts in (frame["text"], frame[["text"]], frame["text"].astype(object), frame["text"].values):
            predicted = of_texts().fit(texts, targets).predict(texts)
            assert_array_equal(predicted, of_texts().fit(TEXTS, INDICATOR).predict(TEXTS))
            if hasattr(texts, "index"):
                assert predicted.index.tolist() == frame.index.tolist()
        with pytest.raises(InvalidData, match=r"^X has 2 columns, and 'text' holds texts\. Hint: pass that column"):
            of_texts().fit(frame, LABELS)

    @pytest.mark.parametrize("nothing", [[], (), np.array([]), np.array([], dtype=object)], ids=repr)
    def test_no_texts(self, nothing: Any) -> None:
        classifier = of_texts().fit(TEXTS, LABELS)
        assert classifier.predict(nothing) == classifier.predict_sets(nothing) == []
        assert classifier.predict_proba(nothing).shape == (0, 3)
        assert classifier.expected_f1(nothing).shape == (0,)
        with pytest.raises(InvalidData, match=r"^X has no documents\. Hint: "):
            of_texts().fit(nothing, [])

    @pytest.mark.parametrize(
        ("texts", "message"),
        [
            ("red apple", "X is a single string; pass a list of texts, such as ['first text', 'second text']."),
            (b"red apple", "X is a single string; pass a list of texts, such as ['first text', 'second text']."),
            (["red apple", None], "texts must be strings; got a value of type NoneType as text 1."),
            ([None, "red apple"], "texts must be strings; got a value of type NoneType as text 0."),
            (["red apple", float("nan")], "texts must be strings; got a value of type float as text 1."),
            (["red apple", ["old", "tree"]], "texts must be strings; got a value of type list as text 1."),
        ],
        ids=repr,
    )
    def test_documents_that_are_no_texts(self, texts: Any, message: str) -> None:
        with pytest.raises(InvalidData) as refusal:
            of_texts().fit(TEXTS, LABELS).predict(texts)
        assert str(refusal.value) == message
        with pytest.raises(InvalidData) as refusal:
            of_texts().fit(texts, [["a"], ["b"]])
        assert str(refusal.value) == message

    @pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_sets", "expected_f1"])
    def test_texts_and_features_are_not_confused(self, method: str) -> None:
        with pytest.raises(InvalidData, match=r"^X holds texts, but the classifier was fitted to features\. Hint: "):
            getattr(plain().fit(X, y), method)(TEXTS)
        of_some_texts = of_texts().fit(TEXTS, LABELS)
        for features in (X, X.toarray(), [None, None]):
            with pytest.raises(InvalidData, match=r"^X holds no texts, but the classifier was fitted to texts\. Hint:"):
                getattr(of_some_texts, method)(features)


class Shouting(TextVectorizer):
    """A vectorizer of one's own, which a model file could not rebuild."""


class TestScikitLearn:
    def test_pipeline(self) -> None:
        pipeline = make_pipeline(TfidfVectorizer(), of_texts())
        pipeline.fit(TEXTS, LABELS)
        assert pipeline.predict(["red apple", "old tree"]) == [["fruit"], ["plant"]]
        assert pipeline.score(TEXTS, LABELS) == 1.0
        assert pipeline.predict_proba(["car"]).shape == (1, 3)
        weighted = make_pipeline(TfidfVectorizer(), of_texts())
        weighted.fit(TEXTS, LABELS, setclassifier__sample_weight=np.linspace(0, 1, len(TEXTS)))
        assert not np.array_equal(weighted.predict_proba(TEXTS), pipeline.predict_proba(TEXTS))

    def test_grid_search_over_parameters_of_the_model_and_over_inferences(self) -> None:
        grid = {"model__strength": [10.0, 1e-3], "inference": ["support", "exact"]}
        for labels in (y, sp.csr_array(y), name_lists(y)):
            search = GridSearchCV(plain(BinaryRelevance()), grid, cv=KFold(3, shuffle=True, random_state=0))
            search.fit(X, labels)
            assert search.best_params_["model__strength"] == 1e-3
            assert np.isfinite(search.cv_results_["mean_test_score"]).all()
            assert search.best_estimator_.score(NEW, NEW_Y) > 0.3

    def test_grid_search_over_parameters_of_the_vectorizer(self) -> None:
        grid = {"vectorizer__ngram_range": [(1, 1), (1, 2)], "vectorizer__min_df": [1, 2]}
        search = GridSearchCV(of_texts(vectorizer=TextVectorizer()), grid, cv=3, error_score="raise")
        search.fit(TEXTS, LABELS)
        assert search.best_score_ == 1.0
        assert search.predict(["red apple"]) == [["fruit"]]

    @pytest.mark.parametrize("labels", [LABELS, INDICATOR], ids=["names", "indicator"])
    def test_cross_validation_of_texts(self, labels: Any) -> None:
        scores = cross_val_score(of_texts(), TEXTS, labels, cv=3, error_score="raise")
        assert scores.tolist() == [1.0, 1.0, 1.0]

    def test_cross_validation_where_a_fold_lacks_a_label(self) -> None:
        labels = name_lists(y)
        labels[0].append("yak")
        scores = cross_val_score(plain(BR), X, labels, cv=4, error_score="raise")
        assert np.isfinite(scores).all()

    @pytest.mark.parametrize("documents", [X, X.toarray()], ids=["sparse", "dense"])
    def test_cross_val_predict_of_an_indicator(self, documents: Any) -> None:
        splits = KFold(3)
        predicted = cross_val_predict(plain(BR), documents, y, cv=splits)
        marginals = cross_val_predict(plain(BR), documents, y, cv=splits, method="predict_proba")
        for train, held in splits.split(y):
            fitted = plain(BR).fit(documents[train], y[train])
            assert_array_equal(predicted[held], fitted.predict(documents[held]))
            assert_array_equal(marginals[held], fitted.predict_proba(documents[held]))
        sparse = cross_val_predict(plain(BR), documents, sp.csr_array(y), cv=splits)
        assert_array_equal(sparse.toarray(), predicted)

    def test_cross_val_predict_of_texts(self) -> None:
        assert_array_equal(cross_val_predict(of_texts(), TEXTS, INDICATOR, cv=3), INDICATOR)

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")  # it scores two empty sets with 0
    @pytest.mark.parametrize("n_labels", [2, 5])
    def test_scorers_of_an_indicator(self, n_labels: int) -> None:
        labels = y[:, :n_labels]
        scores = cross_val_score(plain(BR), X, labels, cv=3, scoring="f1_samples", error_score="raise")
        for score, (train, held) in zip(scores, KFold(3).split(y), strict=True):
            predicted = plain(BR).fit(X[train], labels[train]).predict(X[held])
            assert score == f1_score(labels[held], predicted, average="samples")
        search = GridSearchCV(plain(BR), {"beta": [1.0, 2.0]}, cv=3, scoring="f1_samples", error_score="raise")
        assert 0.0 <= search.fit(X, labels).best_score_ <= 1.0

    def test_scorers_of_probabilities(self) -> None:
        for scoring in ("average_precision", "roc_auc"):
            for labels in (y, y[:, :2]):
                scores = cross_val_score(plain(BR), X, labels, cv=3, scoring=scoring, error_score="raise")
                assert (scores > 0.5).all()

    def test_what_scikit_learn_cannot_do_is_documented(self) -> None:
        """A classifier's folds are stratified by the classes in y, which lists of labels do not have."""
        assert not is_classifier(SetClassifier())
        with pytest.raises(ValueError, match="Sequence of sequences are no longer supported"):
            cross_val_score(of_texts(), TEXTS, LABELS, cv=3, scoring="f1_samples", error_score="raise")
        with pytest.raises(ValueError, match="inhomogeneous"):
            cross_val_predict(of_texts(), TEXTS, LABELS, cv=3)
        assert SetClassifier.__doc__ is not None
        for name in ("is_classifier", "cross_val_predict", "f1_samples"):
            assert name in SetClassifier.__doc__.partition("Notes\n")[2]

    def test_parameters_are_read_set_and_copied(self) -> None:
        classifier = plain(BinaryRelevance(strength=0.5), "exact", beta=2.0, vectorizer=TextVectorizer())
        assert classifier.get_params()["model__strength"] == 0.5
        classifier.set_params(model__strength=0.25, decision="threshold", vectorizer__min_df=3)
        copy = clone(classifier)
        assert isinstance(copy.model, LabelModel)
        assert copy.model is not classifier.model
        assert copy.vectorizer is not classifier.vectorizer
        assert (copy.vectorizer.min_df, copy.decision, copy.beta) == (3, "threshold", 2.0)
        assert copy.get_params()["model__strength"] == 0.25

    @pytest.mark.parametrize("model", MODELS)
    def test_a_pickled_classifier_predicts_the_same(self, model: str) -> None:
        inference = "exact" if model in ("lsf", "fgfm", "lsr", "crf", "spen") else "support"
        fitted = plain(model, inference, "threshold" if model == "spen" else "gfm").fit(X, name_lists(y))
        again = pickle.loads(pickle.dumps(fitted))
        assert again.predict(NEW) == fitted.predict(NEW)
        assert_array_equal(again.predict_proba(NEW), fitted.predict_proba(NEW))

    def test_fit_changes_neither_inputs_nor_parameters(self) -> None:
        features, labels, model = X.copy(), y.copy(), BinaryRelevance(strength=0.01)
        classifier = plain(model, calibration="likelihood")
        before = classifier.get_params()
        classifier.fit(features, labels).predict(features)
        assert classifier.get_params() == before
        assert classifier.model is model
        assert_array_equal(features.toarray(), X.toarray())
        assert_array_equal(labels, y)

    @pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_sets", "expected_f1"])
    @pytest.mark.parametrize("documents", [X, TEXTS], ids=["features", "texts"])
    def test_an_unfitted_classifier_says_so(self, method: str, documents: Any) -> None:
        with pytest.raises(NotFittedError):
            getattr(SetClassifier(), method)(documents)
        with pytest.raises(NotFittedError):
            SetClassifier().score(documents, y)


# CBM has one component here: with several, weighted documents and repeated ones start EM differently. Networks have one
# batch: random ones differ.
WEIGHTED: dict[str, tuple[Any, float]] = {
    "br": (MODELS["br"].model(tol=1e-9, n_jobs=1), 1e-7),
    "pcc": (MODELS["pcc"].model(tol=1e-9, n_jobs=1), 1e-7),
    "crf": (MODELS["crf"].model(tol=1e-9, n_jobs=1), 1e-5),
    "cbm": (BernoulliMixture(n_components=1, n_jobs=1), 1e-3),
    "lsf": (MODELS["lsf"].model(tol=1e-9, n_jobs=1), 1e-7),
    "fgfm": (MODELS["fgfm"].model(tol=1e-9, n_jobs=1), 1e-7),
    "lsr": (MODELS["lsr"].model(n_jobs=1), 1e-7),
    "powerset": (MODELS["powerset"].model(strength=0.01, tol=1e-8, max_iter=5000, n_jobs=1), 1e-5),
    "rakel": (MODELS["rakel"].model(tol=1e-9, n_jobs=1), 1e-7),
    "cost_sensitive": (MODELS["cost_sensitive"].model(tol=1e-9, n_jobs=1), 1e-7),
    "mlp": (MultilayerPerceptron(n_hidden=20, max_iter=40, batch_size=100, n_jobs=1), 1e-3),
    "spen": (EnergyNetwork(n_hidden=20, mlp_max_iter=40, batch_size=100, n_steps=5, n_jobs=1), 1e-3),
}


@pytest.mark.parametrize("model", MODELS)
class TestSampleWeight:
    def test_a_weight_of_two_is_a_repeated_document(self, model: str) -> None:
        weight = np.ones(80)
        weight[[5, 10]] = 2.0, 3.0
        repeated = [*range(80), 5, 10, 10]
        weighted = self.fitted(model, X, y, weight)
        assert_allclose(weighted, self.fitted(model, X[repeated], y[repeated]), rtol=0, atol=WEIGHTED[model][1])
        assert np.abs(weighted - self.fitted(model, X, y)).max() > 0.01

    def test_a_weight_of_zero_leaves_a_document_out(self, model: str) -> None:
        weight = np.ones(82)
        weight[80:] = 0.0
        documents, labels = X[[*range(80), 3, 4]], y[[*range(80), 7, 8]]  # with sets that other documents have
        weighted = self.fitted(model, documents, labels, weight)
        assert_allclose(weighted, self.fitted(model, X, y), rtol=0, atol=WEIGHTED[model][1])
        assert np.abs(weighted - self.fitted(model, documents, labels)).max() > 0.001

    @staticmethod
    def fitted(model: str, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Return the label probabilities of new documents; nothing is tuned."""
        inference = "exact" if model in ("lsf", "fgfm", "lsr", "spen") else "support"
        decision = "threshold" if model == "spen" else "gfm"
        return plain(WEIGHTED[model][0], inference, decision).fit(X, y, sample_weight=sample_weight).predict_proba(NEW)


class TestWeights:
    def test_weights_reach_the_models_that_are_tuned(self) -> None:
        documents, labels = small_corpus(n=60)
        weight = np.where(labels[:, 0], 5.0, 1.0)
        tuned = SetClassifier("br", budget="quick", n_jobs=1)
        even, skewed = clone(tuned).fit(documents, labels), clone(tuned).fit(documents, labels, weight)
        assert skewed.predict_proba(NEW)[:, 0].mean() > even.predict_proba(NEW)[:, 0].mean()

    def test_texts_may_be_weighted(self) -> None:
        weight = np.arange(1.0, len(TEXTS) + 1)
        by_texts = of_texts().fit(TEXTS, LABELS, weight)
        by_features = of_texts().fit(TextVectorizer().fit_transform(TEXTS), LABELS, weight)
        assert_array_equal(by_texts.model_.label_weights().toarray(), by_features.model_.label_weights().toarray())

    @pytest.mark.parametrize(
        ("weight", "message"),
        [(np.ones(3), "sample_weight"), (-np.ones(80), "sample_weight"), (np.zeros(80), "sample_weight")],
        ids=["too few", "negative", "all zero"],
    )
    def test_invalid_weights_are_one_sentence(self, weight: Any, message: str) -> None:
        with pytest.raises(InvalidData) as refusal:
            plain(BR).fit(X, y, weight)
        assert str(refusal.value).startswith(message)
        assert str(refusal.value).partition(" Hint: ")[0].count(". ") == 0
