"""X and y in any form are the same problem, and nobody's arrays change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.exceptions import InvalidData
from setwise.learners import FeatureColumns, LabelFits, critical_strengths, fit_labels, fit_path
from tests.learners.problems import random_features, random_labels, same_bits

ARGUMENTS: dict[str, Any] = {"strength": 0.01, "l1_ratio": 0.5, "tol": 1e-9}


def counts() -> np.ndarray[Any, np.dtype[np.int64]]:
    """Small whole numbers, which every type of value holds exactly; one empty row, one empty column."""
    X = np.random.default_rng(1).poisson(0.7, size=(50, 9))
    X[3] = 0
    X[:, 4] = 0
    return X


def labels_for(X: Any) -> Any:
    return random_labels(np.random.default_rng(2), X.astype(np.float64), 2)


def with_wide_indices(X: Any) -> Any:
    wide = sp.csr_array(X, dtype=np.float64)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return wide


def unsorted(X: Any) -> Any:
    """Each row's entries backwards."""
    rows = sp.csr_array(X, dtype=np.float64)
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)])
    return sp.csr_array((rows.data[order], rows.indices[order], rows.indptr), shape=rows.shape)


def with_repeats(X: Any) -> Any:
    """Each entry twice, half its value each time."""
    entries = sp.coo_array(X, dtype=np.float64)
    rows, columns = entries.coords
    halves = np.concatenate([entries.data, entries.data]) / 2
    return sp.coo_array((halves, (np.tile(rows, 2), np.tile(columns, 2))), shape=X.shape)


def with_stored_zeros(X: Any) -> Any:
    rows, columns = np.indices(X.shape).reshape(2, -1)
    return sp.coo_array((X.ravel().astype(float), (rows, columns)), shape=X.shape).tocsc()


def cancelled(X: Any) -> Any:
    """An entry and its opposite where X is zero: they add up to nothing."""
    entries = sp.coo_array(X, dtype=np.float64)
    rows, columns = np.nonzero(X == 0)
    ones = np.ones(rows.size)
    return sp.coo_array(
        (
            np.concatenate([entries.data, ones, -ones]),
            (np.concatenate([entries.coords[0], rows, rows]), np.concatenate([entries.coords[1], columns, columns])),
        ),
        shape=X.shape,
    )


FORMS: dict[str, Callable[[Any], Any]] = {
    "csr": lambda X: sp.csr_array(X, dtype=np.float64),
    "csc": lambda X: sp.csc_array(X, dtype=np.float64),
    "coo": lambda X: sp.coo_array(X, dtype=np.float64),
    "lil": lambda X: sp.lil_array(X, dtype=np.float64),
    "dok": lambda X: sp.dok_array(X, dtype=np.float64),
    "bsr": lambda X: sp.bsr_array(X, dtype=np.float64),
    "csr matrix": lambda X: sp.csr_matrix(X, dtype=np.float64),
    "dense": lambda X: X.astype(np.float64),
    "Fortran order": lambda X: np.asfortranarray(X, dtype=np.float64),
    "every other column of a wider array": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "lists": lambda X: X.tolist(),
    "float32": lambda X: X.astype(np.float32),
    "sparse float32": lambda X: sp.csr_array(X, dtype=np.float32),
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "int8": lambda X: X.astype(np.int8),
    "sparse int64": lambda X: sp.csc_array(X),
    "uint16": lambda X: sp.csr_array(X, dtype=np.uint16),
    "big-endian": lambda X: X.astype(">f8"),
    "read only": lambda X: np.frombuffer(X.astype(np.float64).tobytes()).reshape(X.shape),
    "64-bit indices": with_wide_indices,
    "unsorted": unsorted,
    "repeated entries": with_repeats,
    "stored zeros": with_stored_zeros,
    "entries that cancel": cancelled,
    "feature columns": lambda X: FeatureColumns.of(sp.csr_array(X, dtype=np.float64)),
}


@pytest.fixture(scope="module")
def plain_fit() -> LabelFits:
    X = counts()
    return fit_labels(sp.csr_array(X, dtype=np.float64), labels_for(X), **ARGUMENTS)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_same_values_in_any_form_give_the_same_bits(form: Callable[[Any], Any], plain_fit: LabelFits) -> None:
    X = counts()
    assert same_bits(fit_labels(form(X), labels_for(X), **ARGUMENTS), plain_fit)


