"""Small files of every format, and random damage to their bytes."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from setwise.data import FORMATS, WriteOptions, open_writer
from tests.data.examples import TEXTS, VECTOR_NAMES, VECTORS

ODD_PIECES = [
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b"[" * 50),
    *(bytes([byte]) for byte in b"\"'\\\n\r\t {},;:?%"),
    *(b"NaN", b"1e999", b"-1", b"9" * 400, b"4294967296:1", b"@data", b"@attribute", b"-C 99999999", b"__label__"),
]


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return the content with some places cut, repeated, overwritten, or with odd bytes inserted."""
    for _ in range(chance.randint(1, 4)):
        at, to = sorted(chance.randrange(len(content) + 1) for _ in range(2))
        before, between, after = content[:at], content[at:to], content[to:]
        piece = chance.choice(ODD_PIECES)
        middles = [b"", between * 2, piece + between, piece + between[len(piece) :], between[:-1] + piece[:1]]
        content = before + chance.choice(middles) + (after if chance.random() < 0.9 else b"")
    return content


def write_example(folder: Path, name: str) -> Path:
    """Write a small file of a format: "jsonl", or "jsonl, compressed", or "parquet, plain"."""
    name, _, variant = name.partition(", ")
    format = FORMATS[name]
    path = folder / f"docs{(format.suffixes or ('.arff',))[0]}{'.gz' if variant == 'compressed' else ''}"
    if variant == "plain":  # without the checksums that find most damage before pyarrow does
        table = pa.table({"text": [d.text for d in TEXTS], "labels": [d.labels for d in TEXTS]})
        pq.write_table(table, path, compression="none", use_dictionary=False)
        return path
    texts = format.kind == "text"
    with open_writer(path, None if texts else VECTOR_NAMES, WriteOptions(name)) as write:
        for document in TEXTS if texts else VECTORS:
            write(document)
    return path
