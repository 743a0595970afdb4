"""Texts of parameters: they differ wherever a parameter does, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.labels import SetCalibration
from setwise.models import BinaryRelevance, Ensemble, Member
from setwise.text import TextVectorizer
from setwise.tuning import data_fingerprint, parameter_text

MANY_WORDS = [f"word{number}" for number in range(500)]
LARGE = np.zeros((100, 100))
OTHER_LARGE = LARGE.copy()
OTHER_LARGE[50, 50] = 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TextVectorizer(stop_words=MANY_WORDS), TextVectorizer(stop_words=[*MANY_WORDS[:-1], "other"])),
        ([TextVectorizer()], [TextVectorizer((1, 2))]),
        (LARGE, OTHER_LARGE),
        (sp.csr_array(LARGE), sp.csr_array(OTHER_LARGE)),
        (np.array([["a", "b"]], dtype=object), np.array([["a", "c"]], dtype=object)),
        (BinaryRelevance(0.1), BinaryRelevance(0.2)),
        (Ensemble([Member(BinaryRelevance(0.1))]), Ensemble([Member(BinaryRelevance(0.1), 2.0)])),
        (Ensemble([Member(BinaryRelevance(0.1))]), Ensemble([Member(BinaryRelevance(0.2))])),
        (SetCalibration(), SetCalibration(0.5)),
        ([["a"], ["b"]], [["a", "b"]]),
        ("br", None),
    ],
)
def test_other_parameters_have_another_text(one: Any, other: Any) -> None:
    assert parameter_text({"parameter": one}) != parameter_text({"parameter": other})


def test_equal_parameters_have_one_text() -> None:
    for make in (
        lambda: TextVectorizer(stop_words=list(MANY_WORDS)),
        lambda: LARGE.copy(),
        lambda: SetCalibration(0.5),
    ):
        assert parameter_text(make()) == parameter_text(make())
    assert parameter_text(BinaryRelevance(n_jobs=1)) == parameter_text(BinaryRelevance(n_jobs=2))


def test_strings_that_join_to_the_same_text_differ() -> None:
    assert data_fingerprint(["ab", "c"]) != data_fingerprint(["a", "bc"])
    assert data_fingerprint("a", None) == data_fingerprint("a")
