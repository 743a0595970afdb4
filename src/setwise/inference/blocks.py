"""Documents in blocks, so that what is known of them never fills the memory, however many they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import scipy.sparse as sp

__all__ = ["BLOCK_BYTES", "document_blocks", "documents_that_fit"]

BLOCK_BYTES = 16_000_000
"""What a block of documents may hold at one time: small enough for a cache to help, large enough to be few."""

_DOUBLE = 8


def documents_that_fit(doubles_a_document: int) -> int:
    """How many documents a block takes, when each needs so many numbers; at least one."""
    return max(1, BLOCK_BYTES // (_DOUBLE * max(1, doubles_a_document)))


def document_blocks(X: Any, n: int) -> Iterator[Any]:
    """Give the rows of X, ``n`` at a time."""
    rows = X.tocsr() if sp.issparse(X) else X
    for start in range(0, rows.shape[0], n):
        yield rows[start : start + n]
