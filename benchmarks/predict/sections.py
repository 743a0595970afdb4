"""The sections of the prediction page."""

from __future__ import annotations

from benchmarks.harness.benchmark import Section
from benchmarks.predict.rows import exact_rows, growth_rows, memory_rows, speed_rows, unseen_rows

SECTIONS = {
    "speed": Section(
        "Speed",
        "One thread, one core; the whole call of `predict`, from the matrix of the test documents to label sets. The "
        "peer is `OneVsRestClassifier(LogisticRegression()).predict_proba`, which computes only the probabilities of "
        "single labels, with the same weights (BR, l1_ratio 1, strength 1 / n). *Speedup* is its seconds divided by "
        "ours. The goal is 1 for support + GFM, the stretch goal 5; the other rows have no goal.",
        ("seconds", "speedup"),
        "as fast as scikit-learn",
        speed_rows,
    ),
    "exact": Section(
        "Independent labels",
        "BR with synthetic weights, exact inference, one thread, one core; from the logits of the documents to label "
        "sets, without their features. The first row computes the size marginals of all labels and then GFM; the "
        "second row is what `predict` does. *Speedup* is relative to the first row. The two must predict the same "
        "sets, and the second must be at least 5 times as fast.",
        ("seconds", "speedup"),
        "goal met",
        exact_rows,
    ),
    "growth": Section(
        "Growth",
        "BR with synthetic weights on synthetic documents and sets, support + GFM, one thread, one core. *Relative* is "
        "seconds divided by those of the first row. For 16 times as many documents or sets, up to 16 x 1.25 = 20 times "
        "the seconds count as linear.",
        ("documents", "sets", "seconds", "relative"),
        "linear",
        growth_rows,
    ),
    "memory": Section(
        "Memory",
        "BR with synthetic weights, support + GFM, all documents in one call. Megabytes of a fresh process, before "
        "prediction (Python, libraries and data) and at its peak. The peak must stay below 1,000, and four times as "
        "many documents may need at most 10 more, beyond the memory before and the result.",
        ("data", "before", "peak", "result"),
        "goal met",
        memory_rows,
    ),
    "unseen": Section(
        "Unseen label sets",
        "Instance F1 in percent on test documents whose label sets are nearly all absent from training. One BR "
        "(strength 3e-4, l1_ratio 0.5) for all rows; what is tuned is tuned on a held-out fifth of the training "
        "documents. *Gain* is the difference from the tuned threshold. Support inference is expected to lose here; "
        "exact marginals and the blend must not.",
        ("F1", "gain"),
        "at or above the threshold",
        unseen_rows,
    ),
}
