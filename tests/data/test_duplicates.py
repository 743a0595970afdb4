"""Strings that occur more than once, by hashes that every machine computes alike."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.data import IdHashes, StringHashes, duplicates


def hashes_of(*texts: str | None) -> StringHashes:
    hashes = StringHashes()
    for text in texts:
        hashes.add(text)
    return hashes


def test_repeated_and_shared_strings() -> None:
    keys = hashes_of("a b", "a  b\n", "c", None, "", "", "c", "C", "\ud800")
    assert keys.n_repeated() == 2
    assert keys.n_shared(hashes_of("C", "", None)) == 1
    assert keys.take(np.array([0, 2])).n_shared(hashes_of("c")) == 1


IDS = st.lists(st.none() | st.text(st.sampled_from("ab \t\u3000\0\ud800"), max_size=3), max_size=20)


@given(st.lists(IDS, max_size=4))
def test_ids_repeat_as_texts_do(batches: list[list[str | None]]) -> None:
    ids = IdHashes()
    for batch in batches:
        ids.add(batch)
    assert ids.n_repeated() == hashes_of(*chain.from_iterable(batches)).n_repeated()


def test_hashes_are_the_same_in_another_process() -> None:
    program = "from setwise.data import StringHashes; k = StringHashes(); k.add('one text'); print(k.sketch().tolist())"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == str(hashes_of("one  text").sketch().tolist())


def test_a_sketch_of_few_strings_counts_exactly() -> None:
    trained = hashes_of("a", "b", "b", "", "c").sketch()
    assert len(trained) == 3
    assert (np.diff(trained) > 0).all()
    assert hashes_of("a", "a", "x", "").n_shared_with(trained) == 2


def test_a_sketch_of_many_strings_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "MAX_SKETCH_SIZE", 500)
    trained = hashes_of(*(f"text {i}" for i in range(5000))).sketch()
    assert len(trained) == 500
    tested = hashes_of(*(f"text {i}" for i in range(4000, 7000)))  # a third was trained on
    assert tested.n_shared_with(trained) == pytest.approx(1000, rel=0.2)
    assert hashes_of(*(f"other {i}" for i in range(3000))).n_shared_with(trained) == 0
    assert hashes_of().n_shared_with(trained) == 0
