"""The section of the page on the choice of features."""

from __future__ import annotations

from benchmarks.features.rows import MAX_LOSS, MIN_F1, feature_rows
from benchmarks.harness.benchmark import Section

SECTIONS = {
    "features": Section(
        "Feature sets",
        "Instance F1 in percent. *Validation* is that of BR with squared hinge and L1 at the best of a few strengths, "
        "by which features are chosen; *F1* is that of the tuned classifier on the test part. *Seconds* is the whole "
        "call of `fit`; that of the chosen features includes the choice.",
        ("features", "validation", "F1", "seconds"),
        f"chosen features within {MAX_LOSS:g} of the best, brighter_chn at least {MIN_F1['brighter_chn']:g}",
        feature_rows,
    )
}
