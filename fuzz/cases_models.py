"""Damaged model files: every model, inference and decision, most of them with all checksums made right again."""

from __future__ import annotations

import contextlib
import io
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import scipy.sparse as sp

from fuzz.workers import Case
from setwise.cli.features import rows_of
from setwise.cli.inspect import inspect
from setwise.cli.predictions import Predicted
from setwise.data import Document, TextDocument, VectorDocument
from setwise.exceptions import Incompatible, InvalidData
from setwise.persistence import Saved, load, save
from tests.persistence.damage import damaged
from tests.persistence.small import INFERENCES, TEXTS, trained, trained_on_text, tuned

NAME = "model.setwise"

ROUNDING = 1e-9
"""How far beyond 0 or 1 a sum of probabilities may be by rounding."""

LONGEST_MESSAGE = 800


@dataclass
class ModelCases:
    """Cases by number, for one seed; ``folder`` has the undamaged files."""

    seed: int
    folder: Path
    _originals: list[Path] = field(default_factory=list)

    def prepare(self) -> None:
        """Train and save the undamaged models."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for model, inferences in INFERENCES.items():
            for inference in inferences:
                decisions = ("most_probable",) if inference == "mode" else ("gfm", "threshold")
                for decision in (*decisions, *(("most_probable",) if inference == "support" else ())):
                    save(self.folder / f"{model} {inference} {decision}", trained(model, inference, decision))
        save(self.folder / "text", *trained_on_text())
        save(self.folder / "tuned", tuned())

    def load(self) -> None:
        """Find the undamaged files."""
        self._originals = sorted(self.folder.iterdir())

    def make(self, number: int) -> Case:
        """Damage one of the files, one to three times."""
        source = random.Random(f"models {self.seed} {number}")
        original = source.choice(self._originals)
        times = source.choice((1, 1, 1, 2, 3))
        done, content = damaged(original, source, repaired=source.random() < 0.8, times=times)
        return Case(f"{original.name}, {done}", {NAME: content})

    @staticmethod
    def check(path: Path) -> str:
        """Load a file and ask all that the command line asks of it."""
        try:
            saved = load(path)
        except InvalidData as refusal:
            _check_message(str(refusal))
            return "refused"
        _inspect(path)
        try:
            _predict(saved)
        except (InvalidData, Incompatible) as refusal:
            _check_message(str(refusal))
            return "refused at prediction"
        return "used"


def _check_message(message: str) -> None:
    assert message.isprintable(), f"not printable: {message!r:.200}"
    assert len(message) < LONGEST_MESSAGE, f"too long: {message:.200}"


def _inspect(path: Path) -> None:
    """Print what ``setwise inspect`` prints to a terminal that takes UTF-8."""
    for as_json in (False, True):
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            inspect(str(path), words=5, labels=20, as_json=as_json)


def _predict(saved: Saved) -> None:
    """Predict three documents as ``setwise predict --top 3 --marginals 0`` does; all must be probabilities."""
    classifier, documents = saved.classifier, _documents(saved)
    rows = rows_of(documents, saved.text, classifier.n_features_in_, "documents")
    X, numbered = rows.X, list(enumerate(documents, start=1))
    classifier.predict(X)
    decided = classifier.decide(X)
    by_mode = classifier.recipe_.inference == "mode"
    _check_probabilities("expected F1", decided.value[~np.isnan(decided.value)] if by_mode else decided.value)
    if not by_mode:
        _check_probabilities("predict_proba", classifier.predict_proba(X))
    has_sets = callable(getattr(classifier.model_, "log_prob", None))
    if has_sets:
        sets = classifier.predict_sets(X, top=3)
        _check_probabilities("predict_sets", np.array([one.probability for found in sets for one in found]))
    predicted = Predicted.by(classifier, numbered, rows, 3 if has_sets else 0, None if by_mode else 0.0)
    for row in predicted.rows():
        orjson.dumps(row)


def _documents(saved: Saved) -> list[Document]:
    if saved.text is not None:
        return [TextDocument(text) for text in TEXTS[:3]]
    last = saved.classifier.n_features_in_ - 1
    spread = np.linspace(0, last, 6).astype(np.int64)
    X = sp.csr_array((np.linspace(-2, 2, 6), (np.arange(6) % 3, spread)), shape=(3, last + 1), dtype=np.float32)
    return [_vector(X, row) for row in range(3)]


def _vector(X: sp.csr_array, row: int) -> VectorDocument:
    entries = slice(X.indptr[row], X.indptr[row + 1])
    return VectorDocument(X.indices[entries], X.data[entries])


def _check_probabilities(name: str, values: Any) -> None:
    wrong = values[~((values >= -ROUNDING) & (values <= 1.0 + ROUNDING))]  # NaN fails both
    assert wrong.size == 0, f"{name} must lie in [0, 1]; got {wrong.ravel()[:3]}"
