"""A whole file of the LIBSVM multi-label format as two matrices, labels counted from 0 and features from 1."""

from __future__ import annotations

from functools import cache
from itertools import chain
from os import PathLike

import numpy as np
import scipy.sparse as sp

from setwise.data.feature_matrix import stacked
from setwise.data.formats.errors import Problems
from setwise.data.formats.libsvm import label_number
from setwise.data.formats.libsvm_lines import LineParser, blocks
from setwise.data.formats.options import DEFAULT_LARGEST_INDEX
from setwise.data.formats.streams import Lines, open_source
from setwise.exceptions import InvalidData
from setwise.labels.matrix import csr_of_ones

__all__ = ["read_libsvm"]


def read_libsvm(
    path: str | PathLike[str],
    n_features: int | None = None,
    n_labels: int | None = None,
    *,
    largest_index: int = DEFAULT_LARGEST_INDEX,
) -> tuple[sp.csr_array, sp.csr_array]:
    """Read documents as (X, y): float32 features and 0/1 labels, both CSR, columns sorted.

    ``n_features`` and ``n_labels`` fix the widths; without them they are the largest that occur, and none may be larger
    than ``largest_index``.
    """
    parser = LineParser(
        cache(lambda token: label_number(token, n_labels=n_labels, largest=largest_index)), n_features, largest_index
    )
    with open_source(path) as source:
        parts = list(blocks(Lines(source), parser, Problems(source.name)))
        if not parts:
            raise InvalidData(f"{source.name} must hold at least one document; it is empty.")
    X = stacked(
        [part.columns for part in parts],
        [part.values for part in parts],
        np.concatenate([np.diff(part.starts) for part in parts]),
        n_features,
    )
    labels = [sorted(numbers) for part in parts for numbers in part.labels]
    width = 1 + max(chain.from_iterable(labels), default=-1) if n_labels is None else n_labels
    return X, csr_of_ones(list(chain.from_iterable(labels)), [*map(len, labels)], width)
