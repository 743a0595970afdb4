"""The sections of the page on the default."""

from __future__ import annotations

from functools import partial

from benchmarks.default.rows import default_rows, rival_rows, thorough_rows
from benchmarks.default.sklearn_baseline import BASELINE, RIVAL
from benchmarks.harness.benchmark import Section

TUNED_COLUMNS = ("C", "threshold", "validation", "per label", "F1", "cpu", "seconds")

SECTIONS = {
    "default": Section(
        "The default compared with the rival and the baseline",
        "Instance F1 in percent on the test part. *Gain* is the default's F1 minus the rival's; *low* and *high* bound "
        "its 95 % interval, by a paired bootstrap over test documents with 10,000 resamples. The gain is significant "
        "where the interval does not contain zero. *Over baseline* is the gain over the baseline; its interval is in "
        "the note. *Seconds* is the whole call of `SetClassifier().fit(X, y)` on one core, tuning included; *cpu* is "
        "its processor time, which depends less on what else the machine does. The note has the model that was chosen, "
        "and for every stage of the choice the F1 on held-out documents and the seconds it took.",
        ("F1", "rival", "gain", "low", "high", "baseline", "over baseline", "cpu", "seconds"),
        "at or above the rival",
        default_rows,
        one_table=True,
    ),
    "thorough": Section(
        "The thorough budget",
        'Instance F1 in percent of `SetClassifier(budget="thorough")` on the test part, and on the held-out documents '
        "that everything was chosen on (*validation*). *Goal* is the test F1 that was to be reached. A training that "
        "was interrupted goes on from its checkpoint, and its row then has the time of the last run.",
        ("F1", "goal", "validation", "cpu", "seconds"),
        "at or above the goal",
        thorough_rows,
        one_table=True,
    ),
    "rival": Section(
        "The rival",
        "All that the baseline tries, and more: linear support vector machines (`LinearSVC`, squared hinge loss), and, "
        "of texts, pairs of words beside words (`ngram_range=(1, 2)`). Every combination of features, loss and penalty "
        "starts with the baseline's values of C; then the neighbors of the best of all are added. *Threshold* is one "
        "of the probability, or of 1 / (1 + exp(-margin)) with the squared hinge loss.",
        TUNED_COLUMNS,
        "",
        partial(rival_rows, RIVAL),
        one_table=True,
    ),
    "baseline": Section(
        "The baseline",
        "One logistic regression per label by scikit-learn's LIBLINEAR. Texts become features by "
        "`TfidfVectorizer(sublinear_tf=True, min_df=2)`, which is fitted to the documents that the regressions are "
        "fitted to. A fifth of the train part is held out for tuning, the same as in setwise. C, penalty, threshold, "
        "and whether every document gets at least one label, are those of the best instance F1 there (*validation*). "
        "C goes from 0.03 to 100, two values per decade, for each penalty, but not on where two values in a row are "
        "worse than a smaller one; then the neighbors of the best, four per decade, are added until all of them have "
        "been tried. A fit ends after 1,000 iterations, converged or not. A single threshold is optimised exactly. One "
        "threshold per label is used where it is better: *per label* is the best cross-validated F1 of such thresholds "
        "on the held-out documents. *Seconds* is tuning and the last fit to the whole train part, on one core; *cpu* "
        "is their processor time.",
        TUNED_COLUMNS,
        "",
        partial(rival_rows, BASELINE),
        one_table=True,
    ),
}
