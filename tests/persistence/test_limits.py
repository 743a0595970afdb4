"""A small file cannot ask for large memory, endless time or values that are no probabilities."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from fuzz.cases_models import NAME, ModelCases
from fuzz.workers import checked
from setwise.classifier import SetClassifier
from setwise.data.duplicates import MOST_SKETCHED
from setwise.exceptions import InvalidData
from setwise.inference import sampling
from setwise.persistence import load, save
from setwise.persistence.container import _parsed, read_container, write_container
from tests.persistence.small import NAMES, NEW, X, answers, assert_same_bits, trained, trained_on_text, tuned

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

Change = Callable[[dict[str, Any], dict[str, Any]], None]


def changed(path: Path, change: Change, *parts: Any) -> Path:
    """Save a classifier, change manifest and arrays, and make the checksums right again."""
    save(path / NAME, *(parts or (trained("br"),)))
    manifest, tensors = read_container(path / NAME)
    change(manifest, tensors)
    with (path / NAME).open("wb") as file:
        write_container(file, manifest, tensors)
    return path / NAME


def put(*keys: str, value: Any) -> Change:
    """Set one field of the manifest."""

    def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
        at = manifest
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = value

    return change


def widened(n_features: int) -> Change:
    def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
        manifest["n_features"] = n_features
        for name in tensors:
            if name.endswith("coef_.shape"):
                tensors[name] = np.array([tensors[name][0], n_features])

    return change


def many_labels(n: int, largest_set: int = 1) -> Change:
    """Make a BR of many labels whose logits are all zero."""

    def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
        manifest["labels"]["names"] = [str(label) for label in range(n)]
        tensors["model.coef_.data"] = np.zeros(0)
        tensors["model.coef_.indices"] = np.zeros(0, dtype=np.int32)
        tensors["model.coef_.indptr"] = np.zeros(n + 1, dtype=np.int64)
        tensors["model.coef_.shape"] = np.array([n, manifest["n_features"]])
        tensors["model.intercept_"] = np.zeros(n)
        tensors["support.indices"] = np.arange(largest_set, dtype=np.int32)
        tensors["support.indptr"] = np.array([0, largest_set], dtype=np.int64)
        tensors["support.counts"] = np.ones(1, dtype=np.int64)

    return change


class TestFeatures:
    @pytest.mark.parametrize("model", ["br", "pcc", "crf", "cbm"])
    def test_a_small_file_of_very_many_features_is_inspected_and_used(self, model: str, tmp_path: Path) -> None:
        path = changed(tmp_path, widened(2**31 - 1), trained(model))
        assert path.stat().st_size < 20_000
        outcome = checked(ModelCases.check, path, 0)
        assert (outcome.said, outcome.fault) == ("used", None)

    @pytest.mark.parametrize("model", ["br", "cbm", "lsf"])
    def test_features_without_weights_change_no_bit(self, model: str, tmp_path: Path) -> None:
        classifier = trained(model, "exact")
        wide = load(changed(tmp_path, widened(10**6), classifier)).classifier
        documents = sp.csr_array((NEW.data, NEW.indices, NEW.indptr), shape=(NEW.shape[0], 10**6))
        assert_same_bits(answers(classifier, NEW), answers(wide, documents))

    def test_texts_have_as_many_features_as_words(self, tmp_path: Path) -> None:
        path = changed(tmp_path, widened(2**31 - 1), *trained_on_text())
        with pytest.raises(InvalidData, match=r"text\.words must be the 2147483647 features"):
            load(path)


class TestStatistics:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("feature_names", 5),
            ("feature_names", ["only one"]),
            ("feature_names", [1, 2, 3, 4, 5, 6, 7, 8]),
            ("feature_names", {"a": 1}),
            ("n_documents", "60"),
            ("n_documents", -1),
            ("n_sets", 2.5),
            ("cardinality", []),
            ("cardinality", -1.0),
            ("more", {"a": {}}),
            ("more", [1, 2]),
        ],
    )
    def test_each_is_of_its_type(self, name: str, value: Any, tmp_path: Path) -> None:
        with pytest.raises(InvalidData, match=rf"statistics\.{name} must be"):
            load(changed(tmp_path, put("statistics", name, value=value)))

    def test_names_of_features_come_back(self, tmp_path: Path) -> None:
        names = [f"word {i}" for i in range(8)]
        save(tmp_path / "a", trained("br"), feature_names=names, corpus="small", skipped=0)
        assert load(tmp_path / "a").manifest["statistics"]["feature_names"] == names


class TestText:
    @pytest.mark.parametrize(
        "change",
        [
            put("labels", "names", value=["\ud800", "bee", "cat", "dog", "eel"]),
            put("setwise_version", value="\udfff"),
            put("statistics", "corpus", value="a\ud800"),
            put("statistics", "\ud800", value=1),
            put("tuning", "recipe_name", value="\ud800"),
        ],
    )
    def test_half_a_character_is_refused(self, change: Change, tmp_path: Path) -> None:
        with pytest.raises(InvalidData, match="must be text that UTF-8 can hold") as refusal:
            load(changed(tmp_path, change, tuned()))
        assert str(refusal.value).isprintable()

    def test_it_is_not_saved_either(self, tmp_path: Path) -> None:
        strange = SetClassifier(trained("br").model, "support", "gfm", calibration=None)
        strange.fit(X, [[name.replace("ape", "\ud800") for name in names] for names in NAMES])
        with pytest.raises(InvalidData, match="must be text that UTF-8 can hold"):
            save(tmp_path / "a", strange)
        assert list(tmp_path.iterdir()) == []

    def test_numbers_beyond_any_float_are_refused(self) -> None:
        assert _parsed('{"a": 1e300}') == {"a": 1e300}
        with pytest.raises(InvalidData, match="no JSON object"):
            _parsed('{"a": 1e999}')

    def test_n_grams_longer_than_any_stored_are_not_made(self, tmp_path: Path) -> None:
        saved = load(changed(tmp_path, put("text", "parameters", "ngram_range", value=[1, 100]), *trained_on_text()))
        assert saved.text is not None
        assert saved.text.ngram_range == (1, 100)
        long = " ".join(f"word{i}" for i in range(5000)) + " red fox"
        tracemalloc.start()
        found = saved.text.transform([long])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 20_000_000
        _, text = trained_on_text()
        assert found.toarray().tobytes() == text.transform([long]).toarray().tobytes()


class TestSearches:
    @pytest.mark.parametrize("steps", [2**63, 2**64 - 1, 2**40, -1, 0.5, "many", None, True])
    def test_mode_steps_are_a_number_of_steps(self, steps: Any, tmp_path: Path) -> None:
        change = put("model", "parameters", "mode_steps", value=steps)
        with pytest.raises(InvalidData, match="mode_steps must be"):
            load(changed(tmp_path, change, trained("cbm", "mode", "most_probable")))

    def test_a_search_for_the_mode_ends(self, tmp_path: Path) -> None:
        """Two components that contradict each other a little: a proof would have to list 2^n sets."""
        n = 60

        def contradict(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            many_labels(n)(manifest, tensors)
            tensors["model.coef_.indptr"] = np.zeros(2 * n + 1, dtype=np.int64)
            tensors["model.coef_.shape"] = np.array([2 * n, manifest["n_features"]])
            tensors["model.intercept_"] = np.stack([np.full(n, 0.01), np.full(n, -0.01)])
            tensors["model.gate_intercept_"] = np.zeros(2)
            for part in ("data", "indices"):
                tensors[f"model.gate_coef_.{part}"] = tensors[f"model.coef_.{part}"]
            tensors["model.gate_coef_.indptr"] = np.zeros(3, dtype=np.int64)
            tensors["model.gate_coef_.shape"] = np.array([2, manifest["n_features"]])

        path = changed(tmp_path, contradict, trained("cbm", "mode", "most_probable"))
        outcome = checked(ModelCases.check, path, 0)
        assert (outcome.said, outcome.fault) == ("used", None)
        found = load(path).classifier.model_.mode(NEW[:1])
        assert not found.exact.any()

    def test_a_wide_beam_takes_documents_a_few_at_a_time(self, tmp_path: Path) -> None:
        def wide(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            n, n_features = 14, manifest["n_features"]
            many_labels(n)(manifest, tensors)
            manifest["model"]["parameters"]["beam_width"] = 2**n
            tensors["model.intercept_"] = np.linspace(0.1, 1.0, n)
            tensors["model.order_"] = np.arange(n, dtype=np.int32)[None, :]
            for name, n_columns in (("coef_", n_features), ("feedback_", n)):
                tensors[f"model.{name}.data"] = np.zeros(0)
                tensors[f"model.{name}.indices"] = np.zeros(0, dtype=np.int32)
                tensors[f"model.{name}.indptr"] = np.zeros(n + 1, dtype=np.int64)
                tensors[f"model.{name}.shape"] = np.array([n, n_columns])

        classifier = load(changed(tmp_path, wide, trained("pcc", "mode", "most_probable"))).classifier
        tracemalloc.start()
        classifier.predict(sp.csr_array(np.tile(NEW[:1].toarray(), (40, 1))))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 100_000_000


class TestManyLabels:
    @pytest.mark.parametrize(
        ("inference", "change", "reason"),
        [
            ("support", many_labels(20_000, largest_set=20_000), "sizes of sets"),
            ("sampled", put("recipe", "n_samples", value=2**23), "n_samples must be"),
        ],
    )
    def test_what_would_fill_the_memory_is_not_loaded(
        self, inference: str, change: Change, reason: str, tmp_path: Path
    ) -> None:
        with pytest.raises(InvalidData, match=reason):
            load(changed(tmp_path, change, trained("br", inference)))

    def test_label_size_factors_of_very_many_labels_and_sizes_are_not_loaded(self, tmp_path: Path) -> None:
        n = 20_000

        def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            many_labels(n)(manifest, tensors)
            manifest["model"]["values"] = {"n_sizes_": n, "has_empty_": False}
            tensors["model.pair_labels_"] = np.arange(n, dtype=np.int32)
            tensors["model.pair_sizes_"] = np.full(n, n, dtype=np.int32)

        with pytest.raises(InvalidData, match="sizes of sets"):
            load(changed(tmp_path, change, trained("lsf", "exact")))

    def test_exact_inference_refuses_before_it_allocates(self, tmp_path: Path) -> None:
        path = changed(tmp_path, many_labels(20_000), trained("br", "exact"))
        outcome = checked(ModelCases.check, path, 0)
        assert (outcome.said, outcome.fault) == ("refused at prediction", None)
        with pytest.raises(InvalidData, match="sizes of sets"):
            load(path).classifier.predict(NEW)

    def test_samples_of_a_block_are_not_held_at_once(self, tmp_path: Path) -> None:
        def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            many_labels(300)(manifest, tensors)
            tensors["model.intercept_"] = np.full(300, 30.0)  # all labels, always

        classifier = load(changed(tmp_path, change, trained("br", "sampled", n_samples=2000))).classifier
        tracemalloc.start()
        known = classifier.inference_.infer(classifier.model_, sp.csr_array(np.tile(NEW[:1].toarray(), (64, 1))))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 700_000_000
        assert known.joint[:, :, -1].min() == 1.0

    def test_samples_do_not_depend_on_how_many_are_held_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for model in ("br", "pcc", "cbm"):
            classifier = trained(model, "sampled")
            together = answers(classifier, NEW)
            monkeypatch.setattr(sampling, "MOST_DRAWN", 300)  # two documents
            assert_same_bits(together, answers(classifier, NEW))

    def test_counts_of_documents_add_up_to_a_number(self, tmp_path: Path) -> None:
        def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            tensors["support.counts"] = np.full_like(tensors["support.counts"], 2**62)

        with pytest.raises(InvalidData, match="counts of label sets"):
            load(changed(tmp_path, change))

    @pytest.mark.parametrize(
        "keys",
        [
            np.array([3, 2]),
            np.array([2, 2]),
            np.array([[1, 2]]),
            np.array([1.0]),
            np.arange(MOST_SKETCHED + 1),
        ],
        ids=["falling", "twice", "two axes", "no integers", "too many"],
    )
    def test_a_sketch_of_the_training_texts_is_checked(self, tmp_path: Path, keys: Any) -> None:
        def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            tensors["trained_on"] = keys

        with pytest.raises(InvalidData, match="trained_on must be"):
            load(changed(tmp_path, change))
        with pytest.raises(InvalidData, match="trained_on must be"):
            save(tmp_path / "m", trained("br"), trained_on=keys)

    def test_a_sketch_of_the_training_texts_is_kept(self, tmp_path: Path) -> None:
        save(tmp_path / "m", trained("br"), trained_on=np.array([-5, 7]))
        assert load(tmp_path / "m").trained_on is not None
        assert np.array_equal(load(tmp_path / "m").trained_on, [-5, 7])
        save(tmp_path / "m", trained("br"))
        assert load(tmp_path / "m").trained_on is None
