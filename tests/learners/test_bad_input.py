"""Bad input: one kind of error each, one sentence that names the argument, what must hold and what came."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.learners import BinaryLogistic, FeatureColumns, critical_strengths, fit_labels, fit_path

X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [0.0, 0.0]])
y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
WIDE = 10**400  # a whole number beyond every float


def spoiled(array: Any, value: Any) -> Any:
    """A copy as floats with one wrong value."""
    copy = np.array(array, dtype=np.float64)
    copy.flat[2] = value
    return copy


def spoiled_sparse(value: float, form: Any) -> Any:
    return form(spoiled(X, value))


BAD_DATA: dict[str, tuple[str, dict[str, Any]]] = {
    "NaN in dense X": ("X", {"X": spoiled(X, np.nan)}),
    "infinity in dense X": ("X", {"X": spoiled(X, np.inf)}),
    "minus infinity in float32 X": ("X", {"X": spoiled(X, -np.inf).astype(np.float32)}),
    "NaN in sparse X": ("X", {"X": spoiled_sparse(np.nan, sp.csr_array)}),
    "infinity in sparse X": ("X", {"X": spoiled_sparse(np.inf, sp.csc_matrix)}),
    "repeated entries of X that overflow": ("X", {"X": sp.coo_array(([1e308] * 2, ([0, 0], [0, 0])), shape=(4, 2))}),
    "X of one dimension": ("X", {"X": X[:, 0]}),
    "sparse X of one dimension": ("X", {"X": sp.coo_array(X[:, 0])}),
    "X of three dimensions": ("X", {"X": X[None]}),
    "X a number": ("X", {"X": 3.0}),
    "X None": ("X", {"X": None}),
    "X a string": ("X", {"X": "documents"}),
    "complex X": ("X", {"X": X + 0j}),
    "complex sparse X": ("X", {"X": sp.csr_array(X + 0j)}),
    "X of objects": ("X", {"X": X.astype(object)}),
    "X of strings": ("X", {"X": [["a", "b"]] * 4}),
    "X of dates": ("X", {"X": X.astype("datetime64[s]")}),
    "ragged X": ("X", {"X": [[1.0, 2.0], [3.0], [1.0, 1.0], [0.0, 0.0]]}),
    "X without rows": ("X", {"X": np.zeros((0, 2))}),
    "X without columns": ("X", {"X": sp.csr_array((4, 0))}),
    "NaN in y": ("y", {"y": spoiled(y, np.nan)}),
    "infinity in sparse y": ("y", {"y": sp.csr_array(spoiled(y, np.inf))}),
    "another value in y": ("y", {"y": y * 2}),
    "a negative value in sparse y": ("y", {"y": sp.csc_array(-y)}),
    "targets between without soft": ("y", {"y": y * 0.5}),
    "y of one dimension": ("y", {"y": y[:, 0]}),
    "complex y": ("y", {"y": y + 0j}),
    "ragged y": ("y", {"y": [[1, 0], [0], [1, 1], [0, 0]]}),
    "y without rows": ("y", {"y": np.zeros((0, 2))}),
    "y without columns": ("y", {"y": np.zeros((4, 0))}),
    "a string for a document": ("y", {"y": ["a", "b", "a", "b"]}),
    "NaN in soft y": ("y", {"y": spoiled(y, np.nan), "soft": True}),
    "soft y above one": ("y", {"y": spoiled(y, 1.0 + 1e-9), "soft": True}),
    "soft y below zero": ("y", {"y": sp.csr_array(spoiled(y, -1e-9)), "soft": True}),
    "soft y of objects": ("y", {"y": y.astype(object), "soft": True}),
    "soft y of one dimension": ("y", {"y": [0.1, 0.2, 0.3, 0.4], "soft": True}),
    "NaN in weights": ("sample_weight", {"sample_weight": [1, 1, np.nan, 1]}),
    "infinite weight": ("sample_weight", {"sample_weight": [1, 1, np.inf, 1]}),
    "negative weight": ("sample_weight", {"sample_weight": [1, 1, -1e-9, 1]}),
    "weights all zero": ("sample_weight", {"sample_weight": np.zeros(4)}),
    "too few weights": ("sample_weight", {"sample_weight": [1, 1, 1]}),
    "weights of two dimensions": ("sample_weight", {"sample_weight": np.ones((4, 1))}),
    "one weight for all": ("sample_weight", {"sample_weight": 1.0}),
    "weights of strings": ("sample_weight", {"sample_weight": ["1", "1", "1", "1"]}),
    "complex weights": ("sample_weight", {"sample_weight": np.ones(4) + 0j}),
    "ragged weights": ("sample_weight", {"sample_weight": [1, [1, 2], 1, 1]}),
    "NaN in offset": ("offset", {"offset": [0, 0, np.nan, 0]}),
    "infinity in offset by label": ("offset", {"offset": spoiled(np.zeros((4, 2)), np.inf)}),
    "too few offsets": ("offset", {"offset": np.zeros(3)}),
    "offsets of another shape": ("offset", {"offset": np.zeros((4, 3))}),
    "offsets the wrong way round": ("offset", {"offset": np.zeros((2, 4))}),
    "offsets of three dimensions": ("offset", {"offset": np.zeros((4, 2, 1))}),
    "one offset for all": ("offset", {"offset": 0.5}),
    "complex offset": ("offset", {"offset": np.zeros(4) + 0j}),
    "complex offset by label": ("offset", {"offset": np.zeros((4, 2)) + 0j}),
    "offsets of strings": ("offset", {"offset": ["a", "b", "c", "d"]}),
    "offsets of strings by label": ("offset", {"offset": [["a", "b"]] * 4}),
    "offsets of objects by label": ("offset", {"offset": np.full((4, 2), None)}),
    "ragged offset": ("offset", {"offset": [[0.0], [0.0, 1.0], [0.0], [0.0]]}),
}

BAD_PARAMETERS: dict[str, tuple[str, Any]] = {
    f"{name}={value!r}"[:40]: (name, value)
    for name, values in {
        "strength": [-1e-9, np.nan, np.inf, "0.1", None, [0.1], True, 1j],
        "l1_ratio": [-1e-9, 1.0 + 1e-9, np.nan, "0.5", None, False],
        "tol": [0.0, -1e-9, np.nan, np.inf, "1e-3", True],
        "max_iter": [-1, 10.0, np.nan, "10", None, True],
        "n_jobs": [0, 1.0, "2", True],
    }.items()
    for value in values
}


def assert_one_sentence(error: Exception, argument: str) -> None:
    """What must hold and what came; a hint may follow. Whoever knows no setwise can catch a ValueError."""
    assert isinstance(error, ValueError)
    message = str(error)
    assert re.match(rf"^{argument} must [^\n]+\.$", message)
    assert "; got " in message or "; all are zero" in message
    assert len(message) < 250


@pytest.mark.parametrize(("argument", "change"), BAD_DATA.values(), ids=BAD_DATA.keys())
def test_bad_data_is_refused(argument: str, change: dict[str, Any]) -> None:
    for call, given in (
        (fit_labels, {"strength": 0.1}),
        (fit_path, {"strengths": [0.1]}),
        (critical_strengths, {}),
    ):
        with pytest.raises(InvalidData, match="must") as caught:
            call(**({"X": X, "y": y} | given | change))
        assert_one_sentence(caught.value, argument)


@pytest.mark.parametrize("n_rows", [3, 8])
def test_rows_that_do_not_match_are_refused(n_rows: int) -> None:
    labels = np.vstack([y, y])[:n_rows]
    for call in (partial(fit_labels, strength=0.1), partial(fit_path, strengths=[0.1]), critical_strengths):
        with pytest.raises(InvalidData, match=rf"^X has 4 rows but y has {n_rows}\.$"):
            call(X, labels)


@pytest.mark.parametrize(("name", "value"), BAD_PARAMETERS.values(), ids=BAD_PARAMETERS.keys())
def test_bad_parameters_are_refused(name: str, value: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: fit_labels(X, y, **({"strength": 0.1} | {name: value})),
        lambda: BinaryLogistic(**{name: value}).fit(X, y[:, 0]),
    ]
    if name != "strength":
        calls.append(lambda: fit_path(X, y, [0.1], **{name: value}))
    if name in ("l1_ratio", "n_jobs"):
        calls.append(lambda: critical_strengths(X, y, **{name: value}))
    for call in calls:
        with pytest.raises(InvalidParameter, match="must") as caught:
            call()
        assert_one_sentence(caught.value, name)


def test_more_threads_than_any_machine_has_do_not_break_the_process() -> None:
    program = (
        "from setwise.learners import fit_labels; fit_labels([[1.0], [2.0]], [[1], [0]], strength=0.1, n_jobs=10**6)"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert finished.returncode == 0 or "InvalidParameter: n_jobs must" in finished.stderr


@pytest.mark.parametrize("name", ["max_iter", "n_jobs"])
def test_whole_numbers_too_large_for_the_core_do_not_break_it(name: str) -> None:
    """More iterations than anyone can wait for is no limit; more threads than a machine has may be refused."""
    try:
        options: Any = {name: WIDE}
        fits = fit_labels(X, y, strength=0.1, tol=1e-3, **options)
    except InvalidParameter as refused:
        assert_one_sentence(refused, name)
    else:
        assert fits.converged.all()


@pytest.mark.parametrize("warm_start", ["zeros", 0, {}, np.zeros((2, 2))])
def test_a_warm_start_that_is_no_result_is_refused(warm_start: Any) -> None:
    with pytest.raises(InvalidData, match=r"^warm_start must .*; got "):
        fit_labels(X, y, strength=0.1, warm_start=warm_start)


@pytest.mark.parametrize(
    ("y", "came"),
    [
        ([0, 1, 2, 0], "3"),
        ([2, 2, 2, 2], "1"),
        (["a", "a", "a", "a"], "1"),
        (y, r"\(4, 2\)"),
        ([], r"\(0,\)"),
        (1, r"\(\)"),
        ([0.0, 1.0, np.nan, 0.0], "nan"),
        ([0.0, 1.0, np.inf, 0.0], "inf"),
        ([[0], [1, 0], [1], [0]], "several lengths"),
        ([None, None, None, None], "type"),
        ([0, "a", None, 1], "type"),
    ],
    ids=str,
)
def test_classes_that_are_not_two_are_refused(y: Any, came: str) -> None:
    with pytest.raises(InvalidData, match=rf"^y must .*; got .*{came}"):
        BinaryLogistic(strength=0.1).fit(X, y)


def test_as_many_classes_as_documents_are_asked_for() -> None:
    with pytest.raises(InvalidData, match=r"^X has 4 rows but y has 2\.$"):
        BinaryLogistic(strength=0.1).fit(X, [0, 1])


def test_a_refused_fit_leaves_the_estimator_as_it_was() -> None:
    model = BinaryLogistic(strength=0.1).fit(X, y[:, 0])
    before = dict(vars(model))
    with pytest.raises(InvalidData):
        model.fit(spoiled(X, np.nan), y[:, 1])
    assert all(vars(model)[name] is value for name, value in before.items())
    assert vars(model).keys() == before.keys()


def test_scores_ask_for_the_features_of_the_fit() -> None:
    fits = fit_labels(X, y, strength=0.1)
    with pytest.raises(InvalidData, match=r"^X must have the 2 features of the fit; got 3"):
        fits.scores(np.zeros((1, 3)))
    with pytest.raises(InvalidData, match=r"^X must "):
        fits.scores([1.0, 2.0])
    with pytest.raises(InvalidData, match=r"^X must hold finite numbers; got nan"):
        fits.scores(spoiled(X, np.nan))


def test_feature_columns_refuse_what_the_learners_refuse() -> None:
    with pytest.raises(InvalidData, match=r"^X must hold finite numbers; got nan"):
        FeatureColumns.of(spoiled(X, np.nan))
