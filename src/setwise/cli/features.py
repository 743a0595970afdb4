"""Documents as the rows that a classifier reads, whether they came as texts or as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.data import Dataset, Document, TextDocument, VectorDocument, feature_matrix
from setwise.exceptions import Incompatible, InvalidData
from setwise.text import TextVectorizer
from setwise.tuning.autotune import usual_validation

__all__ = ["Features", "Rows", "rows_of"]


@dataclass(frozen=True, eq=False)
class Features:
    """The rows of the training documents, and how other documents become rows of the same width."""

    X: Any
    text: TextVectorizer | None
    """None where documents come as vectors."""
    names: tuple[str, ...] | None
    """Of the features of vectors, where the file tells them."""

    @classmethod
    def learnt(cls, dataset: Dataset, words: TextVectorizer, file: str, *, holds_out: bool = True) -> Features:
        """Learn the words of texts, or take vectors as they are, where ``file`` has enough to train on.

        ``holds_out`` says that some of the documents are held out to tune on.
        """
        _check_trainable(dataset, file, holds_out)
        if isinstance(dataset.X, list):
            return cls(words.fit_transform(dataset.X), words, None)
        return cls(dataset.X, None, dataset.names.features)

    @property
    def width_of_vectors(self) -> int | None:
        """How wide vectors are; None for texts."""
        return None if self.text is not None else int(self.X.shape[1])

    def of(self, given: Any) -> Any:
        """Give the rows of other documents of the same kind."""
        if isinstance(given, list) != (self.text is not None):
            raise Incompatible("All files must hold documents of one kind; got texts and vectors.")
        return given if self.text is None else self.text.transform(given)


def _check_trainable(dataset: Dataset, file: str, holds_out: bool) -> None:
    labels = dataset.y or []
    least = usual_validation(len(labels)).n_folds or 2
    if holds_out and len(labels) < least:
        raise InvalidData(f"{file} must give at least {least} documents to train on; it gives {len(labels)}.")
    if not any(labels):
        raise InvalidData(
            f"{file} must have labels to train on; no document has any. Hint: --labels names the field of labels."
        )
    if not isinstance(dataset.X, list) and not dataset.X.shape[1]:
        raise InvalidData(f"{file} must have features to train on; no document has any.")


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents as a model reads them."""

    X: Any
    coverage: NDArray[np.float64] | None
    """The share of each text's words that the model knows; None for vectors."""


def rows_of(documents: Sequence[Document], text: TextVectorizer | None, n_features: int, file: str) -> Rows:
    """Return the rows of some documents for a model that was trained on texts, or on vectors."""
    texts = [document.text for document in documents if isinstance(document, TextDocument)]
    if (text is not None) != bool(texts):
        has, wants = ("texts", "vectors") if texts else ("vectors", "texts")
        raise Incompatible(f"{file} must hold {wants}, which the model was trained on; it holds {has}.")
    if text is not None:
        return Rows(*text.transform_with_coverage(texts))
    return Rows(feature_matrix([one for one in documents if isinstance(one, VectorDocument)], n_features), None)
