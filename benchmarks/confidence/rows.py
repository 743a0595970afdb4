"""The rows of the comparison of confidence with outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from benchmarks.confidence import ConfidenceEffort
from benchmarks.harness.corpora import Part, Parts, read_texts
from benchmarks.harness.rows import Row
from benchmarks.harness.synthetic import SYNTHETIC
from benchmarks.harness.timing import Skipped, on_cores
from benchmarks.harness.trained import trained_default
from setwise import SetClassifier
from setwise.confidence import COLUMNS, Confidence, SetConfidence, Stated, automation_threshold, empirical_threshold
from setwise.data import random_hold_out
from setwise.labels import LabelMatrix
from setwise.metrics import Overlap, calibration_error

MAX_ERROR = 0.03
"""Largest calibration error of either number."""

MAX_GAP = 1.5
"""Largest distance of the mean expected F1 from the measured F1, in points."""

TARGETS = (0.9, 0.95)
"""Accuracies that automated documents have to reach."""

LEVEL = 0.9
"""The chance with which they have to."""

FOREIGN = "es_codiesp"
"""Texts of another language and subject."""

MAX_SECONDS = 5.0
"""Longest duration of the explanations."""

LABELED_AS_IN_TRAINING = {"tmc2007_500": 5_200}
"""Test documents, the first ones, that are labeled in the way of the training documents. After them, six in ten
documents of tmc2007_500 are copies of training documents with other labels, and hardly any has more than one."""

OTHER_SPLITS = {"es_codiesp": 10, "tmc2007_500": 3}
"""How often all documents of a corpus are split again, at random and into parts of the same sizes: what is wrong on the
test part but right there is how the corpus was split, of which no training document can tell."""

N_DRAWS = 200
"""Draws of outcomes that the confidence would be exactly true of."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Predictions of the test documents: how sure they are, how sure the recipe says they are, and how good."""

    sure: Confidence
    stated: Confidence
    f1: Array
    setting: str

    @classmethod
    def of(cls, parts: Parts, effort: ConfidenceEffort) -> Outcomes:
        """Predict the test part; the classifier is trained first where it is not stored."""
        train = parts.train().first(effort.n_documents)
        with on_cores(1):
            classifier = trained_default(parts, train, effort.models, effort.budget)
        if classifier.confidence_ is None:
            raise Skipped("too few documents were held out to learn a confidence")
        test = parts.test(train).first(effort.n_documents)
        unseen = float((classifier.support_.index_of(LabelMatrix.of(test.y)) < 0).mean())
        setting = f"{test.y.shape[0]:,} test documents, {100 * unseen:.0f} % of their sets unseen in training"
        return cls.predicted(classifier, test, setting)

    @classmethod
    def of_other_splits(cls, parts: Parts, effort: ConfidenceEffort, n_splits: int) -> Outcomes:
        """Split all documents again and again; train the setting that was chosen, and predict the rest each time."""
        train = parts.train().first(effort.n_documents)
        test = parts.test(train).first(effort.n_documents)
        with on_cores(1):
            chosen = trained_default(parts, train, effort.models, effort.budget)
        assert chosen.tuning_ is not None
        vectorizer = None if chosen.vectorizer_ is None else clone(chosen.vectorizer_)
        X, y = _stacked(train.X, test.X), _stacked(train.y, test.y)
        found = []
        for seed in range(n_splits):
            order = np.random.default_rng(seed).permutation(y.shape[0])
            first, second = order[: train.y.shape[0]], order[train.y.shape[0] :]
            classifier = SetClassifier(chosen.tuning_.model, vectorizer=vectorizer, n_jobs=1)
            with on_cores(1):
                classifier.fit(X[first], y[first])
            found.append(cls.predicted(classifier, Part(X[second], y[second]), ""))
        return cls.together(found, f"the test parts of {n_splits} other splits of all documents")

    @classmethod
    def predicted(cls, classifier: SetClassifier, test: Part, setting: str) -> Outcomes:
        """Predict documents, and compare the sets with theirs."""
        sure, stated = classifier.confidence(test.X), with_stated_confidence(classifier).confidence(test.X)
        truth = LabelMatrix.of(test.y)
        f1 = Overlap.by_document(truth, truth.with_indicator(sp.csr_array(sure.sets))).f1
        return cls(sure, stated, np.asarray(f1, dtype=np.float64), setting)

    @classmethod
    def together(cls, found: Sequence[Outcomes], setting: str) -> Outcomes:
        """Return the outcomes of several test parts one after the other."""
        sure, stated = (
            Confidence(
                sp.csr_array(sp.vstack([one.sets for one in each])),
                np.concatenate([one.probability for one in each]),
                np.concatenate([one.expected_f1 for one in each]),
            )
            for each in ([one.sure for one in found], [one.stated for one in found])
        )
        return cls(sure, stated, np.concatenate([one.f1 for one in found]), setting)

    def first(self, n: int) -> Outcomes:
        """Return the outcomes of the first documents."""
        sure, stated = (
            Confidence(one.sets[:n], one.probability[:n], one.expected_f1[:n]) for one in (self.sure, self.stated)
        )
        return Outcomes(sure, stated, self.f1[:n], f"the first {n:,} test documents, labeled as those of the training")

    @property
    def right(self) -> Array:
        """1 where the predicted set is exactly right, else 0."""
        return np.asarray(self.f1 == 1.0, dtype=np.float64)