@pytest.mark.parametrize("form", [bool, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("sparse", [True, False])
def test_presence_of_words_as_any_type_gives_the_same_bits(form: Any, sparse: bool) -> None:
    X = counts() > 0
    expected = fit_labels(X.astype(np.float64), labels_for(X), **ARGUMENTS)
    given = sp.csr_array(X, dtype=form) if sparse else X.astype(form)
    assert same_bits(fit_labels(given, labels_for(X), **ARGUMENTS), expected)


def test_double_values_keep_their_precision() -> None:
    """1/3 in single precision is another number, and gives another fit."""
    X = counts() / 3.0
    double = fit_labels(X, labels_for(X), **ARGUMENTS)
    single = fit_labels(X.astype(np.float32), labels_for(X), **ARGUMENTS)
    assert double.intercept[0] != single.intercept[0]
    assert double.coef.toarray() == pytest.approx(single.coef.toarray(), abs=1e-5)


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_matrix, sp.coo_array, np.asarray, np.ndarray.tolist])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32])
def test_labels_in_any_form_give_the_same_bits(make: Any, dtype: Any, plain_fit: LabelFits) -> None:
    X = counts()
    y = labels_for(X).astype(dtype)
    assert same_bits(fit_labels(X, make(y), **ARGUMENTS), plain_fit)


def test_labels_may_be_lists_of_names(plain_fit: LabelFits) -> None:
    X = counts()
    names = [[name for name, has in zip(["art", "music"], row, strict=True) if has] for row in labels_for(X)]
    assert same_bits(fit_labels(X, names, **ARGUMENTS), plain_fit)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_the_order_of_features_and_documents_does_not_matter(l1_ratio: float) -> None:
    random = np.random.default_rng(4)
    X = random_features(random, 50, 9, "float64", density=0.5)
    y = random_labels(random, X, 2)
    columns, rows = random.permutation(9), random.permutation(50)
    chosen: dict[str, Any] = {"strength": 0.01, "l1_ratio": l1_ratio, "tol": 1e-10}
    fits = fit_labels(X, y, **chosen)
    moved = fit_labels(X[rows][:, columns], y[rows], **chosen)
    assert moved.coef.toarray() == pytest.approx(fits.coef.toarray()[:, columns], abs=1e-7)
    assert moved.intercept == pytest.approx(fits.intercept, abs=1e-7)


def test_empty_columns_change_nothing_and_get_no_weight() -> None:
    random = np.random.default_rng(5)
    X = random_features(random, 50, 6, "float64", density=0.5)
    y = random_labels(random, X, 2)
    wide = np.insert(X, [0, 2, 2, 6], 0.0, axis=1)
    for l1_ratio in (0.0, 1.0):
        fits = fit_labels(wide, y, strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
        narrow = fit_labels(X, y, strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
        kept = np.flatnonzero(wide.any(axis=0))
        assert np.array_equal(fits.coef.toarray()[:, kept], narrow.coef.toarray())
        assert np.array_equal(fits.intercept, narrow.intercept)
        assert fits.coef.shape == (2, 10)
        assert not np.isin(fits.coef.indices, np.setdiff1d(np.arange(10), kept)).any()


def test_coefficients_are_sparse_sorted_and_without_stored_zeros(plain_fit: LabelFits) -> None:
    assert isinstance(plain_fit.coef, sp.csr_array)
    assert plain_fit.coef.has_sorted_indices
    assert plain_fit.coef.data.all()


def test_feature_columns_keep_no_reference_to_the_callers_arrays() -> None:
    X = sp.csr_array(counts(), dtype=np.float64)
    y = labels_for(counts())
    columns = FeatureColumns.of(X)
    before = fit_labels(columns, y, **ARGUMENTS)
    X.data[:] = np.nan
    X.indices[:] = 2**31 - 1
    assert same_bits(fit_labels(columns, y, **ARGUMENTS), before)


def test_feature_columns_of_feature_columns_are_themselves() -> None:
    columns = FeatureColumns.of(counts())
    assert FeatureColumns.of(columns) is columns
    assert (columns.n_samples, columns.n_features, columns.largest) == (50, 9, counts().max())


def frozen(value: Any) -> list[Any]:
    """Copies of every array inside."""
    if sp.issparse(value):
        parts = value.coords if value.format == "coo" else (value.indices, value.indptr)
        return [np.array(part) for part in (value.data, *parts)]
    return [np.array(value)]


@pytest.mark.parametrize("form", [with_repeats, unsorted, with_stored_zeros, FORMS["csc"], FORMS["dense"]])
@pytest.mark.parametrize("fails", [False, True])
def test_the_callers_arrays_stay_as_they_are(form: Callable[[Any], Any], fails: bool) -> None:
    random = np.random.default_rng(8)
    X, y = form(counts()), sp.csc_array(labels_for(counts()))
    weight, offset = random.random(50) + 0.5, random.normal(size=(50, 2))
    if fails:
        weight[-1] = -1.0
    given = [X, y, weight, offset]
    before = [frozen(value) for value in given]
    for call in (
        lambda: fit_labels(X, y, sample_weight=weight, offset=offset, **ARGUMENTS),
        lambda: fit_labels(X, y, sample_weight=weight, offset=offset, soft=True, **ARGUMENTS),
        lambda: fit_path(X, y, [0.1, 0.01], sample_weight=weight, offset=offset),
        lambda: critical_strengths(X, y, sample_weight=weight, offset=offset),
    ):
        if fails:
            with pytest.raises(InvalidData, match="sample_weight"):
                call()
        else:
            call()
        for copies, value in zip(before, given, strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(copies, frozen(value), strict=True))
