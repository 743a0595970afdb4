"""A corpus, counted as in the paper's Table 1."""

from __future__ import annotations

from setwise.experiments.documents import Documents
from setwise.experiments.rows import Corpus

__all__ = ["corpus_row"]


def corpus_row(documents: Documents) -> Corpus:
    """Count labels, sets, features and documents."""
    Y, (_, Y_test) = documents.Y, documents.test
    n_documents = Y.n_samples + Y_test.n_samples
    known = set(map(tuple, Y.name_lists()))
    return Corpus(
        documents.corpus.name,
        labels=Y.n_labels,
        label_sets=len(known),
        features=documents.train.X.shape[1],
        instances=n_documents,
        cardinality=(Y.indicator.nnz + Y_test.indicator.nnz) / n_documents,
        instances_per_label=Y.indicator.nnz / Y.n_labels,
        n_train=Y.n_samples,
        n_test=Y_test.n_samples,
        unseen=sum(tuple(one) not in known for one in Y_test.name_lists()),
    )
