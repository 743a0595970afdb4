"""Blocks of labels that are fitted apart have the bits that they have among all labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import LabelMatrix
from setwise.learners import FeatureColumns
from setwise.models import (
    MODELS,
    BinaryRelevance,
    ClassifierChain,
    CostSensitiveRelevance,
    FactorizedLabelSizes,
    LabelBlock,
    LabelSizeFactors,
    balanced_blocks,
    join_blocks,
    pcc,
)

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

N_LABELS = 19  # more than the lanes in which labels without an L1 term are fitted side by side, twice
STRENGTHS = (0.05, 0.01)
LABELWISE = [
    BinaryRelevance(l1_ratio=1.0),
    BinaryRelevance(l1_ratio=0.0),
    BinaryRelevance(l1_ratio=0.5, loss="squared_hinge", strength_scaling="label"),
    BinaryRelevance(l1_ratio=0.0, loss="squared_hinge", strength_scaling="label"),
    CostSensitiveRelevance(t=0.3),
    ClassifierChain(l1_ratio=0.5),
    ClassifierChain(order="random", n_orders=2, l1_ratio=0.0),
    LabelSizeFactors(),
    LabelSizeFactors(l1_ratio=0.0),
    LabelSizeFactors("multinomial"),
]


def corpus() -> tuple[sp.csr_array, LabelMatrix]:
    """Return documents with many labels, one that all have, one that none has, and empty sets."""
    random = np.random.default_rng(3)
    X = sp.csr_array(random.normal(size=(70, 25)) * (random.random((70, 25)) < 0.4))
    scores = X @ random.normal(size=(25, N_LABELS)) - 1.5 + 0.6 * random.normal(size=N_LABELS)
    y = (scores + random.logistic(size=scores.shape) > 0).astype(np.int64)
    y[:4] = 0
    y[:, 3] = 0
    y[4:, 11] = 1
    return X, LabelMatrix.of(y)


X, y = corpus()


def identity(model: Any) -> str:
    parameters = {name: value for name, value in model.get_params().items() if name not in ("n_jobs", "tol")}
    return f"{type(model).__name__} {parameters}"


def same_bytes(one: Any, other: Any) -> bool:
    """Return whether two models have the same arrays, their types included, as a file would have them."""
    a, b = one.state(), other.state()
    return a.values == b.values and {n: (v.dtype, v.shape, v.tobytes()) for n, v in a.arrays.items()} == {
        n: (v.dtype, v.shape, v.tobytes()) for n, v in b.arrays.items()
    }


def fitted_in_blocks(model: Any, blocks: list[LabelBlock], n_jobs: int) -> list[Any]:
    """Return the models of a path whose blocks walk it apart, each fit started from the one before alone."""
    model.set_params(n_jobs=n_jobs)
    before: list[Any] = [None] * len(blocks)
    joined = []
    for strength in STRENGTHS:
        before = [
            next(model.fit_path(FeatureColumns.of(X), y, [strength], start=start, block=block))
            for start, block in zip(before, blocks, strict=True)
        ]
        joined.append(join_blocks(blocks, before))
    return joined


@pytest.mark.parametrize("model", LABELWISE, ids=identity)
@pytest.mark.parametrize("n_blocks", [2, 5, 100])
def test_blocks_have_the_bits_of_all_labels_together(model: Any, n_blocks: int) -> None:
    blocks = balanced_blocks(model.unit_costs(y), n_blocks)
    assert 1 < len(blocks) <= n_blocks
    whole = list(model.set_params(n_jobs=1).fit_path(X, y, STRENGTHS))
    for one, at_once in zip(fitted_in_blocks(model, blocks, n_jobs=2), whole, strict=True):
        assert same_bytes(one, at_once)


@pytest.mark.parametrize("model", LABELWISE, ids=identity)
def test_a_block_has_weights_of_its_units_alone(model: Any) -> None:
    (first, *_) = blocks = balanced_blocks(model.unit_costs(y), 4)
    (fitted,) = model.fit_path(X, y, STRENGTHS[:1], block=first)
    (whole,) = model.fit_path(X, y, STRENGTHS[:1])
    for name, rows in fitted.rows_of_block(first).items():
        array = getattr(fitted, name)
        values = np.asarray(array.toarray() if sp.issparse(array) else array).reshape(array.shape[0], -1)
        inside = np.zeros(len(values), dtype=bool)
        inside[rows] = True
        assert values[inside].any()
        assert not values[~inside].any()
    assert not same_bytes(fitted, whole)
    assert len(blocks) == 4


@pytest.mark.parametrize("model", LABELWISE, ids=identity)
def test_a_single_fit_has_the_bits_of_a_path_of_one_strength(model: Any) -> None:
    """The final fit of a classifier calls ``fit`` in one process, and fits blocks by ``fit_path`` in several."""
    model.set_params(strength=0.01)
    (path,) = model.fit_path(X, y, [0.01])
    assert same_bytes(path, model.fit(X, y))


def test_models_that_are_fitted_as_a_whole_say_so() -> None:
    whole = {name for name, entry in MODELS.items() if entry.model().unit_costs(y) is None}
    assert whole == MODELS.keys() - {"br", "pcc", "lsf", "cost_sensitive"}
    with pytest.raises(NotImplementedError, match="PairwiseCRF is fitted as a whole"):
        MODELS["crf"].model().rows_of_block(LabelBlock(0, 1))
    assert FactorizedLabelSizes().unit_costs(y) is None  # although it derives from LSF


@pytest.mark.parametrize(
    ("costs", "n_blocks", "expected"),
    [
        ([1, 1, 1, 1], 2, [(0, 2), (2, 4)]),
        ([4, 1, 1, 1, 1], 2, [(0, 1), (1, 5)]),
        ([1, 1, 1, 1, 4], 2, [(0, 4), (4, 5)]),
        ([1, 9, 1], 3, [(0, 1), (1, 2), (2, 3)]),
        ([1, 1], 5, [(0, 1), (1, 2)]),
        ([0, 0], 2, [(0, 2)]),
        ([3], 1, [(0, 1)]),
    ],
)
def test_blocks_cost_about_the_same(costs: list[int], n_blocks: int, expected: list[tuple[int, int]]) -> None:
    found = balanced_blocks(np.array(costs, dtype=np.float64), n_blocks)
    assert [tuple(block) for block in found] == expected


def test_no_block_costs_more_than_its_share_and_one_unit() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        costs: NDArray[np.float64] = random.pareto(1.0, size=random.integers(1, 40)) + 0.01
        n_blocks = int(random.integers(1, 9))
        blocks = balanced_blocks(costs, n_blocks)
        assert [block.first for block in blocks] == [0, *(block.end for block in blocks[:-1])]
        assert blocks[-1].end == costs.size
        assert max(costs[block.rows].sum() for block in blocks) <= costs.sum() / n_blocks + costs.max() + 1e-9


def test_the_blocks_of_a_chain_share_its_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    features, layouts = FeatureColumns.of(X), []
    lay_out = pcc._chain_features

    def counted(*given: Any) -> FeatureColumns:
        layouts.append(given)
        return lay_out(*given)

    monkeypatch.setattr(pcc, "_chain_features", counted)
    model = ClassifierChain(order="random", n_orders=2)
    for block in (LabelBlock(0, 7), LabelBlock(7, 19), LabelBlock(19, 38)):
        next(model.fit_path(features, y, STRENGTHS, block=block))
    assert len(layouts) == 2
    next(model.fit_path(features, y, STRENGTHS))  # a path of one process keeps nothing after its end
    assert len(layouts) == 4
