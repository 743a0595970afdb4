"""A small file cannot cause large memory use, endless computation or invalid probabilities."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from fuzz.cases_models import MODEL_FILE, ModelCases
from fuzz.workers import run_check
from setwise import SetClassifier, load
from setwise.data import MAX_SKETCH_SIZE
from setwise.exceptions import InvalidData
from setwise.inference import sampled
from setwise.labels import SizeMarginals
from setwise.persistence import read_model
from setwise.persistence.container import _parse_manifest, read_container, write_container
from tests.persistence.small import NAMES, NEW, X, answers, assert_same_bits, trained, trained_on_text, tuned

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

Change = Callable[[dict[str, Any], dict[str, Any]], None]


def changed(path: Path, change: Change, classifier: SetClassifier | None = None) -> Path:
    """Save a classifier and change its manifest and arrays; the checksums are correct."""
    (classifier or trained("br")).save(path / MODEL_FILE)
    manifest, tensors = read_container(path / MODEL_FILE)
    change(manifest, tensors)
    with (path / MODEL_FILE).open("wb") as file:
        write_container(file, manifest, tensors)
    return path / MODEL_FILE


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
    """Turn the model into a BR with many labels, whose logits are all zero."""

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
    def test_small_file_with_very_many_features_is_inspected_and_used(self, model: str, tmp_path: Path) -> None:
        path = changed(tmp_path, widened(2**31 - 1), trained(model))
        assert path.stat().st_size < 20_000
        outcome = run_check(ModelCases.check, path, 0)
        assert (outcome.result, outcome.fault) == ("used", None)

    @pytest.mark.parametrize("model", ["br", "cbm", "lsf", "fgfm"])
    def test_features_without_weights_change_no_bit(self, model: str, tmp_path: Path) -> None:
        classifier = trained(model, "exact")
        wide = load(changed(tmp_path, widened(10**6), classifier))
        documents = sp.csr_array((NEW.data, NEW.indices, NEW.indptr), shape=(NEW.shape[0], 10**6))
        assert_same_bits(answers(classifier, NEW), answers(wide, documents))

    def test_texts_have_as_many_features_as_words(self, tmp_path: Path) -> None:
        path = changed(tmp_path, widened(2**31 - 1), trained_on_text())
        with pytest.raises(InvalidData, match="terms but the model has 2147483647 features"):
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
    def test_wrong_type_is_refused(self, name: str, value: Any, tmp_path: Path) -> None:
        with pytest.raises(InvalidData, match=rf"statistics\.{name} must be"):
            load(changed(tmp_path, put("statistics", name, value=value)))

    def test_feature_names_are_loaded(self, tmp_path: Path) -> None:
        names = [f"word {i}" for i in range(8)]
        trained("br").save(tmp_path / "a", feature_names=names, corpus="small", skipped=0)
        assert read_model(tmp_path / "a").manifest["statistics"]["feature_names"] == names


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
    def test_lone_surrogate_is_refused(self, change: Change, tmp_path: Path) -> None:
        with pytest.raises(InvalidData, match="which UTF-8 cannot encode") as refusal:
            load(changed(tmp_path, change, tuned()))
        assert str(refusal.value).isprintable()

    def test_lone_surrogate_is_not_saved(self, tmp_path: Path) -> None:
        classifier = SetClassifier(trained("br").model, "support", "gfm", calibration=None)
        classifier.fit(X, [[name.replace("ape", "\ud800") for name in names] for names in NAMES])
        with pytest.raises(InvalidData, match="which UTF-8 cannot encode"):
            classifier.save(tmp_path / "a")
        assert list(tmp_path.iterdir()) == []

    def test_numbers_beyond_any_float_are_refused(self) -> None:
        assert _parse_manifest('{"a": 1e300}') == {"a": 1e300}
        with pytest.raises(InvalidData, match="not a JSON object"):
            _parse_manifest('{"a": 1e999}')

    def test_n_grams_longer_than_the_vocabulary_are_not_extracted(self, tmp_path: Path) -> None:
        loaded = load(changed(tmp_path, put("text", "parameters", "ngram_range", value=[1, 100]), trained_on_text()))
        assert loaded.vectorizer_ is not None
        assert loaded.vectorizer_.ngram_range == (1, 100)
        long = " ".join(f"word{i}" for i in range(5000)) + " red fox"
        tracemalloc.start()
        X_long = loaded.vectorizer_.transform([long])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 20_000_000
        expected = trained_on_text().vectorizer_.transform([long])
        assert X_long.toarray().tobytes() == expected.toarray().tobytes()


class TestSearches:
    @pytest.mark.parametrize("steps", [2**63, 2**64 - 1, 2**40, -1, 0.5, "many", None, True])
    def test_mode_steps_are_checked(self, steps: Any, tmp_path: Path) -> None:
        change = put("model", "parameters", "mode_steps", value=steps)
        with pytest.raises(InvalidData, match="mode_steps must be"):
            load(changed(tmp_path, change, trained("cbm", "mode", "most_probable")))

    def test_search_for_the_mode_ends(self, tmp_path: Path) -> None:
        """Two components with slightly opposite intercepts: proving the mode would enumerate 2^n sets."""
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
        outcome = run_check(ModelCases.check, path, 0)
        assert (outcome.result, outcome.fault) == ("used", None)
        mode = load(path).model_.posterior(NEW[:1]).mode()
        assert not mode.exact.any()

    def test_wide_beam_processes_few_documents_at_a_time(self, tmp_path: Path) -> None:
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

        classifier = load(changed(tmp_path, wide, trained("pcc", "mode", "most_probable")))
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
    def test_model_that_would_fill_the_memory_is_refused(
        self, inference: str, change: Change, reason: str, tmp_path: Path
    ) -> None:
        with pytest.raises(InvalidData, match=reason):
            load(changed(tmp_path, change, trained("br", inference)))

    def test_label_size_factors_with_very_many_labels_and_sizes_are_refused(self, tmp_path: Path) -> None:
        n = 20_000

        def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            many_labels(n)(manifest, tensors)
            manifest["model"]["values"] = {"n_sizes_": n, "has_empty_": False}
            tensors["model.pair_labels_"] = np.arange(n, dtype=np.int32)
            tensors["model.pair_sizes_"] = np.full(n, n, dtype=np.int32)

        with pytest.raises(InvalidData, match="sizes of sets"):
            load(changed(tmp_path, change, trained("lsf", "exact")))

    @pytest.mark.parametrize(("subset_of", "size"), [(np.zeros, 20_000), (np.arange, 1)], ids=["one subset", "singles"])
    def test_subsets_of_very_many_labels_are_refused(self, subset_of: Any, size: int, tmp_path: Path) -> None:
        n = 20_000

        def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            many_labels(n)(manifest, tensors)
            tensors["model.subset_of_"] = subset_of(n).astype(np.int32)
            tensors["model.empty_subsets_"] = np.zeros(0, dtype=np.int32)
            tensors["model.pair_labels_"] = np.arange(n, dtype=np.int32)
            tensors["model.pair_sizes_"] = np.full(n, size, dtype=np.int32)

        with pytest.raises(InvalidData, match="sizes of sets"):
            load(changed(tmp_path, change, trained("fgfm", "exact"))).predict(NEW[:1])

    @pytest.mark.parametrize("value", [[["ape", 3]], [[["ape"]]], [{}], {"ape": 1}])
    def test_a_parameter_that_is_no_list_of_lists_of_names_is_refused(self, value: Any, tmp_path: Path) -> None:
        change = put("model", "parameters", "partition", value=value)
        with pytest.raises(
            InvalidData, match=r"model\.parameters\.partition must be .* or a list of strings or of such"
        ):
            load(changed(tmp_path, change, trained("fgfm", "exact")))

    def test_exact_inference_of_independent_labels_takes_no_memory_for_sizes(self, tmp_path: Path) -> None:
        path = changed(tmp_path, many_labels(20_000), trained("br", "exact"))
        outcome = run_check(ModelCases.check, path, 0)
        assert (outcome.result, outcome.fault) == ("used", None)

    def test_samples_are_drawn_in_small_batches(self, tmp_path: Path) -> None:
        def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            many_labels(300)(manifest, tensors)
            tensors["model.intercept_"] = np.full(300, 30.0)  # all labels, always

        classifier = load(changed(tmp_path, change, trained("br", "sampled", n_samples=2000)))
        tracemalloc.start()
        posterior = classifier.model_.posterior(sp.csr_array(np.tile(NEW[:1].toarray(), (64, 1))))
        (block,) = classifier.recipe_.blocks(posterior, classifier.support_)
        marginals = block.beliefs
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 700_000_000
        assert isinstance(marginals, SizeMarginals)
        assert marginals.joint[:, :, -1].min() == 1.0

    def test_samples_do_not_depend_on_the_batch_size(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for model in ("br", "pcc", "cbm"):
            classifier = trained(model, "sampled")
            together = answers(classifier, NEW)
            monkeypatch.setattr(sampled, "MAX_DRAWN", 300)  # two documents
            assert_same_bits(together, answers(classifier, NEW))

    def test_counts_of_documents_are_limited(self, tmp_path: Path) -> None:
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
            np.arange(MAX_SKETCH_SIZE + 1),
        ],
        ids=["falling", "twice", "two axes", "no integers", "too many"],
    )
    def test_sketch_of_the_training_texts_is_checked(self, tmp_path: Path, keys: Any) -> None:
        def change(manifest: dict[str, Any], tensors: dict[str, Any]) -> None:
            tensors["trained_on"] = keys

        with pytest.raises(InvalidData, match="Array 'trained_on' must have at most 10,000 increasing integers"):
            load(changed(tmp_path, change))
        with pytest.raises(InvalidData, match="Array 'trained_on' must have at most 10,000 increasing integers"):
            trained("br").save(tmp_path / "m", trained_on=keys)

    def test_sketch_of_the_training_texts_is_saved(self, tmp_path: Path) -> None:
        trained("br").save(tmp_path / "m", trained_on=np.array([-5, 7]))
        sketch = read_model(tmp_path / "m").trained_on
        assert sketch is not None
        assert sketch.tolist() == [-5, 7]
        trained("br").save(tmp_path / "m")
        assert read_model(tmp_path / "m").trained_on is None
