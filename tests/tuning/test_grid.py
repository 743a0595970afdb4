"""Grids: paths of strengths from the critical one down, the strongest first."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from setwise.exceptions import InvalidParameter
from setwise.learners import critical_strength, critical_strengths, fit_labels
from setwise.models import Setting, StrengthPath, elastic_paths
from tests.models.corpora import small_corpus

X, y = small_corpus(n=60)
CRITICAL = critical_strength(X, y)


def test_each_path_starts_where_no_label_has_a_weight() -> None:
    paths = elastic_paths(CRITICAL, (0.2, 1.0), 5)
    for path in paths:
        ratio = path.parameters["l1_ratio"]
        assert path.strengths[0] == pytest.approx(critical_strengths(X, y, l1_ratio=ratio).max(), rel=1e-12)
        assert fit_labels(X, y, strength=1.0001 * path.strengths[0], l1_ratio=ratio).coef.nnz == 0
        assert fit_labels(X, y, strength=0.9 * path.strengths[0], l1_ratio=ratio).coef.nnz > 0


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.5, 1.0])
def test_strengths_fall_evenly_on_the_log_scale(ratio: float) -> None:
    (path,) = elastic_paths(CRITICAL, (ratio,), 6)
    steps = [one / other for one, other in pairwise(path.strengths)]
    assert len(path.strengths) == 6
    assert min(steps) > 1.0
    assert np.allclose(steps, steps[0])


def test_highest_and_lowest_are_shares_of_the_critical_strength() -> None:
    (whole,) = elastic_paths(CRITICAL, (1.0,), 3)
    (some,) = elastic_paths(CRITICAL, (1.0,), 3, highest=0.5, lowest=0.1)
    assert some.strengths[0] == pytest.approx(0.5 * whole.strengths[0])
    assert some.strengths[-1] == pytest.approx(0.1 * whole.strengths[0])
    assert some.parameters == {"l1_ratio": 1.0}


def test_constant_labels_have_finite_strengths() -> None:
    (path,) = elastic_paths(critical_strength(X, np.ones_like(y)), (1.0,), 3)
    assert all(np.isfinite(path.strengths))


def test_a_path_is_sorted_and_its_settings_have_all_parameters() -> None:
    path = StrengthPath((0.1, 0.3, 0.1), {"l1_ratio": 0.5, "n_components": 3})
    assert path.strengths == (0.3, 0.1)
    first, _ = path.settings
    assert first == Setting(0.3, (("l1_ratio", 0.5), ("n_components", 3)))
    assert first.values == {"strength": 0.3, "l1_ratio": 0.5, "n_components": 3}


@pytest.mark.parametrize("strengths", [(), (0.1, -1.0), (float("nan"),)])
def test_invalid_strengths_are_refused(strengths: tuple[float, ...]) -> None:
    with pytest.raises(InvalidParameter, match="strength"):
        StrengthPath(strengths)
