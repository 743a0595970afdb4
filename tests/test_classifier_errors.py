"""Parameters, combinations and data that the classifier refuses, each in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from setwise import SetClassifier
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.labels import SetCalibration
from tests.test_classifier import BR, NEW, X, plain, y

CV = "cv must be None, a number above 0 and below 1 or an integer of at least 2; got "


class TestErrors:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                {"model": "svm"},
                "model must be one of 'auto', 'br', 'pcc', 'crf', 'cbm', 'lsf', 'fgfm', 'lsr', 'powerset', "
                "'rakel', 'cost_sensitive', 'mlp', 'spen' or a model; got 'svm'.",
            ),
            (
                {"inference": "maximum"},
                "inference must be one of 'tuned', 'support', 'exact', 'sampled', 'mode', 'blend'; got 'maximum'.",
            ),
            (
                {"decision": "gmf"},
                "decision must be one of 'tuned', 'gfm', 'most_probable', 'threshold', 'expected_jaccard'; got 'gmf'.",
            ),
            (
                {"calibration": "platt"},
                "calibration must be None, one of 'tuned', 'likelihood', 'f1' or a SetCalibration; got 'platt'.",
            ),
            (
                {"calibration": 0.5},
                "calibration must be None, one of 'tuned', 'likelihood', 'f1' or a SetCalibration; got 0.5.",
            ),
            (
                {"threshold": "best"},
                "threshold must be a number between 0 and 1 or one of 'tuned', 'tuned per label'; got 'best'.",
            ),
            (
                {"threshold": 1.5},
                "threshold must be a number between 0 and 1 or one of 'tuned', 'tuned per label'; got 1.5.",
            ),
            (
                {"threshold": np.nan},
                "threshold must be a number between 0 and 1 or one of 'tuned', 'tuned per label'; got nan.",
            ),
            (
                {"threshold": [0.5]},
                "threshold must be a number between 0 and 1 or one of 'tuned', 'tuned per label'; got [0.5].",
            ),
            ({"blend": -0.1}, "blend must be a number between 0 and 1 or 'tuned'; got -0.1."),
            ({"blend": "half"}, "blend must be a number between 0 and 1 or 'tuned'; got 'half'."),
            ({"cv": 0.0}, CV + "0.0."),
            ({"cv": 1}, CV + "1."),
            ({"cv": True}, CV + "True."),
            ({"budget": "huge"}, "budget must be one of 'quick', 'normal', 'thorough'; got 'huge'."),
            (
                {"scoring": "auc"},
                "scoring must be one of 'instance_f1', 'set_accuracy', 'micro_f1', 'macro_f1', "
                "'hamming_loss', 'instance_precision', 'instance_recall'; got 'auc'.",
            ),
            ({"beta": 0.0}, "beta must be a number above 0 and at most 1e+100; got 0.0."),
            ({"min_count": 0}, "min_count must be an integer of at least 1; got 0."),
            ({"n_samples": 1.5}, "n_samples must be an integer of at least 1; got 1.5."),
            (
                {"random_state": -1},
                "random_state must be None, an integer between 0 and 2^64 - 1 or a numpy Generator or RandomState; "
                "got -1.",
            ),
            (
                {"n_jobs": 0},
                "n_jobs must be None or an integer other than 0; got 0. "
                "Hint: None and -1 use every core, -2 all but one.",
            ),
            (
                {"vectorizer": "tfidf"},
                "vectorizer must be None, a transformer of texts such as TextVectorizer() or a list of transformers of "
                "texts; got 'tfidf'.",
            ),
            ({"refit": False, "cv": 3}, "cv must be a share between 0 and 1 where refit=False; got 3 folds."),
            ({"min_count": 1000}, None),
        ],
        ids=str,
    )
    def test_bad_parameters_in_one_sentence(self, change: dict[str, Any], message: str | None) -> None:
        with pytest.raises(InvalidParameter) as refusal:
            plain(**change).fit(X, y)
        assert message is None or str(refusal.value) == message
        assert str(refusal.value).partition(" Hint: ")[0].count(". ") == 0

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                {"inference": "mode", "decision": "gfm"},
                "decision='gfm' cannot be combined with inference='mode'. Hint: ",
            ),
            (
                {"inference": "mode", "decision": "threshold"},
                "decision='threshold' cannot be combined with inference='mode'.",
            ),
            (
                {"inference": "exact", "decision": "most_probable"},
                "decision='most_probable' cannot be combined with inference='exact'. Hint: ",
            ),
            ({"model": "lsf"}, "inference='support' needs LabelSizeFactors to have `log_prob`. Hint: "),
            (
                {"model": "pcc", "inference": "exact"},
                "inference='exact' needs ClassifierChain to have `size_marginals`. Hint: Use support or sampled",
            ),
            (
                {"model": "crf", "inference": "sampled"},
                "inference='sampled' needs PairwiseCRF to have `sample`. Hint: CRF knows only training sets",
            ),
            ({"model": "lsf", "inference": "blend"}, "inference='blend' needs LabelSizeFactors to have `log_prob`."),
            (
                {"model": "crf", "inference": "exact", "calibration": "likelihood"},
                "inference='exact' needs PairwiseCRF to have `rescaled`.",
            ),
            (
                {"model": "crf", "inference": "blend", "calibration": SetCalibration(0.5)},
                "inference='blend' needs PairwiseCRF to have `rescaled`. Hint: BR, CBM and MLP have it",
            ),
            (
                {"model": "lsf", "inference": "exact", "calibration": "f1"},
                "inference='exact' needs LabelSizeFactors to have `rescaled`.",
            ),
            (
                {"inference": "sampled", "calibration": "f1"},
                "calibration='f1' has no effect on inference='sampled'. Hint: calibrate 'support', ",
            ),
            (
                {"inference": "mode", "decision": "most_probable", "calibration": "likelihood"},
                "calibration='likelihood' has no effect on inference='mode'. Hint: calibrate 'support', ",
            ),
        ],
        ids=str,
    )
    def test_parts_that_do_not_go_together(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(Incompatible) as refusal:
            plain(**change).fit(X, y)
        assert str(refusal.value).startswith(message)

    def test_a_mode_has_no_probabilities(self) -> None:
        fitted = plain(BR, "mode", "most_probable").fit(X, y)
        with pytest.raises(Incompatible, match=r"^inference='mode' has no label probabilities\. Hint:"):
            fitted.predict_proba(NEW)
        with pytest.raises(Incompatible, match=r"^inference='mode' has no probabilities to expect an F1 from\. Hint:"):
            fitted.expected_f1(NEW)

    def test_labels_that_are_missing_or_too_few(self) -> None:
        with pytest.raises(InvalidData, match="requires y to be passed, but the target y is None"):
            SetClassifier().fit(X, None)
        with pytest.raises(InvalidData, match="X has 80 rows but y has 79"):
            SetClassifier().fit(X, y[:-1])
        with pytest.raises(ValueError, match="NaN"):
            SetClassifier().fit(np.full((2, 2), np.nan), [[1], [0]])
