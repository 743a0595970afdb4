"""The classifier from end to end: integer labels, data frames, no documents, and rows that do not match."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline

from setwise import SetClassifier, TextVectorizer, load
from setwise.exceptions import InvalidData
from setwise.models import BinaryRelevance
from tests.models.corpora import NAMES, name_lists, small_corpus

X, y = small_corpus(n=80)
NEW, NEW_Y = small_corpus(random_state=1, n=30)
NUMBERS = (3, 20, 100, 7, 5)
TEXTS = ["red apple", "green pear", "red car", "green apple tree", "fast red car", "old tree"] * 4
TAGS = [["fruit"], ["fruit"], ["car"], ["fruit", "plant"], ["car"], ["plant"]] * 4


def plain(**options: Any) -> SetClassifier:
    """Return a classifier that tunes nothing."""
    parameters: Any = {"calibration": None, "n_jobs": 1, **options}
    return SetClassifier(BinaryRelevance(strength=0.01, n_jobs=1), "support", "gfm", **parameters)


def numbered(rows: Any) -> list[list[int]]:
    return [[NUMBERS[label] for label in np.flatnonzero(row)] for row in rows]


class TestIntegerLabels:
    def test_predictions_are_integers(self) -> None:
        fitted = plain(extra_sets=[[3, 100, 7, 5]]).fit(X, numbered(y))
        predicted = fitted.predict(NEW)
        assert all(type(label) is int for labels in predicted for label in labels)
        usual = plain(extra_sets=[[1, 0, 1, 1, 1]]).fit(X, y).predict(NEW)
        assert [set(labels) for labels in predicted] == [set(labels) for labels in numbered(usual)]
        assert fitted.classes_.tolist() == sorted(NUMBERS)
        assert fitted.classes_.dtype.kind == "i"
        assert fitted.predict_sets(NEW[:1])[0][0].labels[0] in NUMBERS
        assert fitted.score(NEW, predicted) == 1.0
        assert fitted.score(NEW, [[*labels, 999] for labels in predicted]) < 1.0

    def test_saved_and_loaded_they_are_still_integers(self, tmp_path: Path) -> None:
        fitted = plain(extra_sets=[[3, 100, 7, 5]]).fit(X, numbered(y))
        fitted.save(tmp_path / "m.setwise")
        again = load(tmp_path / "m.setwise")
        assert again.predict(NEW) == fitted.predict(NEW)
        assert_array_equal(again.classes_, fitted.classes_)
        assert again.predict_sets(NEW, 2) == fitted.predict_sets(NEW, 2)

    def test_a_damaged_name_is_refused(self, tmp_path: Path) -> None:
        fitted = plain().fit(X, numbered(y))
        fitted.labels_ = type(fitted.labels_)(tuple("abcde"), fitted.labels_.indicator, "names")
        fitted.model_.classes_ = tuple("abcde")
        object.__setattr__(fitted.labels_, "kind", "integers")
        with pytest.raises(InvalidData, match="label names must be integers; got 'a'"):
            fitted.save(tmp_path / "m.setwise")

    def test_validation_data_may_have_other_labels(self) -> None:
        fitted = plain(calibration="likelihood").fit(
            X, numbered(y), validation_data=(NEW, [[*row, 999] for row in numbered(NEW_Y)])
        )
        assert fitted.classes_.tolist() == sorted(NUMBERS)


class TestFrames:
    @pytest.fixture
    def pandas(self) -> Any:
        return pytest.importorskip("pandas", reason="pandas is not installed here")

    def test_labels_in_a_frame_keep_their_columns(self, pandas: Any, tmp_path: Path) -> None:
        fitted = plain().fit(X, pandas.DataFrame(y, columns=NAMES))
        assert fitted.classes_.tolist() == list(NAMES)
        predicted = fitted.predict(NEW)
        usual = plain().fit(X, y).predict(NEW)
        pandas.testing.assert_frame_equal(predicted, pandas.DataFrame(usual, columns=NAMES))
        assert fitted.score(NEW, predicted[list(reversed(NAMES))]) == 1.0  # by name, in any order
        assert fitted.predict_sets(NEW[:1])[0][0].labels[0] in NAMES
        fitted.save(tmp_path / "m.setwise")
        pandas.testing.assert_frame_equal(load(tmp_path / "m.setwise").predict(NEW), predicted)

    def test_rows_keep_the_index_of_the_documents(self, pandas: Any) -> None:
        index = [f"document {i}" for i in range(NEW.shape[0])]
        words = [f"word {j}" for j in range(X.shape[1])]
        features = pandas.DataFrame(X.toarray(), columns=words)
        fitted = plain().fit(features, pandas.DataFrame(y, columns=range(10, 15)))
        predicted = fitted.predict(pandas.DataFrame(NEW.toarray(), columns=words, index=index))
        assert predicted.index.tolist() == index
        assert predicted.columns.tolist() == [10, 11, 12, 13, 14]
        assert fitted.classes_.tolist() == [10, 11, 12, 13, 14]

    def test_texts_may_be_a_series_or_a_frame_of_one_column(self, pandas: Any) -> None:
        frame = pandas.DataFrame({"text": TEXTS, "number": range(len(TEXTS))})
        usual = make_pipeline(TextVectorizer(), plain()).fit(TEXTS, TAGS)
        for texts in (frame["text"], frame[["text"]]):
            pipeline = make_pipeline(TextVectorizer(), plain()).fit(texts, TAGS)
            assert pipeline[0].words_ == usual[0].words_
            assert pipeline.predict(texts) == usual.predict(TEXTS)
        with pytest.raises(
            InvalidData, match=r"^texts must be one column; the data frame has 2\. Select one by its name\.$"
        ):
            TextVectorizer().fit(frame)


class TestNoDocuments:
    @pytest.mark.parametrize("nothing", [[], np.zeros((0, 12)), sp.csr_array((0, 12)), sp.csr_matrix((0, 12))], ids=str)
    @pytest.mark.parametrize("inference", ["support", "exact", "sampled", "blend"])
    def test_no_predictions_have_the_right_form(self, nothing: Any, inference: Any) -> None:
        fitted = plain().set_params(inference=inference).fit(X, name_lists(y))
        assert fitted.predict(nothing) == []
        assert fitted.predict_proba(nothing).shape == (0, 5)
        assert fitted.predict_sets(nothing) == []
        assert fitted.expected_f1(nothing).shape == (0,)
        assert fitted.predict_with_value(nothing).sets.shape == (0, 5)

    def test_each_form_of_labels(self) -> None:
        for labels, shape in ((y, (0, 5)), (sp.csr_array(y), (0, 5))):
            assert plain().fit(X, labels).predict(X[:0]).shape == shape
        cut = SetClassifier(BinaryRelevance(), "exact", "threshold", calibration=None).fit(X, y)
        assert cut.predict(X[:0]).shape == (0, 5)
        mode = SetClassifier(BinaryRelevance(), "mode", "most_probable", calibration=None).fit(X, y)
        assert mode.predict(X[:0]).shape == (0, 5)

    def test_a_pipeline(self) -> None:
        pipeline = make_pipeline(TextVectorizer(), plain()).fit(TEXTS, TAGS)
        assert pipeline.predict([]) == []
        assert pipeline.predict_proba([]).shape == (0, 3)

    def test_a_fit_needs_some_and_features_are_still_counted(self) -> None:
        with pytest.raises(ValueError, match="0 sample"):
            plain().fit(np.zeros((0, 3)), [])
        with pytest.raises(ValueError, match="expecting 12 features"):
            plain().fit(X, y).predict(np.zeros((0, 3)))


class TestMistakes:
    def test_rows_that_do_not_match(self) -> None:
        with pytest.raises(InvalidData, match=r"^X has 80 rows but y has 79\.$"):
            plain().fit(X, y[:-1])

    @pytest.mark.parametrize("name", ["", "  "])
    def test_blank_names(self, name: str) -> None:
        with pytest.raises(InvalidData, match="label names that are not blank; got "):
            plain().fit(X[:2], [["a"], [name]])


def test_features_mapped_into_memory_give_the_same_classifier(tmp_path: Path) -> None:
    matrix = sp.csr_array(X.astype(np.float32))
    arrays = []
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(matrix, name))
        arrays.append(np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    mapped = sp.csr_array(tuple(arrays), shape=matrix.shape)
    assert not mapped.data.flags.writeable
    for number, features in enumerate((matrix, mapped)):
        plain().fit(features, y).save(tmp_path / f"{number}.setwise")
    assert (tmp_path / "0.setwise").read_bytes() == (tmp_path / "1.setwise").read_bytes()
