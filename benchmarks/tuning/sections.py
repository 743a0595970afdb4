"""The sections of the tuning page."""

from __future__ import annotations

from functools import partial

from benchmarks.harness.benchmark import Section
from benchmarks.tuning.rows import MIN_F1, grid_rows, model_rows

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
        "setwise trains the whole grid on them and validates every setting by support inference and GFM. *Fits* is "
        "seconds divided by those of LIBLINEAR, which would need one fit per setting and has no elastic net.",
        ("seconds", "fits", "settings"),
        "at most 30 fits",
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
