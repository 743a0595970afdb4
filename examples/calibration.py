"""Compare BR with and without set calibration on bibtex: F1, and how well stated probabilities match the outcome.

Run it with ``python examples/calibration.py``, where ``SETWISE_DATA`` names the folder that contains bibtex.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from setwise import SetClassifier
from setwise.data import find_corpus
from setwise.exceptions import InvalidData
from setwise.metrics import Overlap, calibration_error, instance_f1, read_pair
from setwise.models import BinaryRelevance

SEEDS = (0, 1, 2)


def print_quality(title: str, classifier: SetClassifier, X: Any, y: Any) -> None:
    """Print the F1 of the predictions, and the calibration error of their probabilities and of their expected F1."""
    most_probable = [ranked[0] for ranked in classifier.predict_sets(X)]
    names = np.asarray(classifier.classes_)
    correct = [set(names[y[[i]].indices]) == set(best.labels) for i, best in enumerate(most_probable)]
    predicted = classifier.predict(X)
    f1 = Overlap.by_document(*read_pair(y, predicted)).f1
    print(
        f"  {title:<22} F1 {100 * instance_f1(y, predicted):.1f} %, calibration error of the most probable set "
        f"{calibration_error([best.probability for best in most_probable], correct):.3f}, "
        f"of expected F1 {calibration_error(classifier.expected_f1(X), f1):.3f}"
    )


def main() -> None:
    """Fit without calibration, and with calibration on three held-out parts."""
    try:
        corpus = find_corpus("bibtex")
    except InvalidData as error:
        sys.exit(f"error: {error}")
    (X, y), (X_test, y_test) = corpus.read("train"), corpus.read("test")
    model = BinaryRelevance(strength=1 / X.shape[0], l1_ratio=1.0)
    print(f"BR, support + GFM on bibtex, {X_test.shape[0]} test documents:")
    uncalibrated = SetClassifier(model, "support", "gfm", calibration=None).fit(X, y)
    print_quality("uncalibrated", uncalibrated, X_test, y_test)
    for seed in SEEDS:
        calibrated = SetClassifier(model, "support", "gfm", calibration="likelihood", random_state=seed).fit(X, y)
        print_quality(f"calibrated, seed {seed}", calibrated, X_test, y_test)


if __name__ == "__main__":
    main()
