"""The sections of the benchmark of prediction."""

from __future__ import annotations

from benchmarks.benchmark import Section
from benchmarks.predict_rows import growth_rows, memory_rows, speed_rows, unseen_rows

SECTIONS = {
    "speed": Section(
        "Speed",
        "One thread, one core; from the matrix of the test documents to label sets, the whole call of `predict`. The "
        "peer is `OneVsRestClassifier(LogisticRegression()).predict_proba`, which only gives probabilities of labels, "
        "with the same weights (BR, l1_ratio 1, strength 1 / n). Ratio: its seconds by ours. The goal is 1 for support "
        "+ GFM, the aim 5; the other rows have no goal.",
        ("seconds", "ratio"),
        "as fast as scikit-learn",
        speed_rows,
    ),
    "growth": Section(
        "Growth",
        "BR with made-up weights, support + GFM, one thread, one core; documents and sets are made up too. Times: "
        "seconds by those of the first row. With 16 times as many documents, or sets, at most 16 x 1.25 = 20 times the "
        "seconds count as linear.",
        ("documents", "sets", "seconds", "times"),
        "linear",
        growth_rows,
    ),
    "memory": Section(
        "Memory",
        "BR with made-up weights, support + GFM, all documents in one call. Megabytes that a fresh process holds, "
        "before (with Python, libraries and data) and at its peak. The peak is to stay below 1,000; and four times as "
        "many documents are to need at most 10 more, beyond what was held before and the result.",
        ("data", "before", "peak", "result"),
        "within its goal",
        memory_rows,
    ),
    "unseen": Section(
        "Sets that training never saw",
        "Instance F1 in per cent on test documents whose sets nearly all are unseen. One BR (strength 3e-4, l1_ratio "
        "0.5) for all rows; what is tuned is tuned on a fifth of the training documents. Gain: beside the tuned "
        "threshold. Support inference has to fall behind here; exact marginals and the blend must not.",
        ("F1", "gain"),
        "at or above the threshold",
        unseen_rows,
    ),
}
