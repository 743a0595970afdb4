"""Documents and corpora: file formats, reading and writing, conversion, splits and statistics."""

from setwise.data.atomic import atomic_writer
from setwise.data.conversion import Converted, convert, split
from setwise.data.corpus import DATA_VARIABLE, DEFAULT_FOLDER, Corpus, find_corpus
from setwise.data.docstring_corpus import Docstring, collect_docstrings
from setwise.data.documents import Document, Names, TextDocument, VectorDocument
from setwise.data.duplicates import MAX_SKETCH_SIZE, IdHashes, StringHashes
from setwise.data.feature_matrix import feature_matrix
from setwise.data.formats import (
    FORMATS,
    Format,
    Problems,
    ReadOptions,
    WriteOptions,
    escape_formula,
    format_of,
    register_format,
    require_pyarrow,
)
from setwise.data.libsvm_matrix import read_libsvm
from setwise.data.paths import (
    FilePath,
    check_distinct,
    check_files,
    check_writable,
    output_path,
    read_error,
    write_error,
)
from setwise.data.reading import (
    Dataset,
    Documents,
    batches,
    declared_format,
    input_files,
    open_documents,
    read_dataset,
)
from setwise.data.splits import folds, hold_out, random_hold_out, stratified_parts
from setwise.data.statistics import CorpusStatistics, statistics
from setwise.data.writing import gzip_by_suffix, open_writer

__all__ = [
    "DATA_VARIABLE",
    "DEFAULT_FOLDER",
    "FORMATS",
    "MAX_SKETCH_SIZE",
    "Converted",
    "Corpus",
    "CorpusStatistics",
    "Dataset",
    "Docstring",
    "Document",
    "Documents",
    "FilePath",
    "Format",
    "IdHashes",
    "Names",
    "Problems",
    "ReadOptions",
    "StringHashes",
    "TextDocument",
    "VectorDocument",
    "WriteOptions",
    "atomic_writer",
    "batches",
    "check_distinct",
    "check_files",
    "check_writable",
    "collect_docstrings",
    "convert",
    "declared_format",
    "escape_formula",
    "feature_matrix",
    "find_corpus",
    "folds",
    "format_of",
    "gzip_by_suffix",
    "hold_out",
    "input_files",
    "open_documents",
    "open_writer",
    "output_path",
    "random_hold_out",
    "read_dataset",
    "read_error",
    "read_libsvm",
    "register_format",
    "require_pyarrow",
    "split",
    "statistics",
    "stratified_parts",
    "write_error",
]
