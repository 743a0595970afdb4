"""The comparison of our features with those of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer

from setwise.exceptions import InvalidData
from setwise.text import TextVectorizer


def assert_parity(train: Sequence[str], test: Sequence[str], **parameters: Any) -> None:
    """Compare vocabulary, idf, structure and values on training and new texts."""
    theirs = TfidfVectorizer(**{"sublinear_tf": True, "min_df": 1, "dtype": np.float32, **parameters})
    ours = TextVectorizer(token_rule="sklearn", **{"min_df": 1, **parameters})
    try:
        expected = theirs.fit_transform(train)
    except ValueError:  # no term is left
        with pytest.raises(InvalidData, match="is left"):
            ours.fit(train)
        return
    found = ours.fit_transform(train)
    assert ours.words_ == tuple(theirs.get_feature_names_out())
    assert_array_equal(ours.idf_, theirs.idf_)
    for theirs_X, ours_X in ((expected, found), (theirs.transform(test), ours.transform(test))):
        theirs_X.sort_indices()
        assert_array_equal(ours_X.indptr, theirs_X.indptr)
        assert_array_equal(ours_X.indices, theirs_X.indices)
        assert_allclose(ours_X.data, theirs_X.data, rtol=0, atol=1e-6)
        assert ours_X.dtype == np.float32
