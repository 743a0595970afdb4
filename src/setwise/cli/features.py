"""Documents, texts or vectors, as the feature matrix that a classifier takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.data import Dataset, Document, TextDocument, VectorDocument, feature_matrix
from setwise.exceptions import Incompatible, InvalidData
from setwise.text import TextVectorizer
from setwise.tuning import default_validation

__all__ = ["EncodedDocuments", "check_trainable", "encode_documents", "texts_or_matrix"]


def check_trainable(dataset: Dataset, file: str, *, holds_out: bool = True) -> None:
    """Raise ``InvalidData`` unless the dataset has labels, features and enough documents.

    With ``holds_out``, there must be enough of them to hold some out for tuning.
    """
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
    content = texts_or_matrix(documents, vectorizer, n_features, file)
    if vectorizer is not None:
        return EncodedDocuments(*vectorizer.transform_with_coverage(content))
    return EncodedDocuments(content, None)


def texts_or_matrix(
    documents: Sequence[Document], vectorizer: TextVectorizer | None, n_features: int, file: str
) -> list[str] | sp.csr_array:
    """Return the texts of documents, or their feature matrix where the model was trained on vectors."""
    texts = [document.text for document in documents if isinstance(document, TextDocument)]
    if (vectorizer is not None) != bool(texts):
        actual, expected = ("texts", "vectors") if texts else ("vectors", "texts")
        raise Incompatible(f"{file} contains {actual}, but the model was trained on {expected}.")
    if vectorizer is not None:
        return texts
    return feature_matrix([document for document in documents if isinstance(document, VectorDocument)], n_features)
