"""A corpus, counted as in the paper's Table 1."""

from __future__ import annotations

from setwise.experiments.documents import Documents
from setwise.experiments.rows import Corpus

__all__ = ["corpus_row"]


def corpus_row(documents: Documents) -> Corpus:
    """Count labels, sets, features and documents."""
    y, (_, y_test) = documents.y, documents.test
    n_documents = y.n_samples + y_test.n_samples
    known = set(map(tuple, y.name_lists()))
    return Corpus(
        documents.corpus.name,
        labels=y.n_labels,
        label_sets=len(known),
        features=documents.train.X.shape[1],
        instances=n_documents,
        cardinality=(y.indicator.nnz + y_test.indicator.nnz) / n_documents,
        instances_per_label=y.indicator.nnz / y.n_labels,
        n_train=y.n_samples,
        n_test=y_test.n_samples,
        unseen=sum(tuple(one) not in known for one in y_test.name_lists()),
    )
