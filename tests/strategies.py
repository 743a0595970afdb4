"""Hypothesis strategies for label matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

LABEL_NAMES = st.text(min_size=1, max_size=5).filter(str.strip)  # a blank name is refused


def shapes(max_samples: int = 8, min_labels: int = 1, max_labels: int = 6) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(1, max_samples), st.integers(min_labels, max_labels))


@st.composite
def indicators(draw: st.DrawFn, max_samples: int = 8, max_labels: int = 6) -> NDArray[np.int64]:
    """Dense 0/1 matrices: empty rows, empty columns and full columns all come up."""
    return draw(hnp.arrays(np.int64, draw(shapes(max_samples, 1, max_labels)), elements=st.integers(0, 1)))


@st.composite
def indicator_pairs(
    draw: st.DrawFn, max_samples: int = 8, min_labels: int = 1, max_labels: int = 6
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two 0/1 matrices of one shape, as true and predicted labels are."""
    shape = draw(shapes(max_samples, min_labels, max_labels))
    bits = hnp.arrays(np.int64, shape, elements=st.integers(0, 1))
    return draw(bits), draw(bits)


@st.composite
def name_lists(draw: st.DrawFn, max_samples: int = 8) -> list[list[str]]:
    """Lists of label names, with repeats and empty documents, at least one name in all."""
    names = draw(st.lists(LABEL_NAMES, min_size=1, max_size=6, unique=True))
    documents = draw(st.lists(st.lists(st.sampled_from(names), max_size=8), min_size=1, max_size=max_samples))
    documents[0].append(names[0])
    return documents


@st.composite
def sparse_forms(draw: st.DrawFn, dense: NDArray[Any]) -> Any:
    """The same matrix in one of scipy's forms: any format, array or matrix, any value type, odd storage."""
    dtype = draw(st.sampled_from([np.bool_, np.int8, np.uint16, np.int64, np.float32, np.float64]))
    make = draw(st.sampled_from([sp.coo_array, sp.coo_matrix]))
    rows, columns = np.indices(dense.shape).reshape(2, -1) if draw(st.booleans()) else np.nonzero(dense)
    order = np.array(draw(st.permutations(range(len(rows)))), dtype=np.intp)  # unsorted, perhaps with stored zeros
    rows, columns = rows[order], columns[order]
    matrix = make((dense[rows, columns].astype(dtype), (rows, columns)), shape=dense.shape)
    return matrix.asformat(draw(st.sampled_from(["coo", "csr", "csc", "lil"])))
