"""The sections of the tuning page."""

from __future__ import annotations

from functools import partial

from benchmarks.harness.benchmark import Section
from benchmarks.tuning.rows import MAX_FITS, MIN_F1, grid_rows, model_rows

TEXTS = {
    "br": "Strength and L1 ratio are tuned for support inference with GFM, the paper's recipe. enron_raw and "
    "reuters21578 are word counts, weighted by TF-IDF.",
    "pcc": "As for BR. Labels are in the order of their frequency.",
    "crf": "Elastic net and pure L2, with early stopping.",
    "cbm": "L1 for the experts, L2 for the gate, tempered and plain EM, with early stopping.",
    "lsf": "As for BR, but with LSF's own marginals of labels and sizes, because it has no joint probability.",
}

SECTIONS = {
    "grid": Section(
        "Cost of a grid",
        "One thread, one core. LIBLINEAR fits all labels once, at C = 1, on the documents that are not held out. "
        "setwise trains BR on them, and validates settings by support inference and GFM: *as tuning searches it*, "
        "where a path of strengths ends once weaker ones are clearly worse, and L1 ratios once smaller ones are; and "
        "*every setting*. *Fits* is seconds divided by those of LIBLINEAR, which would need one fit per setting and "
        "has no elastic net, *settings* is how many were trained, and *validation* is that of the best one.",
        ("seconds", "fits", "settings", "validation"),
        f"at most {MAX_FITS:g} fits",
        grid_rows,
    ),
    **{
        name: Section(
            f"Tuned: {name.upper()}",
            TEXTS[name],
            ("validation", "F1", "goal", "calibrated", "seconds"),
            "at or above the goal",
            partial(model_rows, name),
            one_table=True,
        )
        for name in MIN_F1
    },
}
