"""Inputs that are wrong, empty or huge: each works, or is refused in one clear sentence."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from setwise import SetClassifier, load
from setwise.exceptions import InvalidData
from setwise.models import BinaryRelevance
from setwise.text import TextVectorizer

TEXTS = ["red fox runs", "red hen sits", "blue fox sits", "blue hen runs"] * 5
LABELS = [["fox"], ["hen", "still"], ["fox", "still"], ["hen"]] * 5

MEGABYTE = 1_000_000

# Peak memory that 100 MB of text may take, with the interpreter and the text itself.
MAX_PEAK_MB = 1200

HUGE_TEXT = """
import resource
from setwise.text import TextVectorizer
text = "the quick brown fox jumps over a lazy dog again " * 2_100_000
vectorizer = TextVectorizer(n_jobs=2)
X = vectorizer.fit_transform([text])
assert len(text) > 100_000_000 and X.shape == (1, 9), X.shape
assert (vectorizer.transform([text]) != X).nnz == 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""

# The signal comes from outside, as Ctrl-C does, while the core is within one text.
LONG_CALL = """
import signal
from setwise.text import TextVectorizer
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts its background jobs with Ctrl-C ignored
text = " ".join(f"{number:x}" for number in range(4_000_000))
vectorizer = TextVectorizer((1, 8), min_df=1)
try:
    print("ready", flush=True)  # within the try: on a busy machine the interruption may come before the call
    vectorizer.fit([text])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
MAX_SECONDS_TO_STOP = 3.0


class TestBytes:
    def test_among_texts(self) -> None:
        with pytest.raises(InvalidData, match=r"^texts must be strings; got a value of type bytes as text 1\.$"):
            TextVectorizer().fit(["a text", b"bytes"])  # type: ignore[list-item]

    def test_in_place_of_a_list(self) -> None:
        with pytest.raises(InvalidData, match=r"^texts must be a list of strings; got a value of type bytes\.$"):
            TextVectorizer().fit(TEXTS).transform(b"bytes")  # type: ignore[arg-type]

    @pytest.mark.parametrize("documents", [[b"red fox"], ["red fox", b"red fox"]], ids=["all", "one"])
    def test_given_to_a_classifier(self, documents: list[str | bytes]) -> None:
        classifier = SetClassifier(budget="quick", n_jobs=1).fit(TEXTS, LABELS)
        with pytest.raises(InvalidData, match="text") as caught:
            classifier.predict(documents)
        assert str(caught.value).isprintable()


class TestTextsWithoutWords:
    @pytest.mark.parametrize("text", ["", " \n\t", "?!... --", "\0", "\0\0\0", "a"], ids=ascii)
    def test_have_no_features(self, text: str) -> None:
        vectorizer = TextVectorizer().fit(TEXTS)
        X, coverage = vectorizer.transform_with_coverage([text, "red"])
        assert X[[0]].nnz == 0
        assert coverage.tolist() == [0.0, 1.0]
        assert vectorizer.spans(text) == {}

    @pytest.mark.parametrize("text", ["", "?!", "\0"], ids=ascii)
    def test_alone_are_refused(self, text: str) -> None:
        with pytest.raises(InvalidData, match=r"^No word of two letters or more is left in 2 texts\."):
            TextVectorizer().fit([text, text])

    def test_a_classifier_predicts_a_set_for_them(self) -> None:
        classifier = SetClassifier(budget="quick", n_jobs=1).fit(TEXTS, LABELS)
        assert len(classifier.predict(["", "?!", "\0"])) == 3


def test_nul_separates_words() -> None:
    vectorizer = TextVectorizer(min_df=1).fit(["red\0fox"])
    assert vectorizer.words_ == ("fox", "red")
    assert vectorizer.spans("red\0fox") == {"red": [(0, 3)], "fox": [(4, 7)]}


def test_a_word_of_a_megabyte() -> None:
    for letter in ("x", "\u0436", "\U00010428"):
        word = letter * MEGABYTE
        vectorizer = TextVectorizer().fit([f"{word} ab", f"ab {word}"])
        assert vectorizer.words_ == tuple(sorted(["ab", word]))
        assert_array_equal(
            vectorizer.transform([word, word[1:]]).toarray() != 0, [[letter < "ab", letter > "ab"], [0, 0]]
        )
        assert vectorizer.spans(f"  {word}") == {word: [(2, 2 + MEGABYTE)]}


def test_single_surrogates_are_saved_and_loaded(tmp_path: Path) -> None:
    texts = [f"{text} \ud800" if "fox" in text else text for text in TEXTS]
    vectorizer = TextVectorizer((1, 2), analyzer="char_wb", token_rule="sklearn")
    classifier = SetClassifier(budget="quick", n_jobs=1, vectorizer=vectorizer).fit(texts, LABELS)
    assert "\ud800" in classifier.vectorizer_.words_
    path = tmp_path / "model.setwise"
    classifier.save(path)
    again = load(path)
    assert again.vectorizer_.words_ == classifier.vectorizer_.words_
    assert again.predict(texts) == classifier.predict(texts)


def test_single_surrogates_in_stop_words_are_refused_when_a_model_is_saved(tmp_path: Path) -> None:
    classifier = SetClassifier(budget="quick", n_jobs=1, vectorizer=TextVectorizer(stop_words=["\ud800"]))
    path = tmp_path / "model.setwise"
    with pytest.raises(InvalidData, match=r"^.*ud800.*, which UTF-8 cannot encode\.$") as caught:
        classifier.fit(TEXTS, LABELS).save(path)
    assert str(caught.value).isprintable()
    assert not path.exists()


@pytest.mark.slow
def test_a_text_of_100_megabytes_takes_bounded_memory() -> None:
    ended = subprocess.run([sys.executable, "-c", HUGE_TEXT], capture_output=True, text=True, check=True)
    assert int(ended.stdout) <= MAX_PEAK_MB


@pytest.mark.slow
def test_two_million_ngrams_are_fitted_saved_and_loaded(tmp_path: Path) -> None:
    numbers = iter(range(2**24, 2**25))
    texts = [" ".join([text, *(f"{next(numbers):x}" for _ in range(50_000))]) for text in TEXTS]
    classifier = SetClassifier(
        BinaryRelevance(), "support", "gfm", calibration=None, vectorizer=TextVectorizer((1, 2), min_df=1)
    ).fit(texts, LABELS)
    assert classifier.n_features_in_ > 2_000_000
    path = tmp_path / "model.setwise"
    classifier.save(path)
    again = load(path)
    X = classifier.vectorizer_.transform(texts[:3])
    assert_array_equal(again.vectorizer_.transform(texts[:3]).indices, X.indices)
    assert again.predict(texts) == classifier.predict(texts)
    assert np.isfinite(X.data).all()


def test_ctrl_c_within_one_text() -> None:
    with subprocess.Popen([sys.executable, "-c", LONG_CALL], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.7)
            process.send_signal(signal.SIGINT)
            asked = time.monotonic()
            assert process.stdout.readline() == "interrupted\n"
            assert time.monotonic() - asked < MAX_SECONDS_TO_STOP
        finally:
            process.kill()
