"""Mode inference with and without the empty set."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from setwise.inference import ModeInference
from setwise.models import BinaryRelevance
from tests.models.corpora import small_corpus

X, y = small_corpus(n=150)
POSTERIOR = BinaryRelevance(strength=0.01).fit(X[:90], y[:90]).posterior(X[90:])


def test_without_the_empty_set_only_documents_that_had_it_get_another_set() -> None:
    every = ModeInference().infer(POSTERIOR).sets.toarray()
    non_empty = ModeInference(non_empty=True).infer(POSTERIOR).sets.toarray()
    has_labels = every.any(axis=1)
    assert not has_labels.all()
    assert_array_equal(non_empty[has_labels], every[has_labels])
    # Labels are independent: where none is more likely than not, the likeliest one alone is best.
    likeliest = POSTERIOR.marginals()[~has_labels].argmax(axis=1)
    assert_array_equal(non_empty[~has_labels], np.eye(every.shape[1])[likeliest])
