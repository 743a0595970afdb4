"""The cases of odd texts: they are the same every time, they pass, and a wrong answer is noticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fuzz.cases_texts import TextCases
from fuzz.workers import write_case
from setwise.text import TextVectorizer

N_CASES = 150


def run_first_cases(folder: Path) -> set[str]:
    cases = TextCases(1)
    return {cases.check(write_case(cases.make(number), folder)) for number in range(N_CASES)}


@pytest.mark.filterwarnings("ignore")
def test_first_cases_are_used_or_refused(tmp_path: Path) -> None:
    assert run_first_cases(tmp_path) == {"used", "refused"}


def test_a_number_always_has_the_same_case() -> None:
    assert TextCases(0).make(3) == TextCases(0).make(3)
    assert TextCases(0).make(3) != TextCases(1).make(3)


@pytest.mark.filterwarnings("ignore")
def test_a_span_outside_its_text_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spans = TextVectorizer.spans

    def shifted(self: TextVectorizer, text: str) -> Any:
        found = spans(self, text)
        return {word: [(begin, end + len(text) + 1) for begin, end in ranges] for word, ranges in found.items()}

    monkeypatch.setattr(TextVectorizer, "spans", shifted)
    with pytest.raises(AssertionError, match="a span is outside its text"):
        run_first_cases(tmp_path)
