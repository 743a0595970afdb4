"""Damaged model files of every model, inference and decision, most of them with correct checksums."""

from __future__ import annotations

import contextlib
import io
import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import orjson
import scipy.sparse as sp
from numpy.typing import NDArray

from fuzz.workers import Case
from setwise import SetClassifier, load
from setwise.cli.features import encode_documents
from setwise.cli.inspect import inspect
from setwise.cli.predictions import Predictions
from setwise.data import Document, TextDocument, VectorDocument
from setwise.exceptions import Incompatible, InvalidData
from setwise.posterior import lacking
from tests.persistence.damage import damaged
from tests.persistence.small import INFERENCES, TEXTS, trained, trained_on_text, tuned

MODEL_FILE = "model.setwise"
ROUNDING = 1e-9  # tolerance beyond [0, 1] for sums of probabilities
MAX_MESSAGE = 800  # characters


@dataclass
class ModelCases:
    """Damaged model files by number, for one seed; ``folder`` contains the undamaged files."""

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
                    trained(model, inference, decision).save(self.folder / f"{model} {inference} {decision}")
        trained_on_text().save(self.folder / "text")
        tuned().save(self.folder / "tuned")

    def load(self) -> None:
        """Find the undamaged files."""
        self._originals = sorted(self.folder.iterdir())

    def make(self, number: int) -> Case:
        """Damage one of the files one to three times."""
        source = random.Random(f"models {self.seed} {number}")
        original = source.choice(self._originals)
        times = source.choice((1, 1, 1, 2, 3))
        changes, content = damaged(original, source, repaired=source.random() < 0.8, times=times)
        return Case(f"{original.name}, {changes}", {MODEL_FILE: content})

    @staticmethod
    def check(path: Path) -> str:
        """Load a file, inspect it and predict with it, as the command line does."""
        try:
            classifier = load(path)
        except InvalidData as error:
            _check_message(str(error))
            return "refused"
        _inspect(path)
        try:
            _predict(classifier)
        except (InvalidData, Incompatible) as error:
            _check_message(str(error))
            return "refused at prediction"
        return "used"


def _check_message(message: str) -> None:
    """Fail unless an error message is printable and of bounded length."""
    assert message.isprintable(), f"message not printable: {message!r:.200}"
    assert len(message) < MAX_MESSAGE, f"message too long: {message:.200}"


def _inspect(path: Path) -> None:
    """Run ``setwise inspect`` with its output encoded as UTF-8."""
    for as_json in (False, True):
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            inspect(str(path), n_features=5, show=20, as_json=as_json)


def _predict(classifier: SetClassifier) -> None:
    """Predict three documents as ``setwise predict --top 3 --marginals 0`` does; fail on an invalid probability."""
    documents = _documents(classifier)
    encoded = encode_documents(documents, classifier.vectorizer_, classifier.n_features_in_, "documents")
    X, numbered = encoded.X, list(enumerate(documents, start=1))
    classifier.predict(X)
    value = classifier.predict_with_value(X).value
    by_mode = classifier.recipe_.inference == "mode"
    _check_probabilities("expected F1", value[~np.isnan(value)] if by_mode else value)
    if not by_mode:
        _check_probabilities("predict_proba", classifier.predict_proba(X))
    has_sets = not lacking(classifier.model_, "log_prob")
    if has_sets:
        sets = classifier.predict_sets(X, top=3)
        _check_probabilities("predict_sets", np.array([each.probability for ranked in sets for each in ranked]))
    top, min_probability = 3 if has_sets else 0, None if by_mode else 0.0
    for row in Predictions.compute(classifier, numbered, encoded, top, min_probability).rows():
        orjson.dumps(row)


def _documents(classifier: SetClassifier) -> list[Document]:
    """Return three documents of the kind that the model was trained on."""
    if classifier.vectorizer_ is not None:
        return [TextDocument(text) for text in TEXTS[:3]]
    last = classifier.n_features_in_ - 1
    spread = np.linspace(0, last, 6).astype(np.int64)
    X = sp.csr_array((np.linspace(-2, 2, 6), (np.arange(6) % 3, spread)), shape=(3, last + 1), dtype=np.float32)
    return [_vector(X, row) for row in range(3)]


def _vector(X: sp.csr_array, row: int) -> VectorDocument:
    """Return one row as a document."""
    entries = slice(X.indptr[row], X.indptr[row + 1])
    return VectorDocument(X.indices[entries], X.data[entries])


def _check_probabilities(name: str, values: NDArray[np.float64]) -> None:
    """Fail where a value lies outside [0, 1] or is NaN."""
    invalid = values[~((values >= -ROUNDING) & (values <= 1.0 + ROUNDING))]  # NaN fails both comparisons
    assert invalid.size == 0, f"{name} must lie in [0, 1]; got {invalid.ravel()[:3]}"
