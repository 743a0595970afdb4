"""File formats: one module per format, and the registry of them all."""

from setwise.data.formats.delimited import escape_formula
from setwise.data.formats.errors import DocumentError, Problems
from setwise.data.formats.format import Encoder, Format, LineWriter, Reading, Writer, read_lines
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.parquet import require_pyarrow
from setwise.data.formats.registry import FORMATS, format_of, recognize_format, recognized_formats, register_format
from setwise.data.formats.streams import Lines, Source

__all__ = [
    "FORMATS",
    "DocumentError",
    "Encoder",
    "Format",
    "LineWriter",
    "Lines",
    "Problems",
    "ReadOptions",
    "Reading",
    "Source",
    "WriteOptions",
    "Writer",
    "escape_formula",
    "format_of",
    "read_lines",
    "recognize_format",
    "recognized_formats",
    "register_format",
    "require_pyarrow",
]
