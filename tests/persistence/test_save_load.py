"""What is saved and loaded predicts the same bits, whatever model, inference, labels and text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from safetensors import safe_open
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from setwise import SetClassifier, __version__
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.inference import SetCalibration
from setwise.labels import LabelMatrix
from setwise.models import BinaryRelevance, ClassifierChain
from setwise.models.precomputed import PrecomputedMarginals
from setwise.persistence import FORMAT, load, save
from setwise.text import TextVectorizer
from tests.persistence.small import (
    INFERENCES,
    MODELS,
    NAMES,
    NEW,
    TEXTS,
    X,
    answers,
    assert_same_bits,
    trained,
    trained_on_text,
    y,
)

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

ODD_NAMES = [" x", "naïve ☃", 'quo"te', "line\nbreak", "\U0001f98a", "x ", "a,b", "\x00"]


def round_trip(path: Path, classifier: SetClassifier, documents: Any = NEW) -> SetClassifier:
    """Save and load; all that can be asked must come back in the same bits."""
    save(path / "a.setwise", classifier)
    loaded = load(path / "a.setwise").classifier
    assert_same_bits(answers(classifier, documents), answers(loaded, documents))
    assert_array_equal(loaded.classes_, classifier.classes_)
    return loaded


class TestSameBits:
    @pytest.mark.parametrize(("model", "inference"), [(m, i) for m, found in INFERENCES.items() for i in found])
    def test_every_model_and_inference(self, model: str, inference: str, tmp_path: Path) -> None:
        decisions = ("most_probable",) if inference == "mode" else ("gfm", "threshold")
        for decision in decisions:
            classifier = trained(model, inference, decision)
            loaded = round_trip(tmp_path, classifier)
            assert type(loaded.model_) is type(MODELS[model])
            assert loaded.get_params()["inference"] == inference
            assert loaded.model.get_params() == MODELS[model].get_params()

    @pytest.mark.parametrize(
        "options",
        [
            {"calibration": "likelihood"},
            {"calibration": SetCalibration(0.7, 0.2, -0.1)},
            {"calibration": "f1", "inference": "exact"},
            {"decision": "threshold", "threshold": "tuned"},
            {"decision": "threshold", "threshold": "tuned per label", "at_least_one": True},
            {"inference": "blend", "blend": "tuned", "calibration": "likelihood"},
            {"beta": 2.0, "min_count": 2, "random_state": 2**63},
            {"extra_sets": (("bee", "cat"), ("ape", "bee", "cat", "dog", "eel"))},
        ],
        ids=str,
    )
    def test_every_number_of_a_recipe(self, options: dict[str, Any], tmp_path: Path) -> None:
        classifier = trained("br", **options)
        loaded = round_trip(tmp_path, classifier)
        again = clone(loaded).fit(X, NAMES)  # the parameters came back as well
        assert_same_bits(answers(classifier, NEW), answers(again, NEW))

    @pytest.mark.parametrize("labels", [y, sp.csr_array(y), sp.csr_matrix(y), NAMES], ids=["dense", "a", "m", "names"])
    def test_every_kind_of_labels(self, labels: Any, tmp_path: Path) -> None:
        round_trip(tmp_path, clone(trained("br")).fit(X, labels))

    @pytest.mark.parametrize("model", MODELS)
    def test_odd_names_one_label_and_constants(self, model: str, tmp_path: Path) -> None:
        inference = INFERENCES[model][0]
        fresh = SetClassifier(MODELS[model], inference, "gfm", calibration=None, n_jobs=1)
        odd = [[ODD_NAMES[(i + j) % 8] for j in range(i % 3)] for i in range(60)]
        assert set(round_trip(tmp_path, fresh.fit(X, odd)).classes_) == set(ODD_NAMES)
        round_trip(tmp_path, clone(fresh).fit(X, y[:, :1]))
        constant = y.copy()
        constant[:, 1], constant[:, 2] = 1, 0
        round_trip(tmp_path, clone(fresh).fit(X, constant))
        round_trip(tmp_path, clone(fresh).fit(X, np.zeros((60, 2), dtype=int)))
        round_trip(tmp_path, clone(fresh).fit(X[:1], y[:1]))

    def test_blank_names_of_earlier_files_still_load(self, tmp_path: Path) -> None:
        """A fit refuses them in lists and frames, but a model that has them is not lost."""
        names = ["", "  ", *(f"label {label}" for label in range(2, y.shape[1]))]
        again = round_trip(tmp_path, clone(trained("br")).fit(X, LabelMatrix.of(y, names)))
        assert again.classes_.tolist() == names

    def test_one_feature_and_features_that_are_all_zero(self, tmp_path: Path) -> None:
        fresh = clone(trained("br"))
        round_trip(tmp_path, fresh.fit(X[:, :1], y), NEW[:, :1])
        round_trip(tmp_path, clone(fresh).fit(sp.csr_array((60, 3)), y), NEW[:, :3])

    def test_weights_that_single_precision_cannot_hold(self, tmp_path: Path) -> None:
        for scale in (1e-45, 1e60):
            round_trip(tmp_path, clone(trained("br", "exact")).fit(X * scale, y), NEW * scale)

    def test_names_of_features(self, tmp_path: Path) -> None:
        classifier = clone(trained("br")).fit(X, y)
        classifier.feature_names_in_ = np.array([f"wörd {i}" for i in range(8)], dtype=object)  # as data frames do
        save(tmp_path / "a", classifier)
        assert_array_equal(load(tmp_path / "a").classifier.feature_names_in_, classifier.feature_names_in_)

    @pytest.mark.parametrize("model", ["br", "lsf"])
    def test_what_tuning_found(self, model: str, tmp_path: Path) -> None:
        classifier = SetClassifier(model, budget="quick", n_jobs=1, progress=False).fit(X, NAMES)
        loaded = round_trip(tmp_path, classifier)
        found, kept = classifier.tuning_, loaded.tuning_
        assert kept.recipe_name == found.recipe_name
        assert kept.value == found.value
        assert kept.alternatives == found.alternatives
        left_out = {"history": [], "seconds": None}  # what is long, and what differs between equal trainings
        assert [{**one.row, **left_out} for one in kept.tried] == [{**one.row, **left_out} for one in found.tried]
        assert [one.cell for one in kept.tried] == [one.cell for one in found.tried]
        assert kept.model.get_params() == found.model.get_params()
        assert loaded.get_params() == classifier.get_params()

    def test_text(self, tmp_path: Path) -> None:
        classifier, text = trained_on_text()
        save(tmp_path / "a.setwise", classifier, text)
        saved = load(tmp_path / "a.setwise")
        assert isinstance(saved.text, TextVectorizer)
        assert saved.text.get_params() == text.get_params()
        assert saved.text.words_ == text.words_
        documents = text.transform(TEXTS)
        assert_array_equal(saved.text.transform(TEXTS).toarray(), documents.toarray())
        assert_same_bits(answers(classifier, documents), answers(saved.classifier, saved.text.transform(TEXTS)))


class TestFile:
    def test_two_equal_tuned_trainings_give_the_same_bytes(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            save(tmp_path / name, SetClassifier("br", budget="quick", n_jobs=1).fit(X, NAMES))
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()

    def test_same_classifier_same_bytes_also_when_loaded_in_between(self, tmp_path: Path) -> None:
        classifier, text = trained_on_text()
        save(tmp_path / "a", classifier, text, seconds=2.5)
        save(tmp_path / "b", classifier, text, seconds=2.5)
        saved = load(tmp_path / "a")
        save(tmp_path / "c", saved.classifier, saved.text, **saved.manifest["statistics"])
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()

    def test_any_safetensors_reader_can_look_inside(self, tmp_path: Path) -> None:
        save(tmp_path / "a", trained("br"), seconds=np.float64(2.5), corpus="small")
        with safe_open(tmp_path / "a", framework="np") as file:
            assert file.metadata()["setwise_format"] == str(FORMAT)
            assert file.get_tensor("model.coef_.data").dtype == np.float32
        manifest = load(tmp_path / "a").manifest
        assert manifest["setwise_version"] == __version__
        assert manifest["labels"]["names"] == ["ape", "bee", "cat", "dog", "eel"]
        told = manifest["statistics"]
        assert told["n_documents"] == 60
        assert told["cardinality"] == pytest.approx(y.sum(axis=1).mean())
        assert (told["n_features"], told["n_labels"], told["seconds"], told["corpus"]) == (8, 5, 2.5, "small")

    def test_the_way_of_the_training_is_left_out(self, tmp_path: Path) -> None:
        made = SetClassifier("br", "support", "gfm", calibration=None, budget="quick", n_jobs=1)
        made.set_params(tuning_file=tmp_path / "tuning.jsonl").fit(X, y)
        save(tmp_path / "a", made)
        assert str(tmp_path).encode() not in (tmp_path / "a").read_bytes()
        assert load(tmp_path / "a").classifier.tuning_file is None

    def test_elastic_net_makes_small_files(self, corpus: Any, tmp_path: Path) -> None:
        documents, labels = corpus("bibtex").read("train")
        sizes = []
        for l1_ratio, tol in ((0.0, 1e-3), (1.0, 1e-4)):  # of squares no weight is zero, however early they end
            model = BinaryRelevance(1.0 / documents.shape[0], l1_ratio=l1_ratio, tol=tol)
            save(tmp_path / "a", SetClassifier(model, "support", "gfm", calibration=None).fit(documents, labels))
            sizes.append((tmp_path / "a").stat().st_size)
        print(f"bibtex, BR: L2 {sizes[0]:,} bytes, L1 {sizes[1]:,} bytes, {sizes[1] / sizes[0]:.1%}")
        assert sizes[1] < 0.15 * sizes[0]


class TestRefusals:
    def test_what_cannot_be_saved(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        with pytest.raises(NotFittedError):
            save(path, SetClassifier())
        with pytest.raises(Incompatible, match="holds a SetClassifier; got BinaryRelevance"):
            save(path, MODELS["br"])
        with pytest.raises(Incompatible, match="TextVectorizer or None"):
            save(path, trained("br"), "text")  # type: ignore[arg-type]
        with pytest.raises(InvalidData, match=r"text\.words must be the 8 features of the model; got 2\.$"):
            save(path, trained("br"), TextVectorizer().fit(["two words"]))
        with pytest.raises(InvalidParameter, match=r"statistics\.seconds must be .* finite"):
            save(path, trained("br"), seconds=float("nan"))
        with pytest.raises(InvalidParameter, match=r"statistics\.who must be"):
            save(path, trained("br"), who=object())
        strange = clone(trained("br")).fit(X, y)
        strange.model_ = PrecomputedMarginals(("0", "1"))
        with pytest.raises(Incompatible, match="holds one of BinaryRelevance, .*; got PrecomputedMarginals"):
            save(path, strange)
        wide = SetClassifier(ClassifierChain(beam_width=10**9), "support", "gfm", calibration=None, n_jobs=1)
        save(path, wide.fit(X, y))  # five labels need no wide beam
        path.unlink()
        with pytest.raises(InvalidData, match="beam_width must be at most"):
            save(path, clone(wide).fit(X, np.tile(y, 5)))
        assert list(tmp_path.iterdir()) == []

    def test_what_is_no_model_file(self, tmp_path: Path) -> None:
        save(tmp_path / "good", trained("br"))
        good = (tmp_path / "good").read_bytes()
        (tmp_path / "empty").write_bytes(b"")
        (tmp_path / "foreign").write_text("label,text\n")
        (tmp_path / "cut").write_bytes(good[:-1])
        (tmp_path / "longer").write_bytes(good + b"\0")
        (tmp_path / "newer").write_bytes(good.replace(b'"setwise_format": "1"', b'"setwise_format": "2"'))
        (tmp_path / "altered").write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        (tmp_path / "renamed").write_bytes(good.replace(b'\\"ape\\"', b'\\"ipe\\"'))
        (tmp_path / "other").write_bytes(good.replace(b"setwise_format", b"another_format"))
        for name, reason in {
            "nowhere": "there is no such file",
            ".": "it is a folder",
            "empty": "cannot be read",
            "foreign": "cannot be read",
            "cut": "cannot be read",
            "longer": "cannot be read",
            "newer": "it is of format 2, and this version of setwise reads up to 1",
            "altered": "its arrays do not have the checksum",
            "renamed": "its manifest does not have the checksum",
            "other": "a safetensors file of something else",
        }.items():
            with pytest.raises(InvalidData, match=f"must be a whole and unchanged model file.*{reason}") as refusal:
                load(tmp_path / name)
            assert str(refusal.value).startswith(str(tmp_path / name))
            assert refusal.value.__cause__ is None
