"""The sections of the page on confidence."""

from __future__ import annotations

from benchmarks.confidence.rows import (
    FOREIGN,
    LEVEL,
    MAX_ERROR,
    MAX_GAP,
    MAX_SECONDS,
    automation_rows,
    calibration_rows,
    explanation_rows,
    shift_rows,
)
from benchmarks.harness.benchmark import Section

SECTIONS = {
    "calibration": Section(
        "Calibration",
        "*Right* is the share of predicted sets that are exactly right, in percent, *confidence* the mean of what "
        "is said about it, *error* the expected calibration error of that (ten groups of equal mass), and *Brier* "
        "its mean squared distance from the outcomes. *By chance* is the error that these numbers would have, on "
        "average over so many documents, if each were exactly the chance of being right. *F1*, *expected F1* and "
        "*F1 error* are the same for the F1 of each set. The rows *as stated* have what the recipe itself states, "
        "which chose the sets. *new_sets* is generated: a quarter of its test sets are unseen in training. At the "
        "end of the test part of tmc2007_500, six in ten documents are copies of training documents with other "
        "labels; a row without that end is shown too. *Other splits* are random ones of all documents, into parts of "
        "the same sizes: the setting that was chosen is trained on the first part of each, and the test parts of all "
        "are counted together. Of *new_sets*, the mean expected F1 alone has a goal.",
        ("right", "confidence", "error", "by chance", "Brier", "F1", "expected F1", "F1 error"),
        f"both errors at most {MAX_ERROR:g}, Brier score below the stated one, expected F1 within {MAX_GAP:g} points",
        calibration_rows,
        one_table=True,
    ),
    "automation": Section(
        "Automation",
        "The test documents are split in two halves 200 times. One half finds the lowest threshold of the confidence "
        "for a target accuracy: *with a margin*, where a lower confidence bound meets it (`setwise automate`), and *as "
        "seen*, where the accuracy itself does. *Kept* is the percentage of splits in which the documents that are "
        "accepted in the other half reach the target there, or none is accepted; *accepted* is their mean share of "
        "all documents, in percent.",
        ("target", "kept", "accepted"),
        f"kept in at least {100 * LEVEL:.0f} %",
        automation_rows,
        one_table=True,
    ),
    "shift": Section(
        "Texts from elsewhere",
        f"The classifier is asked about its own test texts, and about those of {FOREIGN}, medical reports in Spanish. "
        "*Coverage* is the mean share of the words that the vocabulary contains, *confidence* the mean probability "
        "that a set is exactly right, and *most confident* the highest; all in percent.",
        ("coverage", "confidence", "expected F1", "most confident"),
        "less than half of the coverage and of the confidence",
        shift_rows,
    ),
    "explanations": Section(
        "Explanations",
        "Seconds of `classifier.explain(texts)` on one core: the words of each label and the rival sets; and the "
        "same with what each word of the text changes, which takes one prediction per word, for a tenth of the texts.",
        ("texts", "seconds"),
        f"within {MAX_SECONDS:g} seconds",
        explanation_rows,
    ),
}
