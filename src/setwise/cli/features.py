"""Documents, texts or vectors, as the feature matrix that a classifier takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.data import Dataset, Document, TextDocument, VectorDocument, feature_matrix
from setwise.exceptions import Incompatible, InvalidData
from setwise.text import TextVectorizer
from setwise.tuning import default_validation

__all__ = ["EncodedDocuments", "TrainingFeatures", "encode_documents"]


@dataclass(frozen=True, eq=False)
class TrainingFeatures:
    """Feature matrix of the training documents, which also encodes further documents."""

    X: Any
    vectorizer: TextVectorizer | None
    """Fitted on the training texts; None if the documents are vectors."""
    feature_names: tuple[str, ...] | None
    """Names of the features of vectors, if the file has them."""

    @classmethod
    def fit(
        cls, dataset: Dataset, vectorizer: TextVectorizer, file: str, *, holds_out: bool = True
    ) -> TrainingFeatures:
        """Fit the vectorizer to the texts of ``dataset``, or take its vectors unchanged.

        With ``holds_out``, there must be enough documents to hold some out for tuning.
        """
        _check_trainable(dataset, file, holds_out)
        if isinstance(dataset.X, list):
            return cls(vectorizer.fit_transform(dataset.X), vectorizer, None)
        return cls(dataset.X, None, dataset.names.features)

    @property
    def n_vector_features(self) -> int | None:
        """Number of features of vectors; None if the documents are texts."""
        return None if self.vectorizer is not None else int(self.X.shape[1])

    def transform(self, documents: Any) -> Any:
        """Return the feature matrix of further documents of the same kind, texts or vectors."""
        if isinstance(documents, list) != (self.vectorizer is not None):
            raise Incompatible("Files of texts and files of vectors cannot be mixed. Use files of one kind.")
        return documents if self.vectorizer is None else self.vectorizer.transform(documents)


def _check_trainable(dataset: Dataset, file: str, holds_out: bool) -> None:
    """Raise ``InvalidData`` unless the dataset has labels, features and enough documents."""
    labels = dataset.y or []
    least = default_validation(len(labels)).n_folds or 2
    if holds_out and len(labels) < least:
        raise InvalidData(f"At least {least} documents are needed to train on; {file} provides {len(labels)}.")
    if not any(labels):
        raise InvalidData(f"No document of {file} has a label. Name the field of the labels with --labels.")
    if not isinstance(dataset.X, list) and not dataset.X.shape[1]:
        raise InvalidData(f"No document of {file} has a feature.")


@dataclass(frozen=True, eq=False)
class EncodedDocuments:
    """Feature matrix of a batch of documents."""

    X: Any
    coverage: NDArray[np.float64] | None
    """Share of each text's words that the vocabulary contains; None for vectors."""


def encode_documents(
    documents: Sequence[Document], vectorizer: TextVectorizer | None, n_features: int, file: str
) -> EncodedDocuments:
    """Return the feature matrix of documents for a model trained on texts, or on vectors if ``vectorizer`` is None."""
    texts = [document.text for document in documents if isinstance(document, TextDocument)]
    if (vectorizer is not None) != bool(texts):
        actual, expected = ("texts", "vectors") if texts else ("vectors", "texts")
        raise Incompatible(f"{file} contains {actual}, but the model was trained on {expected}.")
    if vectorizer is not None:
        return EncodedDocuments(*vectorizer.transform_with_coverage(texts))
    vectors = [document for document in documents if isinstance(document, VectorDocument)]
    return EncodedDocuments(feature_matrix(vectors, n_features), None)