def _stacked(first: Any, second: Any) -> Any:
    """Return the rows of two matrices, or the texts of two arrays, one after the other."""
    return sp.csr_array(sp.vstack([first, second])) if sp.issparse(first) else np.concatenate([first, second])


def with_stated_confidence(classifier: SetClassifier) -> SetClassifier:
    """Return the classifier with what its recipe states in place of what was learned from outcomes."""
    probability, expected_f1 = (Stated(COLUMNS.index(name)) for name in ("set_probability", "expected_f1"))
    stated = copy(classifier)
    stated.confidence_ = SetConfidence(probability, expected_f1, 0.0, (0.0, 0.0), 0)
    return stated


def calibration_rows(parts: Parts, effort: ConfidenceEffort) -> Iterator[Row]:
    """Compare both numbers with the outcomes on the test part."""
    found = Outcomes.of(parts, effort)
    yield calibration_row(parts, found, "confidence")
    yield calibration_row(parts, found, "as stated")
    if (n := LABELED_AS_IN_TRAINING.get(parts.name, len(found.f1))) < len(found.f1):
        yield calibration_row(parts, found.first(n), "confidence, without the end of the test part")
    if n_splits := OTHER_SPLITS.get(parts.name, 0):
        yield calibration_row(parts, Outcomes.of_other_splits(parts, effort, n_splits), "confidence, other splits")


def calibration_row(parts: Parts, found: Outcomes, entry: str) -> Row:
    """Compare the confidence, or what the recipe states, with the outcomes."""
    confidence = found.stated if entry == "as stated" else found.sure
    gap = 100 * float(confidence.expected_f1.mean() - found.f1.mean())
    values: dict[str, float | None] = {
        "right": 100 * float(found.right.mean()),
        "confidence": 100 * float(confidence.probability.mean()),
        "error": calibration_error(confidence.probability, found.right),
        "by chance": error_by_chance(confidence.probability),
        "Brier": brier(confidence.probability, found.right),
        "F1": 100 * float(found.f1.mean()),
        "expected F1": 100 * float(confidence.expected_f1.mean()),
        "F1 error": calibration_error(confidence.expected_f1, found.f1),
    }
    verdict = ""
    if entry != "as stated":
        stated_brier = brier(found.stated.probability, found.right)
        verdict = verdict_on_calibration(values, stated_brier, gap, only_gap=parts.name in SYNTHETIC)
    return Row("calibration", parts.name, found.setting, entry, values, verdict)


def error_by_chance(probability: Array) -> float:
    """Return the mean calibration error of these numbers where each is exactly the chance of being right.

    The fewer documents, the larger: outcomes of a group scatter around the best possible forecast too.
    """
    random = np.random.default_rng(0)
    draws = [random.random(probability.size) < probability for _ in range(N_DRAWS)]
    return float(np.mean([calibration_error(probability, one.astype(np.float64)) for one in draws]))


def verdict_on_calibration(
    values: dict[str, float | None], stated_brier: float, gap: float, *, only_gap: bool = False
) -> str:
    """Return whether both errors, the Brier score and the mean expected F1 are as good as they have to be."""
    error, f1_error, score = (values[name] or 0.0 for name in ("error", "F1 error", "Brier"))
    wrong = []
    if error > MAX_ERROR and not only_gap:
        wrong.append(f"error {error:.3f}")
    if f1_error > MAX_ERROR and not only_gap:
        wrong.append(f"F1 error {f1_error:.3f}")
    if score >= stated_brier and not only_gap:
        wrong.append(f"Brier score not below the stated {stated_brier:.4f}")
    if abs(gap) > MAX_GAP:
        wrong.append(f"expected F1 {gap:+.1f} off")
    return f"no: {', '.join(wrong)}" if wrong else "yes"


