"""A plain scikit-learn classifier, and what `decide` makes of its probabilities.

Run it with `python examples/any_classifier.py`. It takes the corpus bibtex where SETWISE_DATA names the folder that
holds it, and a small made-up one where not.
"""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from setwise import decide
from setwise.data.catalogue import find_corpus
from setwise.exceptions import InvalidData
from setwise.metrics import instance_f1


def documents() -> tuple[str, Any, Any, Any, Any]:
    """Name of the corpus, then X and y of its training and of its test documents."""
    try:
        corpus = find_corpus("bibtex")
    except InvalidData:
        X, y = make_multilabel_classification(
            n_samples=2000, n_features=60, n_classes=12, allow_unlabeled=False, random_state=0
        )
        return "a made-up corpus", sp.csr_matrix(X[:1500]), y[:1500], sp.csr_matrix(X[1500:]), y[1500:]
    parts = [sp.csr_matrix(part) for name in ("train", "test") for part in corpus.read(name)]
    return "bibtex", parts[0], parts[1].toarray(), parts[2], parts[3].toarray()


def main() -> None:
    """Print the instance F1 of three ways to choose sets from the same probabilities."""
    name, X, y, X_test, y_test = documents()
    classifier = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(X, y)
    probabilities = classifier.predict_proba(X_test)
    ways = {
        "cut at one half": classifier.predict(X_test),
        "decide, training sets": decide(probabilities, y),
        "decide, any set": decide(probabilities, y, inference="exact"),
    }
    print(f"OneVsRestClassifier(LogisticRegression) on {name}, instance F1 of {len(y_test)} test documents:")
    for way, sets in ways.items():
        print(f"  {way:<22} {100 * instance_f1(y_test, sets):.1f} %")


if __name__ == "__main__":
    main()
