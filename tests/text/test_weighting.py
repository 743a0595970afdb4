"""Weights of counts: the arithmetic of scikit-learn, and what counts are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from sklearn.feature_extraction.text import TfidfTransformer

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.text import CountWeighting, are_counts

COUNTS = arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.integers(0, 9))


@given(COUNTS, COUNTS)
def test_tfidf_is_that_of_scikit_learn(train: Any, test: Any) -> None:
    test = np.resize(test, (test.shape[0], train.shape[1]))
    expected = TfidfTransformer(sublinear_tf=True).fit(train).transform(test)
    found = CountWeighting("tfidf").fit(train).transform(test)
    assert found.dtype == np.float32
    assert_allclose(found.toarray(), expected.toarray(), atol=1e-6)


@given(COUNTS)
def test_sublinear_has_no_idf(train: Any) -> None:
    expected = TfidfTransformer(sublinear_tf=True, use_idf=False).fit_transform(train)
    assert_allclose(CountWeighting("sublinear").fit_transform(train).toarray(), expected.toarray(), atol=1e-6)


def test_sparse_and_dense_counts_are_the_same_and_stay_unchanged() -> None:
    counts = np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 0.0]])
    sparse = sp.csr_array(counts)
    weighting = CountWeighting().fit(counts)
    assert_allclose(weighting.transform(sparse).toarray(), weighting.transform(counts).toarray())
    assert sparse.toarray().tolist() == counts.tolist()


def test_a_row_does_not_depend_on_the_others() -> None:
    counts = np.random.default_rng(0).poisson(1.0, size=(20, 30)).astype(float)
    weighting = CountWeighting().fit(counts)
    together = weighting.transform(counts).toarray()
    assert all((weighting.transform(counts[[i]]).toarray()[0] == together[i]).all() for i in range(20))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[0.0, 3.0]], True),
        ([[0, 3]], True),
        ([[0.0, 1.0]], False),  # presence, not counts
        ([[0.5, 3.0]], False),
        ([[-1.0, 3.0]], False),
        ([[0.0, 0.0]], False),
    ],
)
def test_what_counts_are(values: Any, expected: bool) -> None:
    assert are_counts(np.array(values)) is expected
    assert are_counts(sp.csr_array(np.array(values))) is expected


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(InvalidParameter, match=r"weighting must be one of sublinear, tfidf; got 'log'\."):
        CountWeighting("log").fit([[1.0]])  # type: ignore[arg-type]
    with pytest.raises(InvalidData, match=r"X must have the 2 features of the fit; got 3\."):
        CountWeighting().fit([[1.0, 2.0]]).transform([[1.0, 2.0, 3.0]])
    with pytest.raises(InvalidData, match="weighting must be one of"):
        CountWeighting.from_state("log", np.ones(2, dtype=np.float32), 2)
    with pytest.raises(InvalidData, match="idf must be float32"):
        CountWeighting.from_state("tfidf", np.ones(3, dtype=np.float32), 2)
