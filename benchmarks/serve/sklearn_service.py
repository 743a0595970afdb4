"""The rival: the same service, with scikit-learn's TF-IDF and one logistic regression per label behind it.

``python -m benchmarks.serve.sklearn_service FILE`` serves a pickled :class:`SklearnSets` on a free port.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from time import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from setwise.labels import Decision, LabelMatrix
from setwise.serve import Settings
from setwise.serve.models import LoadedModel
from setwise.serve.server import serve


class SklearnVectorizer:
    """scikit-learn's vectorizer, which does not tell how much of a text it knows."""

    def __init__(self) -> None:
        self.tfidf = TfidfVectorizer(sublinear_tf=True, min_df=2)

    def transform_with_coverage(self, texts: list[str]) -> tuple[Any, None]:
        """Return the features of texts, and nothing about their coverage."""
        return self.tfidf.transform(texts), None


class SklearnSets:
    """What the service asks of a classifier, answered by scikit-learn."""

    confidence_ = automation_ = None

    def __init__(self, vectorizer: SklearnVectorizer, model: Any, labels: LabelMatrix) -> None:
        self.vectorizer_ = vectorizer
        self.labels_ = labels
        self._model = model

    @classmethod
    def fit(cls, texts: list[str], labels: list[list[str]]) -> SklearnSets:
        """Train one logistic regression per label."""
        vectorizer, matrix = SklearnVectorizer(), LabelMatrix.of(labels)
        X = vectorizer.tfidf.fit_transform(texts)
        model = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(X, matrix.indicator.toarray())
        return cls(vectorizer, model, matrix.take([0]))

    def predict_with_value(self, X: Any) -> Decision:
        """Return the labels above one half, without an expected F1."""
        sets = sp.csr_array(self._model.predict(X))
        return Decision(sets, np.full(sets.shape[0], np.nan))


def load_pickle(name: str, path: str) -> LoadedModel:
    """Load a file that this benchmark has written."""
    classifier: Any = pickle.loads(Path(path).read_bytes())
    return LoadedModel(name, "sklearn", classifier, {"name": name, "version": "sklearn"}, time())


def print_note(sentence: str) -> None:
    """Print a sentence at once."""
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(serve(Settings((("model", sys.argv[1]),)), "127.0.0.1", 0, print_note, load_pickle))
