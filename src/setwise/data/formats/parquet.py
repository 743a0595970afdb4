"""The parquet format; pyarrow, an optional dependency, is imported at the first use."""

from __future__ import annotations

from typing import BinaryIO

from setwise.data.documents import Names
from setwise.data.formats.errors import Problems
from setwise.data.formats.format import Format, Reading, Writer
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.streams import Source
from setwise.exceptions import Incompatible

__all__ = ["PARQUET", "require_pyarrow"]


def require_pyarrow() -> None:
    """Raise ``Incompatible`` if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise Incompatible('Parquet files need pyarrow. Install it with: pip install "setwise[parquet]".') from None


def _read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    require_pyarrow()
    from setwise.data.formats import parquet_table

    return parquet_table.read(source, options, problems)


def _write(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    require_pyarrow()
    from setwise.data.formats import parquet_table

    return parquet_table.ParquetWriter(file)


PARQUET = Format(
    "parquet",
    "texts, one row per document (needs pyarrow)",
    "text",
    _read,
    _write,
    suffixes=(".parquet",),
    options=("text", "labels", "id", "extra_columns"),
    stores_ids=True,
    binary=True,
)
