from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from setwise.data.formats.parquet_footer import Column, RowGroup, read_footer


def write_table(**options: Any) -> io.BytesIO:
    file = io.BytesIO()
    table = pa.table(
        {
            "text": [f"text {i}" for i in range(100)],
            "labels": [["a", "b"]] * 100,
            "other": [{"x": 1.5, "y": [True, None]}] * 100,
        }
    )
    pq.write_table(table, file, **options)
    return file


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"row_group_size": 1},
        {"row_group_size": 30, "compression": "zstd", "write_page_index": True},
        {"use_dictionary": False, "write_statistics": False, "version": "1.0"},
    ],
)
def test_sizes_are_those_of_pyarrow(options: dict[str, Any]) -> None:
    file = write_table(**options)
    metadata = pq.ParquetFile(file).metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [[group.column(number) for number in range(group.num_columns)] for group in groups]
    assert read_footer(file) == [
        RowGroup(
            [
                Column(
                    tuple(column.path_in_schema.split(".")),
                    column.num_values,
                    column.total_uncompressed_size,
                    column.total_compressed_size,
                )
                for column in of_group
            ],
            group.num_rows,
        )
        for group, of_group in zip(groups, columns, strict=True)
    ]


def test_a_damaged_footer() -> None:
    content = write_table().getvalue()
    length = int.from_bytes(content[-8:-4], "little")
    start = len(content) - 8 - length
    refused = 0
    for at in range(start, len(content) - 8, 7):
        damaged = content[:at] + b"\xff" * 3 + content[at + 3 :]
        try:
            read_footer(io.BytesIO(damaged))
        except ValueError:
            refused += 1
    assert refused > 10
    with pytest.raises(ValueError, match="truncated or damaged"):
        read_footer(io.BytesIO(b"PAR1"))
