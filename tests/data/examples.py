"""Documents made up for tests, files of them, and forms in which they can be compared."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from setwise.data import Document, Names, ReadOptions, TextDocument, VectorDocument, open_documents, open_writer

# No half surrogates: they are not Unicode text, and a test of its own says what becomes of them.
CHARACTERS = st.characters(exclude_categories=["Cs"])
BLANKS = " \t\n\r\v\f"
# Blanks at the ends that are not ASCII's count, but a name needs something else too.
LABELS = st.text(CHARACTERS, min_size=1, max_size=6).map(lambda name: name.strip(BLANKS)).filter(str.strip)
ONE_WORD = LABELS.filter(lambda label: not set(label) & set(BLANKS))
IDS = st.none() | st.text(CHARACTERS, min_size=1, max_size=4)

TEXTS = [
    TextDocument("Rain in May", ("weather",), "a"),
    TextDocument('He said "no",\nand went; twice', ("politics", "sport"), "b"),
    TextDocument("", (), "c"),
    TextDocument("Ünïcode\twörds 語", ("größe",), "d"),
]


def vector(features: dict[int, float], labels: tuple[str, ...] | None = ()) -> VectorDocument:
    columns = sorted(features)
    return VectorDocument(
        np.array(columns, dtype=np.int32), np.array([features[c] for c in columns], dtype=np.float32), labels
    )


VECTORS = [
    vector({0: 0.5, 2: -0.2}, ("news", "sport")),
    vector({1: 1.0}, ()),
    vector({}, ("größe in cm",)),
    vector({0: 1e-30, 1: 3e30}, ("sport",)),
]
VECTOR_NAMES = Names(("news", "sport", "größe in cm"), ("ball", "it's 100 %", "vote {\\}"))


@st.composite
def text_documents(draw: st.DrawFn, labels: st.SearchStrategy[str] = LABELS) -> list[TextDocument]:
    """Documents with labels and ids for all or for none, as a table holds them."""
    with_ids, with_labels = draw(st.booleans()), draw(st.booleans())
    return draw(
        st.lists(
            st.builds(
                TextDocument,
                st.text(CHARACTERS, max_size=12),
                st.lists(labels, max_size=3, unique=True).map(tuple) if with_labels else st.none(),
                IDS.filter(bool) if with_ids else st.none(),
                st.none(),
            ),
            min_size=1,
            max_size=5,
        )
    )


@st.composite
def vector_documents(draw: st.DrawFn) -> tuple[list[VectorDocument], Names]:
    names = draw(st.lists(LABELS, min_size=2, max_size=9, unique=True))
    n_labels = draw(st.integers(1, len(names) - 1))
    labels, features = tuple(names[:n_labels]), tuple(names[n_labels:])
    values = st.floats(width=32, allow_nan=False, allow_infinity=False).filter(bool)
    documents = draw(
        st.lists(
            st.builds(
                vector,
                st.dictionaries(st.integers(0, len(features) - 1), values),
                st.sets(st.sampled_from(labels)).map(lambda chosen: tuple(n for n in labels if n in chosen)),
            ),
            min_size=1,
            max_size=5,
        )
    )
    return documents, Names(labels, features)


def plain(document: Document) -> Any:
    """A form that compares by value."""
    if isinstance(document, TextDocument):
        return document
    return document.columns.tolist(), document.values.tolist(), document.labels, document.id


def put(path: Path, content: str | bytes) -> Path:
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def read_all(path: Path | str, **options: Any) -> list[Any]:
    with open_documents(path, ReadOptions(**options)) as documents:
        return [plain(document) for document in documents]


def write_all(path: Path | str, documents: Iterable[Document], names: Names | None = None) -> None:
    with open_writer(path, names) as write:
        for document in documents:
            write(document)
