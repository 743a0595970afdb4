"""A saved and loaded classifier predicts the same bits, for every model, inference, form of y and text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from safetensors import safe_open
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from setwise import SetClassifier, __version__, load
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.labels import LabelMatrix, SetCalibration
from setwise.models import BinaryRelevance, ClassifierChain
from setwise.persistence import FORMAT_VERSION, read_model
from setwise.persistence.fields import Fields
from setwise.persistence.recipe import recipe_from, recipe_part
from setwise.persistence.tuning import tuning_from, tuning_part
from setwise.text import TextVectorizer
from setwise.tuning import ModelTrial
from tests.persistence.small import (
    INFERENCES,
    MODELS,
    NAMES,
    NEW,
    TEXT_LABELS,
    TEXTS,
    X,
    answers,
    assert_same_bits,
    decisions,
    trained,
    trained_on_text,
    y,
)

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

CURRENT_VERSION = f'"setwise_format": "{FORMAT_VERSION}"'.encode()
UNUSUAL_NAMES = [" x", "naïve ☃", 'quo"te', "line\nbreak", "\U0001f98a", "x ", "a,b", "\x00"]


def round_trip(path: Path, classifier: SetClassifier, documents: Any = NEW) -> SetClassifier:
    """Save and load a classifier, and check that all of its predictions have the same bits."""
    classifier.save(path / "a.setwise")
    loaded = load(path / "a.setwise")
    assert_same_bits(answers(classifier, documents), answers(loaded, documents))
    assert_array_equal(loaded.classes_, classifier.classes_)
    return loaded


class TestSameBits:
    @pytest.mark.parametrize(
        ("model", "inference"), [(m, i) for m, inferences in INFERENCES.items() for i in inferences]
    )
    def test_every_model_and_inference(self, model: str, inference: str, tmp_path: Path) -> None:
        for decision in decisions(model, inference):
            classifier = trained(model, inference, decision)
            loaded = round_trip(tmp_path, classifier)
            assert type(loaded.model_) is type(MODELS[model])
            assert loaded.get_params()["inference"] == inference
            assert loaded.get_params()["model"].get_params() == MODELS[model].get_params()

    @pytest.mark.parametrize(
        "options",
        [
            {"calibration": "likelihood"},
            {"calibration": SetCalibration(0.7, 0.2, -0.1)},
            {"calibration": "f1", "inference": "exact"},
            {"decision": "threshold", "threshold": "tuned"},
            {"inference": "exact", "decision": "expected_jaccard", "at_least_one": True},
            {"decision": "threshold", "threshold": "tuned per label", "at_least_one": True},
            {"inference": "blend", "blend": "tuned", "calibration": "likelihood"},
            {"beta": 2.0, "min_count": 2, "random_state": 2**63},
            {"extra_sets": (("bee", "cat"), ("ape", "bee", "cat", "dog", "eel"))},
        ],
        ids=str,
    )
    def test_every_parameter_of_a_recipe(self, options: dict[str, Any], tmp_path: Path) -> None:
        classifier = trained("br", **options)
        loaded = round_trip(tmp_path, classifier)
        again = clone(loaded).fit(X, NAMES)  # the parameters came back as well
        assert_same_bits(answers(classifier, NEW), answers(again, NEW))

    @pytest.mark.parametrize("labels", [y, sp.csr_array(y), sp.csr_matrix(y), NAMES], ids=["dense", "a", "m", "names"])
    def test_every_form_of_y(self, labels: Any, tmp_path: Path) -> None:
        round_trip(tmp_path, clone(trained("br")).fit(X, labels))

    @pytest.mark.parametrize("model", MODELS)
    def test_unusual_names_one_label_and_constant_labels(self, model: str, tmp_path: Path) -> None:
        inference = INFERENCES[model][0]
        decision: Any = decisions(model, inference)[0]
        fresh = SetClassifier(MODELS[model], inference, decision, calibration=None, n_jobs=1)
        unusual = [[UNUSUAL_NAMES[(i + j) % 8] for j in range(i % 3)] for i in range(60)]
        assert set(round_trip(tmp_path, fresh.fit(X, unusual)).classes_) == set(UNUSUAL_NAMES)
        round_trip(tmp_path, clone(fresh).fit(X, y[:, :1]))
        constant = y.copy()
        constant[:, 1], constant[:, 2] = 1, 0
        round_trip(tmp_path, clone(fresh).fit(X, constant))
        round_trip(tmp_path, clone(fresh).fit(X, np.zeros((60, 2), dtype=int)))
        round_trip(tmp_path, clone(fresh).fit(X[:1], y[:1]))

    def test_blank_names_load(self, tmp_path: Path) -> None:
        """``fit`` refuses blank names in lists and frames, but accepts a ``LabelMatrix`` that has them."""
        names = ["", "  ", *(f"label {label}" for label in range(2, y.shape[1]))]
        again = round_trip(tmp_path, clone(trained("br")).fit(X, LabelMatrix.of(y, names)))
        assert again.classes_.tolist() == names

    def test_one_feature_and_zero_features(self, tmp_path: Path) -> None:
        fresh = clone(trained("br"))
        round_trip(tmp_path, fresh.fit(X[:, :1], y), NEW[:, :1])
        round_trip(tmp_path, clone(fresh).fit(sp.csr_array((60, 3)), y), NEW[:, :3])

    def test_weights_beyond_single_precision(self, tmp_path: Path) -> None:
        for scale in (1e-45, 1e60):
            round_trip(tmp_path, clone(trained("br", "exact")).fit(X * scale, y), NEW * scale)

    def test_feature_names(self, tmp_path: Path) -> None:
        classifier = clone(trained("br")).fit(X, y)
        classifier.feature_names_in_ = np.array([f"wörd {i}" for i in range(8)], dtype=object)  # as data frames do
        classifier.save(tmp_path / "a")
        assert_array_equal(load(tmp_path / "a").feature_names_in_, classifier.feature_names_in_)

    @pytest.mark.parametrize("model", ["br", "lsf", "crf"])
    def test_tuning_results(self, model: str, tmp_path: Path) -> None:
        classifier = SetClassifier(model, budget="quick", n_jobs=1).fit(X, NAMES)
        loaded = round_trip(tmp_path, classifier)
        expected, tuning = classifier.tuning_, loaded.tuning_
        assert expected is not None
        assert tuning is not None
        assert tuning.recipe_name == expected.recipe_name
        assert tuning.value == expected.value
        assert tuning.alternatives == expected.alternatives
        not_saved: dict[str, Any] = {"seconds": None}  # different between equal trainings
        assert any(trial.row["history"] for trial in expected.trials) == (model == "crf")
        assert [{**trial.row, **not_saved} for trial in tuning.trials] == [
            {**trial.row, **not_saved} for trial in expected.trials
        ]
        assert [trial.setting for trial in tuning.trials] == [trial.setting for trial in expected.trials]
        assert tuning.model.get_params() == expected.model.get_params()
        assert loaded.get_params() == classifier.get_params()

    def test_the_settings_of_every_model_that_was_tried(self, tmp_path: Path) -> None:
        classifier = SetClassifier("br", budget="quick", n_jobs=1).fit(X, NAMES)
        tuning = classifier.tuning_
        assert tuning is not None
        tried = {"chosen": tuning.trials, "another": tuning.trials[:2], "older": None, "pool": []}
        models = [ModelTrial(name, "support, gfm", 0.5, 3, 100, None, trials) for name, trials in tried.items()]
        classifier.tuning_ = replace(tuning, model_name="chosen", model_trials=models)
        loaded = round_trip(tmp_path, classifier).tuning_
        assert loaded is not None
        settings = [
            None if one.trials is None else [trial.setting for trial in one.trials] for one in loaded.model_trials
        ]
        assert settings == [
            [trial.setting for trial in tuning.trials],
            [trial.setting for trial in tuning.trials[:2]],
            None,
            [],
        ]

    @pytest.mark.parametrize(
        "history", ["no list", {}, [1], [[1]], [[[1]]], [[[1, "x"]]], [[[-1, 0.5]]], [[[1, 10**400]]]]
    )
    def test_a_damaged_history_is_refused(self, history: Any) -> None:
        classifier = SetClassifier("crf", budget="quick", n_jobs=1).fit(X, NAMES)
        part = tuning_part(classifier.tuning_)
        assert part is not None
        part["trials"][0]["history"] = history
        with pytest.raises(InvalidData):
            tuning_from(Fields(part, "tuning"), classifier.model_, classifier.recipe_)

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"inference": "mode", "decision": "gfm"}, "The decision 'gfm' cannot work with the inference 'mode'."),
            ({"inference": "sampled"}, "The recipe needs 'sample', which PairwiseCRF does not have."),
        ],
    )
    def test_a_recipe_that_the_model_cannot_follow_is_refused(self, changes: dict[str, Any], sentence: str) -> None:
        classifier = trained("crf", "support")
        part, tensors = recipe_part(classifier.recipe_)
        with pytest.raises(InvalidData, match=f"^{re.escape(sentence)}$"):
            recipe_from(Fields({**part, **changes}, "recipe"), tensors, classifier.model_, 1)

    def test_texts(self, tmp_path: Path) -> None:
        classifier = trained_on_text()
        loaded = round_trip(tmp_path, classifier, TEXTS)
        assert isinstance(loaded.vectorizer_, TextVectorizer)
        assert loaded.vectorizer_.get_params() == loaded.vectorizer.get_params() == classifier.vectorizer.get_params()
        assert loaded.vectorizer_.words_ == classifier.vectorizer_.words_
        features = classifier.vectorizer_.transform(TEXTS).toarray()
        assert_array_equal(loaded.vectorizer_.transform(TEXTS).toarray(), features)

    def test_vectorizer_of_features_that_were_fitted_on(self, tmp_path: Path) -> None:
        """Whoever vectorizes texts himself saves the vectorizer too, and the loaded classifier takes texts."""
        vectorizer = TextVectorizer()
        features = vectorizer.fit_transform(TEXTS)
        classifier = SetClassifier(MODELS["br"], "support", "gfm", calibration=None).fit(features, TEXT_LABELS)
        classifier.save(tmp_path / "a", vectorizer)
        assert_same_bits(answers(classifier, features), answers(load(tmp_path / "a"), TEXTS))


class TestFile:
    def test_equal_tuned_trainings_give_the_same_bytes(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            SetClassifier("br", budget="quick", n_jobs=1).fit(X, NAMES).save(tmp_path / name)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()

    def test_saving_again_gives_the_same_bytes(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            trained_on_text().save(tmp_path / name, seconds=2.5)
        load(tmp_path / "a").save(tmp_path / "c", **read_model(tmp_path / "a").manifest["statistics"])
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()

    def test_any_safetensors_reader_opens_the_file(self, tmp_path: Path) -> None:
        trained("br").save(tmp_path / "a", seconds=np.float64(2.5), corpus="small")
        with safe_open(tmp_path / "a", framework="np") as file:
            assert file.metadata()["setwise_format"] == str(FORMAT_VERSION)
            assert file.get_tensor("model.coef_.data").dtype == np.float32
        manifest = read_model(tmp_path / "a").manifest
        assert manifest["setwise_version"] == __version__
        assert manifest["labels"]["names"] == ["ape", "bee", "cat", "dog", "eel"]
        statistics = manifest["statistics"]
        assert statistics["n_documents"] == 60
        assert statistics["cardinality"] == pytest.approx(y.sum(axis=1).mean())
        assert (statistics["n_features"], statistics["n_labels"]) == (8, 5)
        assert (statistics["seconds"], statistics["corpus"]) == (2.5, "small")

    def test_path_of_the_checkpoint_is_not_saved(self, tmp_path: Path) -> None:
        classifier = SetClassifier("br", "support", "gfm", calibration=None, budget="quick", n_jobs=1)
        classifier.set_params(checkpoint=tmp_path / "tuning.jsonl").fit(X, y)
        classifier.save(tmp_path / "a")
        assert str(tmp_path).encode() not in (tmp_path / "a").read_bytes()
        assert load(tmp_path / "a").checkpoint is None

    def test_l1_makes_small_files(self, corpus: Any, tmp_path: Path) -> None:
        documents, labels = corpus("bibtex").read("train")
        sizes = []
        for l1_ratio, tol in ((0.0, 1e-3), (1.0, 1e-4)):  # without L1 no weight is zero, whatever the tolerance
            model = BinaryRelevance(1.0 / documents.shape[0], l1_ratio=l1_ratio, tol=tol)
            SetClassifier(model, "support", "gfm", calibration=None).fit(documents, labels).save(tmp_path / "a")
            sizes.append((tmp_path / "a").stat().st_size)
        print(f"bibtex, BR: L2 {sizes[0]:,} bytes, L1 {sizes[1]:,} bytes, {sizes[1] / sizes[0]:.1%}")
        assert sizes[1] < 0.15 * sizes[0]


class Unregistered(BinaryRelevance):
    """A model that the registry does not have."""


class TestErrors:
    def test_classifier_that_cannot_be_saved(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        with pytest.raises(NotFittedError):
            SetClassifier().save(path)
        with pytest.raises(Incompatible, match=r"^A model file can store a TextVectorizer only; got str\.$"):
            trained("br").save(path, "text")  # type: ignore[arg-type]
        with pytest.raises(InvalidData, match=r"The vectorizer has 2 terms but the model has 8 features\.$"):
            trained("br").save(path, TextVectorizer().fit(["two words"]))
        with pytest.raises(InvalidParameter, match=r"statistics\.seconds cannot be saved: .* finite"):
            trained("br").save(path, seconds=float("nan"))
        with pytest.raises(InvalidParameter, match=r"statistics\.who cannot be saved"):
            trained("br").save(path, who=object())
        unregistered = SetClassifier(Unregistered(), "support", "gfm", calibration=None).fit(X, y)
        with pytest.raises(Incompatible, match=r"^Unregistered is not a registered model\. Hint: add it to "):
            unregistered.save(path)
        wide = SetClassifier(ClassifierChain(beam_width=10**9), "support", "gfm", calibration=None, n_jobs=1)
        wide.fit(X, y).save(path)  # the beam of five labels stays narrow
        path.unlink()
        with pytest.raises(InvalidData, match="beam_width must be at most"):
            clone(wide).fit(X, np.tile(y, 5)).save(path)
        assert list(tmp_path.iterdir()) == []

    def test_invalid_model_file(self, tmp_path: Path) -> None:
        trained("br").save(tmp_path / "good")
        good = (tmp_path / "good").read_bytes()
        (tmp_path / "empty").write_bytes(b"")
        (tmp_path / "foreign").write_text("label,text\n")
        (tmp_path / "cut").write_bytes(good[:-1])
        (tmp_path / "longer").write_bytes(good + b"\0")
        (tmp_path / "newer").write_bytes(good.replace(CURRENT_VERSION, b'"setwise_format": "5"'))
        (tmp_path / "older").write_bytes(good.replace(CURRENT_VERSION, b'"setwise_format": "1"'))
        (tmp_path / "altered").write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        (tmp_path / "renamed").write_bytes(good.replace(b'\\"ape\\"', b'\\"ipe\\"'))
        (tmp_path / "other").write_bytes(good.replace(b"setwise_format", b"another_format"))
        for name, reason in {
            "nowhere": "No such file.",
            ".": "It is a directory.",
            "empty": "It is not a complete safetensors file",
            "foreign": "It is not a complete safetensors file",
            "cut": "It is not a complete safetensors file",
            "longer": "It is not a complete safetensors file",
            "newer": "Unknown format version '5'; this setwise reads version 4.",
            "older": "Unknown format version '1'; this setwise reads version 4.",
            "altered": "The arrays do not match their checksum. The file is damaged: copy it again",
            "renamed": "The manifest does not match its checksum.",
            "other": "It is a safetensors file, but not a setwise model.",
        }.items():
            with pytest.raises(InvalidData) as refusal:
                load(tmp_path / name)
            assert str(refusal.value).startswith(f"Cannot load {tmp_path / name}. {reason}")
            assert refusal.value.__cause__ is None
