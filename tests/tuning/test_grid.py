"""Lines of cells: from the critical strength down, strongest first."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from setwise.exceptions import InvalidParameter
from setwise.learners import critical_strengths, fit_labels
from setwise.tuning import Cell, Line, elastic_lines
from tests.models.corpora import small_corpus

X, y = small_corpus(n=60)


def test_each_line_starts_where_no_label_has_a_weight() -> None:
    lines = elastic_lines(X, y, (0.2, 1.0), 5)
    for line in lines:
        ratio = line.parameters["l1_ratio"]
        assert line.strengths[0] == pytest.approx(critical_strengths(X, y, l1_ratio=ratio).max(), rel=1e-12)
        assert fit_labels(X, y, strength=1.0001 * line.strengths[0], l1_ratio=ratio).coef.nnz == 0
        assert fit_labels(X, y, strength=0.9 * line.strengths[0], l1_ratio=ratio).coef.nnz > 0


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.5, 1.0])
def test_strengths_fall_evenly(ratio: float) -> None:
    (line,) = elastic_lines(X, y, (ratio,), 6)
    steps = [one / other for one, other in pairwise(line.strengths)]
    assert len(line.strengths) == 6
    assert min(steps) > 1.0
    assert np.allclose(steps, steps[0])


def test_shares_of_the_critical_strength_can_be_given() -> None:
    (whole,) = elastic_lines(X, y, (1.0,), 3)
    (some,) = elastic_lines(X, y, (1.0,), 3, highest=0.5, lowest=0.1)
    assert some.strengths[0] == pytest.approx(0.5 * whole.strengths[0])
    assert some.strengths[-1] == pytest.approx(0.1 * whole.strengths[0])
    assert some.parameters == {"l1_ratio": 1.0}


def test_labels_that_all_documents_have_still_give_strengths() -> None:
    (line,) = elastic_lines(X, np.ones_like(y), (1.0,), 3)
    assert all(np.isfinite(line.strengths))


def test_a_line_is_sorted_and_its_cells_say_all() -> None:
    line = Line((0.1, 0.3, 0.1), {"l1_ratio": 0.5, "n_components": 3})
    assert line.strengths == (0.3, 0.1)
    first, _ = line.cells
    assert first == Cell(0.3, (("l1_ratio", 0.5), ("n_components", 3)))
    assert first.settings == {"strength": 0.3, "l1_ratio": 0.5, "n_components": 3}


@pytest.mark.parametrize("strengths", [(), (0.1, -1.0), (float("nan"),)])
def test_strengths_that_are_none_are_refused(strengths: tuple[float, ...]) -> None:
    with pytest.raises(InvalidParameter, match="strength"):
        Line(strengths)
