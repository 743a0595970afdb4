"""The sections of the comparison of the default with its rival."""

from __future__ import annotations

from benchmarks.benchmark import Section
from benchmarks.default_rows import default_rows, rival_rows

SECTIONS = {
    "default": Section(
        "The default beside the rival",
        "Instance F1 in per cent on the test part. Gain: ours less the rival's; low and high bound its 95 % interval, "
        "by a paired bootstrap over test documents, 10,000 resamples. Where the interval leaves zero out, the gain is "
        "significant. Seconds: the whole call of `SetClassifier().fit(X, y)` on one core, tuning included.",
        ("rival", "F1", "gain", "low", "high", "seconds"),
        "at or above the rival",
        default_rows,
        together=True,
    ),
    "rival": Section(
        "The rival",
        "One logistic regression a label by scikit-learn's LIBLINEAR. Held out for tuning is a fifth of the train "
        "part, the same as in setwise; C, penalty, threshold and whether a document gets at least one label are those "
        "of the best instance F1 there (validation). C starts as 0.03 to 100, two to a decade, for both penalties; "
        "then the neighbours of the best, four to a decade, are tried until none is left. One threshold is searched "
        "exactly. A threshold for each label is taken where better; per label is the best F1 of these on validation, "
        "where each fold is judged by thresholds of the others. Seconds: tuning and the last fit on all of train, on "
        "one core.",
        ("C", "threshold", "validation", "per label", "F1", "seconds"),
        "",
        rival_rows,
        together=True,
    ),
}
