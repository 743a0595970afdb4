from __future__ import annotations

from pathlib import Path

import pytest

from setwise.cli.predictions import Layout, Predicted, open_predictions
from setwise.exceptions import InvalidParameter
from tests.data.examples import plain, read_all, vector


@pytest.mark.parametrize("output", ["predicted.word", "predicted"])
def test_an_unknown_ending_names_the_option(tmp_path: Path, output: str) -> None:
    with (
        pytest.raises(
            InvalidParameter, match=r"must end in one of \.jsonl, .*, or have its format given by --format\."
        ),
        open_predictions(str(tmp_path / output), None, ("a",), Layout()),
    ):
        pass


@pytest.mark.parametrize("labels", [[[], ["b"], []], [[], [], []]])
def test_vectors_with_predicted_labels_are_read_back(tmp_path: Path, labels: list[list[str]]) -> None:
    documents = [vector({}), vector({}), vector({1: 0.5})]
    with open_predictions(str(tmp_path / "docs.svm"), None, ("a", "b"), Layout()) as write:
        write(Predicted([1, 2, 3], documents, labels, [None] * 3, [None] * 3, [[]] * 3, None))
    expected = [(*plain(document)[:2], tuple(names), None) for document, names in zip(documents, labels, strict=True)]
    assert read_all(tmp_path / "docs.svm") == expected
