"""The sections of the tuning benchmark."""

from __future__ import annotations

from functools import partial

from benchmarks.benchmark import Section
from benchmarks.tuning_rows import LEAST_F1, grid_rows, model_rows

TEXTS = {
    "br": "Strength and ratio are tuned for support inference with GFM as the paper has them. enron_raw and "
    "reuters21578 are counts of words, here weighed by TF-IDF.",
    "pcc": "As BR, with labels in the order of their frequency.",
    "crf": "Elastic net and squares, stopped early.",
    "cbm": "L1 for the experts, squares for the gate, softened and plain EM, stopped early.",
    "lsf": "As BR, but asked for its own marginals of labels and sizes, for it has no joint.",
}

SECTIONS = {
    "grid": Section(
        "Cost of a grid",
        "One thread, one core. LIBLINEAR fits all labels once, at C = 1, on the documents that are not held out; "
        "setwise trains the whole grid on them and validates every cell by support inference and GFM. Fits: seconds by "
        "those of LIBLINEAR, which would need one for every cell, and has no elastic net.",
        ("seconds", "fits", "cells"),
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
            together=True,
        )
        for name in LEAST_F1
    },
}
