"""Corpora: where they are, how to read and write them, what is in them, and how to part them."""

from setwise.data.atomic import atomic_writer
from setwise.data.catalogue import Corpus, find_corpus
from setwise.data.conversion import convert, split
from setwise.data.documents import Document, Names, TextDocument, VectorDocument
from setwise.data.feature_matrix import feature_matrix
from setwise.data.formats import FORMATS, ReadOptions, WriteOptions
from setwise.data.libsvm_matrix import read_libsvm
from setwise.data.paths import check_distinct, check_files, check_target
from setwise.data.reading import Dataset, Documents, batches, files_read, open_documents, read_dataset
from setwise.data.statistics import CorpusStatistics, statistics
from setwise.data.writing import open_writer

__all__ = [
    "FORMATS",
    "Corpus",
    "CorpusStatistics",
    "Dataset",
    "Document",
    "Documents",
    "Names",
    "ReadOptions",
    "TextDocument",
    "VectorDocument",
    "WriteOptions",
    "atomic_writer",
    "batches",
    "check_distinct",
    "check_files",
    "check_target",
    "convert",
    "feature_matrix",
    "files_read",
    "find_corpus",
    "open_documents",
    "open_writer",
    "read_dataset",
    "read_libsvm",
    "split",
    "statistics",
]
