"""The sections of the tuning benchmark."""

from __future__ import annotations

from benchmarks.benchmark import Section
from benchmarks.tuning_rows import grid_rows, model_rows

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
    "models": Section(
        "Tuned models",
        "Strength, ratio and iterations are tuned for support inference with GFM as the paper has them (LSF: its own "
        "marginals with GFM), within the thorough budget. Validation: F1 on the documents held out. F1: on the test "
        "documents, and the goal that it must attain. Calibrated: the F1 of the same model with a set calibration by "
        "likelihood, found on the documents held out. enron_raw and reuters21578 are counts of words; here they are "
        "weighed by TF-IDF.",
        ("validation", "F1", "goal", "calibrated", "seconds"),
        "at or above the goal",
        model_rows,
    ),
}
