"""A problem that every contestant solves in milliseconds."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.problem import Problem, from_matrices


def tiny_problem() -> Problem:
    random = np.random.default_rng(7)
    X = random.normal(size=(80, 6)) * (random.random((80, 6)) < 0.6)
    truth = random.normal(size=(6, 4)) * 1.5
    y = X @ truth + random.logistic(size=(80, 4)) + [-2.0, -0.5, 0.0, 0.5] > 0
    documents = sp.csr_array(X.astype(np.float32))
    return from_matrices("tiny", documents, y, documents[::2], y[::2])
