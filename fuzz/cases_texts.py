"""Odd texts and byte strings: each is refused in one sentence, or has the features that it should have."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from numpy.testing import assert_array_equal

from fuzz.workers import Case
from setwise.exceptions import InvalidData
from setwise.text import TextVectorizer
from tests.text.parity import assert_parity
from tests.text.strategies import ODD

TEXTS_FILE = "texts.json"
MAX_MESSAGE = 300  # characters


@dataclass
class TextCases:
    """Odd texts by number, for one seed; there are no undamaged files."""

    seed: int

    def prepare(self) -> None:
        """Do nothing: cases are made from nothing but their number."""

    def load(self) -> None:
        """Do nothing."""

    def make(self, number: int) -> Case:
        """Draw options, texts to fit to, other texts, and bytes, which are stored as Latin-1."""
        chance = random.Random(f"texts {self.seed} {number}")
        options = _options(chance)
        train, test = ([_text(chance) for _ in range(chance.randint(1, 6))] for _ in range(2))
        content = {"options": options, "train": train, "test": test, "bytes": _bytes(chance).decode("latin-1")}
        return Case(", ".join(f"{name}={value}" for name, value in options.items()), {TEXTS_FILE: _encode(content)})

    @staticmethod
    def check(path: Path) -> str:
        """Refuse the bytes, compare with scikit-learn, and check what the default rule returns."""
        content = json.loads(path.read_bytes())
        train, test, options = content["train"], content["test"], content["options"]
        options["ngram_range"] = tuple(options["ngram_range"])
        raw = content["bytes"].encode("latin-1")
        for given in (raw, [raw], [*train, raw]):
            _check_refused(given)
        for errors in ("surrogateescape", "replace", "ignore"):
            test.append(raw.decode("utf-8", errors))
        assert_parity(train, test, **options)
        return _check_default_rule(train, test, options)


def _options(chance: random.Random) -> dict[str, Any]:
    shortest = chance.randint(1, 4)
    return {
        "analyzer": chance.choice(("word", "char_wb")),
        "ngram_range": (shortest, shortest + chance.randint(0, 2)),
        "lowercase": chance.random() < 0.7,
        "strip_accents": chance.choice((None, "unicode", "ascii")),
        "sublinear_tf": chance.random() < 0.7,
        "min_df": chance.choice((1, 1, 2)),
        "max_features": chance.choice((None, None, 5)),
    }


def _text(chance: random.Random) -> str:
    """Draw a text of odd characters, of all characters, of bytes, of plain words, or of one character."""
    match chance.randrange(5):
        case 0:
            return "".join(chance.choices(ODD, k=chance.randrange(60)))
        case 1:
            return "".join(chr(chance.randrange(0x110000)) for _ in range(chance.randrange(30)))
        case 2:
            return "".join(chr(chance.randrange(0x100)) for _ in range(chance.randrange(80)))
        case 3:
            return " ".join(
                chance.choices(("ab", "Ab", "ba", "\u03a3\u03b1\u03a3", "\u6f22\u5b57"), k=chance.randrange(20))
            )
        case _:
            return chance.choice(ODD) * chance.choice((1, 10, 1000))


def _bytes(chance: random.Random) -> bytes:
    """Draw random bytes, or a text in UTF-8 with one byte changed."""
    content = chance.randbytes(chance.randrange(40))
    if chance.random() < 0.5:
        content = _text(chance).encode("utf-8", "surrogatepass")
        at = chance.randrange(len(content) + 1)
        content = content[:at] + chance.randbytes(1) + content[at + 1 :]
    return content


def _encode(content: dict[str, Any]) -> bytes:
    """Return JSON in ASCII, which may contain single surrogates."""
    return json.dumps(content).encode("ascii")


@cache
def _fitted() -> TextVectorizer:
    return TextVectorizer().fit(["a text"])


def _check_refused(texts: Any) -> None:
    """Fail unless bytes in place of a text are refused in one short sentence, by fitting and by transforming."""
    for use in (TextVectorizer().fit, _fitted().transform):
        try:
            use(texts)
        except InvalidData as error:
            message = str(error)
            assert "bytes" in message, f"message without the type: {message:.200}"
            assert message.isprintable(), f"message not printable: {message!r:.200}"
            assert len(message) < MAX_MESSAGE, f"message too long: {message:.200}"
        else:
            raise AssertionError("bytes were accepted as a text")


def _check_default_rule(train: list[str], test: list[str], options: dict[str, Any]) -> str:
    """Fit by the default rule; fail where fitted and transformed features differ, or a span is outside its text."""
    vectorizer = TextVectorizer(**options)
    try:
        fitted = vectorizer.fit_transform(train)
    except InvalidData as error:
        if "is left" not in str(error):
            raise
        return "refused"
    again = TextVectorizer.from_state(vectorizer.state())
    X, coverage = again.transform_with_coverage([*train, *test])
    assert_array_equal(X[: len(train)].toarray(), fitted.toarray())
    assert bool(((coverage >= 0) & (coverage <= 1)).all()), "coverage outside [0, 1]"
    for row, text in enumerate([*train, *test]):
        spans = vectorizer.spans(text)
        expected = {vectorizer.words_[column] for column in X[[row]].indices}
        assert set(spans) == expected, "spans of other features than the row has"
        for ranges in spans.values():
            assert all(0 <= begin <= end <= len(text) for begin, end in ranges), "a span is outside its text"
    return "used"
