"""Choose label sets from the probabilities of a plain scikit-learn classifier with ``setwise.decide``.

Run it with ``python examples/any_classifier.py``. It uses the corpus bibtex where ``SETWISE_DATA`` names the folder
that contains it, and a small synthetic corpus otherwise.
"""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from setwise import decide
from setwise.data import find_corpus
from setwise.exceptions import InvalidData
from setwise.metrics import instance_f1


def load_documents() -> tuple[str, Any, Any, Any, Any]:
    """Return the name of the corpus, X and y of its training documents, and X and y of its test documents."""
    try:
        corpus = find_corpus("bibtex")
    except InvalidData:
        X, y = make_multilabel_classification(
            n_samples=2000, n_features=60, n_classes=12, allow_unlabeled=False, random_state=0
        )
        return "a synthetic corpus", sp.csr_matrix(X[:1500]), y[:1500], sp.csr_matrix(X[1500:]), y[1500:]
    (X, y), (X_test, y_test) = corpus.read("train"), corpus.read("test")
    return "bibtex", sp.csr_matrix(X), y.toarray(), sp.csr_matrix(X_test), y_test.toarray()


def main() -> None:
    """Print the instance F1 of three ways to choose sets from the same probabilities."""
    name, X, y, X_test, y_test = load_documents()
    classifier = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(X, y)
    probabilities = classifier.predict_proba(X_test)
    predictions = {
        "cut at one half": classifier.predict(X_test),
        "decide, training sets": decide(probabilities, y),
        "decide, any set": decide(probabilities, y, inference="exact"),
    }
    print(f"OneVsRestClassifier(LogisticRegression) on {name}, instance F1 of {len(y_test)} test documents:")
    for title, sets in predictions.items():
        print(f"  {title:<22} {100 * instance_f1(y_test, sets):.1f} %")


if __name__ == "__main__":
    main()
