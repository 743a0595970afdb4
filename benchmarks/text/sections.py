"""The sections of the page on text."""

from __future__ import annotations

from benchmarks.harness.benchmark import Section
from benchmarks.text.rows import (
    MIN_FIT_SPEEDUP,
    MIN_RELATIVE,
    MIN_THREAD_SPEEDUP,
    MIN_TRANSFORM_SPEEDUP,
    fit_rows,
    predict_rows,
    thread_rows,
    transform_rows,
)

SECTIONS = {
    "transform": Section(
        "Texts to features",
        "`transform` of the test texts, on one thread and one core. *Cpu* is processor seconds; *speedup* is "
        "scikit-learn's seconds divided by ours. Ours with the default rule also looks for marks and for scripts "
        "without spaces.",
        ("seconds", "cpu", "speedup"),
        f"at least {MIN_TRANSFORM_SPEEDUP:g} times faster",
        transform_rows,
    ),
    "fit": Section(
        "Vocabulary and features",
        "`fit_transform` of the training texts, on one thread and one core.",
        ("seconds", "cpu", "speedup"),
        f"at least {MIN_FIT_SPEEDUP:g} times faster",
        fit_rows,
    ),
    "threads": Section(
        "Two threads",
        "Both methods with one thread and with two, by the default rule. *Cores* is processor time divided by "
        "wall-clock time; *speedup* is the seconds of one thread divided by those of two.",
        ("seconds", "cores", "speedup"),
        f"at least {MIN_THREAD_SPEEDUP:g} times faster, with the same bits",
        thread_rows,
    ),
    "predict": Section(
        "Texts to label sets",
        '`SetClassifier("br", budget="quick").predict` on the test texts, against `predict` of fastText with one '
        "classifier per label (loss ova, all labels above 0.5, all else as by default), on one thread and one core. "
        "Newlines are replaced beforehand for fastText, which does not accept them. *Relative* is our documents per "
        "second divided by fastText's. Our note has the inference and the decision that tuning chose.",
        ("seconds", "cpu", "per second", "relative"),
        f"at least {MIN_RELATIVE:g} times as fast",
        predict_rows,
    ),
}
