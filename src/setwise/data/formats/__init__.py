"""One module a format of files of documents, and the registry that finds them."""

from setwise.data.formats.errors import Problems
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.registry import FORMATS, Format, format_of

__all__ = ["FORMATS", "Format", "Problems", "ReadOptions", "WriteOptions", "format_of"]
