"""What set calibration does to bibtex: the set's probability and the expected F1 become honest, and F1 does not fall.

Run it with ``python examples/calibration.py``, where ``SETWISE_DATA`` names the folder that holds bibtex.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from setwise import SetClassifier
from setwise.data import find_corpus
from setwise.exceptions import InvalidData
from setwise.metrics import calibration_error, instance_f1
from setwise.metrics.overlap import Overlap, read_pair
from setwise.models import BinaryRelevance

SEEDS = (0, 1, 2)


def report(name: str, fitted: SetClassifier, X: Any, y: Any) -> None:
    """Print how good the predictions are, and how honest what is stated of them."""
    likely = [best[0] for best in fitted.predict_sets(X)]
    names = np.asarray(fitted.classes_)
    right = [set(names[y[[i]].indices]) == set(best.labels) for i, best in enumerate(likely)]
    predicted = fitted.predict(X)
    attained = Overlap.by_document(*read_pair(y, predicted)).f1
    print(
        f"  {name:<22} F1 {100 * instance_f1(y, predicted):.1f} %, calibration error of the most probable set "
        f"{calibration_error([best.probability for best in likely], right):.3f}, "
        f"of expected F1 {calibration_error(fitted.expected_f1(X), attained):.3f}"
    )


def main() -> None:
    """Fit with and without calibration, on three held-out parts."""
    try:
        corpus = find_corpus("bibtex")
    except InvalidData as absent:
        sys.exit(f"error: {absent}")
    (X, y), (X_test, y_test) = corpus.read("train"), corpus.read("test")
    model = BinaryRelevance(strength=1 / X.shape[0], l1_ratio=1.0)
    print(f"BR, support + GFM on bibtex, {X_test.shape[0]} test documents:")
    report("as it is", SetClassifier(model, "support", "gfm", calibration=None).fit(X, y), X_test, y_test)
    for seed in SEEDS:
        fitted = SetClassifier(model, "support", "gfm", calibration="likelihood", random_state=seed).fit(X, y)
        report(f"calibrated, seed {seed}", fitted, X_test, y_test)


if __name__ == "__main__":
    main()
