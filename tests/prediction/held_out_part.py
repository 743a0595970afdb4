"""Held-out documents of a small corpus, and a model that was not trained on them."""

from __future__ import annotations

import numpy as np

from setwise.labels import LabelMatrix, Support
from setwise.models import BinaryRelevance
from setwise.prediction import HeldOut
from tests.models.corpora import small_corpus

__all__ = ["HELD", "LABELS", "MODEL", "PART", "REST", "X"]

X, y = small_corpus(n=150)
LABELS = LabelMatrix.of(y)
REST, HELD = np.arange(90), np.arange(90, 150)
MODEL = BinaryRelevance(strength=0.01).fit(X[REST], LABELS.take(REST))
PART = HeldOut.of(MODEL, X[HELD], LABELS.take(HELD), Support.of(LABELS.take(REST)))
