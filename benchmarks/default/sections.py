"""The sections of the page on the default."""

from __future__ import annotations

from benchmarks.default.rows import baseline_rows, default_rows
from benchmarks.harness.benchmark import Section

SECTIONS = {
    "default": Section(
        "The default compared with the baseline",
        "Instance F1 in percent on the test part. *Gain* is the default's F1 minus the baseline's; *low* and *high* "
        "bound its 95 % interval, by a paired bootstrap over test documents with 10,000 resamples. The gain is "
        "significant where the interval does not contain zero. *Seconds* is the whole call of "
        "`SetClassifier().fit(X, y)` on one core, tuning included.",
        ("baseline", "F1", "gain", "low", "high", "seconds"),
        "at or above the baseline",
        default_rows,
        one_table=True,
    ),
    "baseline": Section(
        "The baseline",
        "One logistic regression per label by scikit-learn's LIBLINEAR. A fifth of the train part is held out for "
        "tuning, the same as in setwise. C, penalty, threshold, and whether every document gets at least one label, "
        "are those of the best instance F1 there (*validation*). The grid starts with C from 0.03 to 100, two values "
        "per decade, for both penalties; then the neighbors of the best, four per decade, are added until all of them "
        "have been tried. A single threshold is optimised exactly. One threshold per label is used where it is better: "
        "*per label* is the best cross-validated F1 of such thresholds on the held-out documents. *Seconds* is tuning "
        "and the last fit to the whole train part, on one core.",
        ("C", "threshold", "validation", "per label", "F1", "seconds"),
        "",
        baseline_rows,
        one_table=True,
    ),
}
