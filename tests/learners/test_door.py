"""The door to the compiled core refuses whatever would make it read or write beyond an array."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from setwise import _core

FEATURES: dict[str, Any] = {
    "n_rows": 3,
    "n_cols": 2,
    "indptr": np.array([0, 2, 4], dtype=np.int64),
    "indices": np.array([0, 2, 1, 2], dtype=np.int32),
    "row_indptr": np.array([0, 1, 2, 4], dtype=np.int64),
    "row_indices": np.array([0, 1, 0, 1], dtype=np.int32),
    "peak": np.array([1.0, 1.0]),
    "caller_order": np.array([1, 0], dtype=np.int32),
}
SINGLE: dict[str, Any] = {"values32": np.ones(4, dtype=np.float32), "row_values32": np.ones(4, dtype=np.float32)}
DOUBLE: dict[str, Any] = {"values64": np.ones(4), "row_values64": np.ones(4)}
TARGETS: dict[str, Any] = {
    "n_rows": 3,
    "indptr": np.array([0, 1, 3], dtype=np.int64),
    "indices": np.array([1, 0, 2], dtype=np.int32),
    "values": np.ones(3),
    "weight": np.full(3, 1 / 3),
    "offset": None,
}
FIT: dict[str, Any] = {
    "start_indptr": np.array([0, 1, 1], dtype=np.int64),
    "start_indices": np.array([1], dtype=np.int32),
    "start_values": np.array([0.5]),
    "start_intercept": np.zeros(2),
    "strength": 0.01,
    "l1_ratio": 1.0,
    "tol": np.full(2, 1e-6),
    "max_iter": 50,
    "n_threads": 1,
    "path": np.zeros(0),
}


def i32(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


def i64(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


BAD_STRUCTURE: dict[str, dict[str, Any]] = {
    "index too large": {"indices": i32(0, 3, 1, 2)},
    "index far too large": {"indices": i32(0, 2**31 - 1, 1, 2)},
    "negative index": {"indices": i32(-1, 2, 1, 2)},
    "repeated index": {"indices": i32(2, 2, 1, 2)},
    "falling indices": {"indices": i32(2, 0, 1, 2)},
    "falling indptr": {"indptr": i64(0, 5, 4)},
    "negative indptr": {"indptr": i64(0, -1, 4)},
    "indptr does not start at zero": {"indptr": i64(1, 2, 4)},
    "indptr ends beyond the indices": {"indptr": i64(0, 2, 5)},
    "indptr ends before the indices": {"indptr": i64(0, 2, 3)},
    "indptr too short": {"indptr": i64(0, 4)},
    "indptr too long": {"indptr": i64(0, 2, 4, 4)},
    "indptr empty": {"indptr": i64()},
    "fewer indices": {"indices": i32(0, 2, 1)},
    "row index too large": {"row_indices": i32(0, 2, 0, 1)},
    "negative row index": {"row_indices": i32(0, 1, 0, -1)},
    "falling row indptr": {"row_indptr": i64(0, 3, 2, 4)},
    "row indptr too short": {"row_indptr": i64(0, 1, 4)},
    "fewer rows than the indices say": {"n_rows": 2},
    "more columns than the indptr says": {"n_cols": 3},
    "negative rows": {"n_rows": -1},
    "negative columns": {"n_cols": -1},
    "peak too short": {"peak": np.ones(1)},
    "peak too long": {"peak": np.ones(3)},
    "order too short": {"caller_order": i32(0)},
    "order too long": {"caller_order": i32(0, 1, 1)},
    "order too large": {"caller_order": i32(0, 2)},
    "negative order": {"caller_order": i32(-1, 1)},
}


@pytest.mark.parametrize("values", [{}, SINGLE, DOUBLE], ids=["ones", "single", "double"])
@pytest.mark.parametrize("change", BAD_STRUCTURE.values(), ids=BAD_STRUCTURE.keys())
def test_features_of_a_broken_structure_are_refused(change: dict[str, Any], values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        _core.Features(**(FEATURES | values | change))


@pytest.mark.parametrize(
    "values",
    [
        SINGLE | {"values32": np.ones(3, dtype=np.float32)},
        SINGLE | {"row_values32": np.ones(5, dtype=np.float32)},
        DOUBLE | {"values64": np.ones(0)},
        DOUBLE | {"row_values64": np.ones(3)},
        {"values32": SINGLE["values32"]},
        {"row_values64": DOUBLE["row_values64"]},
        {"values32": SINGLE["values32"], "row_values64": DOUBLE["row_values64"]},
    ],
    ids=range(7),
)
def test_values_that_do_not_match_their_structure_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"differ in"):
        _core.Features(**(FEATURES | values))


@pytest.mark.parametrize(
    "change",
    [
        {"indices": i32(1, 0, 3)},
        {"indices": i32(-1, 0, 2)},
        {"indices": i32(1, 2, 0)},
        {"indices": i32(1, 0)},
        {"indptr": i64(0, 4, 3)},
        {"indptr": i64(0, 1, 4)},
        {"indptr": i64()},
        {"values": np.ones(2)},
        {"n_rows": 2},
        {"n_rows": 4},
        {"n_rows": -1},
        {"weight": np.ones(2)},
        {"weight": np.ones(0)},
        {"offset": np.zeros((1, 2))},
        {"offset": np.zeros((3, 3))},
        {"offset": np.zeros((0, 3))},
        {"offset": np.zeros((2, 4))},
    ],
    ids=str,
)
def test_targets_of_a_broken_structure_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        _core.Targets(**(TARGETS | change))


@pytest.mark.parametrize(
    "change",
    [
        {"start_indices": i32(2)},
        {"start_indices": i32(-1)},
        {"start_indices": i32()},
        {"start_values": np.ones(2)},
        {"start_indptr": i64(0, 1)},
        {"start_indptr": i64(0, 2, 1)},
        {"start_indptr": i64(0, 1, 1, 1)},
        {"start_intercept": np.zeros(1)},
        {"tol": np.ones(3)},
    ],
    ids=str,
)
def test_starts_of_a_broken_structure_are_refused(change: dict[str, Any]) -> None:
    features, targets = _core.Features(**FEATURES), _core.Targets(**TARGETS)
    with pytest.raises(ValueError, match=r"\w"):
        _core.fit_binary(features, targets, **(FIT | change))


@pytest.mark.parametrize(
    "change",
    [
        {"l1_ratio": 0.5, "dense": [np.empty((2, 2))]},
        {"dense": [np.empty((2, 2))] * 2},
        {"dense": [np.empty((2, 3))]},
        {"dense": [np.empty((3, 2))]},
        {"path": np.array([0.1]), "dense": [np.empty((2, 2))]},
    ],
    ids=range(5),
)
def test_memory_for_weights_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    features, targets = _core.Features(**FEATURES), _core.Targets(**TARGETS)
    with pytest.raises(ValueError, match=r"^dense "):
        _core.fit_binary(features, targets, **(FIT | {"l1_ratio": 0.0} | change))


@pytest.mark.parametrize(
    "memory",
    [np.zeros((2, 2), dtype=np.float32), np.zeros((2, 2), order="F"), np.zeros(4)],
    ids=["single precision", "by columns", "one axis"],
)
def test_memory_for_weights_is_never_a_copy(memory: Any) -> None:
    features, targets = _core.Features(**FEATURES), _core.Targets(**TARGETS)
    with pytest.raises(TypeError):
        _core.fit_binary(features, targets, **(FIT | {"l1_ratio": 0.0, "dense": [memory]}))


def test_features_and_targets_of_different_documents_are_refused() -> None:
    features = _core.Features(**FEATURES)
    targets = _core.Targets(**(TARGETS | {"n_rows": 4, "weight": np.full(4, 0.25)}))
    with pytest.raises(ValueError, match="features and targets differ"):
        _core.fit_binary(features, targets, **FIT)
    with pytest.raises(ValueError, match="features and targets differ"):
        _core.null_models(features, targets, 1)


def test_arrays_of_a_wrong_type_or_layout_are_refused_or_converted() -> None:
    with pytest.raises(TypeError):
        _core.Features(**(FEATURES | {"indices": np.array([["a"]])}))
    with pytest.raises(TypeError):
        _core.Targets(**(TARGETS | {"weight": np.ones((3, 1))}))


def test_what_is_sound_goes_through_and_outlives_the_callers_names() -> None:
    for values in ({}, SINGLE, DOUBLE):
        arrays: dict[str, Any] = {k: np.array(v) if np.ndim(v) else v for k, v in (FEATURES | values).items()}
        features = _core.Features(**arrays)
        arrays = {k: np.array(v) if np.ndim(v) else v for k, v in TARGETS.items()}
        targets = _core.Targets(**arrays)
        del arrays
        gc.collect()
        *_, (indptr, indices, coef, intercept, violation, *_) = _core.fit_binary(features, targets, **FIT)
        assert indptr.tolist()[0] == 0
        assert indptr[-1] == len(indices) == len(coef)
        assert np.isfinite(intercept).all()
        assert (violation <= 1e-6).all()


def test_a_path_gives_one_fit_a_strength() -> None:
    features, targets = _core.Features(**FEATURES), _core.Targets(**TARGETS)
    fits = _core.fit_binary(features, targets, **(FIT | {"path": np.array([0.3, 0.1])}))
    assert len(fits) == 3
    assert all(len(fitted[3]) == 2 for fitted in fits)


def test_no_columns_and_no_labels_are_sound() -> None:
    nothing: dict[str, Any] = {
        "n_cols": 0,
        "indptr": i64(0),
        "indices": i32(),
        "peak": np.zeros(0),
        "caller_order": i32(),
    }
    rows: dict[str, Any] = {"row_indptr": i64(0, 0, 0, 0), "row_indices": i32()}
    features = _core.Features(**(FEATURES | nothing | rows))
    no_start: dict[str, Any] = {"start_indptr": i64(0, 0, 0), "start_indices": i32(), "start_values": np.zeros(0)}
    ((_, _, coef, intercept, *_),) = _core.fit_binary(features, _core.Targets(**TARGETS), **(FIT | no_start))
    assert len(coef) == 0
    assert intercept == pytest.approx([np.log(1 / 2), np.log(2)], abs=1e-5)
    empty = _core.Targets(**(TARGETS | {"indptr": i64(0), "indices": i32(), "values": np.zeros(0)}))
    none: dict[str, Any] = {"start_indptr": i64(0), "start_intercept": np.zeros(0), "tol": np.zeros(0)}
    (fitted,) = _core.fit_binary(features, empty, **(FIT | no_start | none))
    assert len(fitted[3]) == 0