def brier(probability: Array, right: Array) -> float:
    """Return the mean squared distance of probabilities from outcomes."""
    return float(((probability - right) ** 2).mean())


def automation_rows(parts: Parts, effort: ConfidenceEffort) -> Iterator[Row]:
    """Split the test part many times: one half finds the threshold, the other one shows whether the target is met."""
    found = Outcomes.of(parts, effort)
    confidence, right = found.sure.probability, found.right
    for target in TARGETS:
        rules: dict[str, list[tuple[float, bool]]] = {"with a margin": [], "as seen": []}
        for seed in range(effort.n_splits):
            first, second = random_hold_out(len(right), 0.5, seed)
            margin = automation_threshold(confidence[first], right[first], target, level=LEVEL).threshold
            seen = empirical_threshold(confidence[first], right[first], target)
            for rule, threshold in zip(rules, (margin, seen), strict=True):
                rules[rule].append(kept_promise(threshold, confidence[second], right[second], target))
        for rule, splits in rules.items():
            shares, kept = zip(*splits, strict=True)
            promise = 100 * float(np.mean(kept))
            verdict = ""
            if rule == "with a margin":
                verdict = "yes" if promise >= 100 * LEVEL else f"no: in {promise:.0f} %"
            values: dict[str, float | None] = {
                "target": target,
                "kept": promise,
                "accepted": 100 * float(np.mean(shares)),
            }
            yield Row("automation", parts.name, found.setting, f"{rule}, {target:g}", values, verdict)


def kept_promise(threshold: float | None, confidence: Array, right: Array, target: float) -> tuple[float, bool]:
    """Return the share of documents that a threshold accepts, and whether enough of them are right."""
    accepted = np.zeros(len(right), dtype=bool) if threshold is None else confidence >= threshold
    return float(accepted.mean()), not accepted.any() or bool(right[accepted].mean() >= target)


def shift_rows(parts: Parts, effort: ConfidenceEffort) -> Iterator[Row]:
    """Compare texts of the test part with texts of another language and subject."""
    train = parts.train().first(effort.n_documents)
    with on_cores(1):
        classifier = trained_default(parts, train, effort.models, effort.budget)
    if classifier.confidence_ is None:
        raise Skipped("too few documents were held out to learn a confidence")
    own = [str(text) for text in parts.test(train).first(effort.n_documents).X]
    foreign = [document.text for document in read_texts(FOREIGN, "test")]
    coverage, sure = {}, {}
    for name, texts in ((parts.name, own), (FOREIGN, foreign)):
        coverage[name] = float(np.nanmean(classifier.vectorizer_.coverage(texts)))
        sure[name] = classifier.confidence(texts)
    for name, confidence in sure.items():
        values: dict[str, float | None] = {
            "coverage": 100 * coverage[name],
            "confidence": 100 * float(confidence.probability.mean()),
            "expected F1": 100 * float(confidence.expected_f1.mean()),
            "most confident": 100 * float(confidence.probability.max()),
        }
        verdict = ""
        if name == FOREIGN:
            is_low = confidence.probability.mean() < 0.5 * sure[parts.name].probability.mean()
            verdict = "yes" if is_low and coverage[name] < 0.5 * coverage[parts.name] else "no"
        yield Row("shift", parts.name, f"classifier of {parts.name}", f"texts of {name}", values, verdict)


def explanation_rows(parts: Parts, effort: ConfidenceEffort) -> Iterator[Row]:
    """Time the explanation of a batch of texts on one thread."""
    train = parts.train().first(effort.n_documents)
    with on_cores(1):
        classifier = trained_default(parts, train, effort.models, effort.budget)
        texts = [str(text) for text in parts.test(train).X[: effort.n_explained]]
        setting = f"{len(texts):,} texts, {len(classifier.classes_)} labels"
        for entry, leave_out in (("words and sets", False), ("and what each word changes", True)):
            batch: Any = texts if not leave_out else texts[: len(texts) // 10]
            seconds = min(_seconds(classifier, batch, leave_out) for _ in range(effort.n_rounds))
            values: dict[str, float | None] = {"texts": len(batch), "seconds": seconds}
            verdict = ""
            if not leave_out:
                verdict = "yes" if seconds < MAX_SECONDS else f"no: {seconds:.1f} s"
            yield Row("explanations", parts.name, setting, entry, values, verdict)


def _seconds(classifier: SetClassifier, texts: list[str], leave_out_words: bool) -> float:
    start = perf_counter()
    classifier.explain(texts, leave_out_words=leave_out_words)
    return perf_counter() - start
