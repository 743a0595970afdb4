"""Damaged model files: with changed bytes, or with changed content and correct checksums."""

from __future__ import annotations

import copy
import io
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.persistence.container import read_container, write_container

Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]

WHOLE = (0, 1, -1, 2, 3, 7, 100, 2**31 - 1, -(2**31), 2**62, 2**63 - 1, -(2**63))
FRACTIONS = (0.0, -1.0, 1e-300, 1e30, -1e30, 1e38, 1e99, -1e99, 1e101, 1e308, float("inf"), float("-inf"), float("nan"))
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 3, 10**6, 2**31 - 1, 2**31, 2**63, 2**64 - 1, 2**64, 10**400),
    *(0.5, -0.0, 1e29, 1e308, 1e-308, -1e300),
    *("", "x", "br", "support", "exact", "mode", "sampled", "blend", "gfm", "threshold", "tuned", "PairwiseCRF"),
    *(
        [],
        {},
        [[]],
        ["a", "a"],
        [1, 0, 0],
        [0.0, 1e31, 0.0],
        {"a": {"b": []}},
        "\ud800",
        ["\udfff"],
        "NaN",
        "x" * 5000,
        [0] * 5000,
    ),
)


def flip(content: bytearray, random: random.Random) -> None:
    for _ in range(random.choice((1, 1, 2, 8))):
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)


def cut(content: bytearray, random: random.Random) -> None:
    start = random.randrange(len(content))
    del content[start : random.choice((start + 1, start + 8, len(content)))]


def insert(content: bytearray, random: random.Random) -> None:
    at = random.randrange(len(content) + 1)
    content[at:at] = random.randbytes(random.choice((1, 4, 8, 64)))


def overwrite(content: bytearray, random: random.Random) -> None:
    at, n = random.randrange(len(content)), random.choice((1, 8, 32))
    content[at : at + n] = random.choice((bytes(n), b"\xff" * n, random.randbytes(n)))


def resize_header(content: bytearray, random: random.Random) -> None:
    (length,) = struct.unpack("<Q", content[:8])
    content[:8] = struct.pack("<Q", random.choice((0, 1, length - 8, length + 8, 2**32, 2**63, 2**64 - 1)))


def edit_header(content: bytearray, random: random.Random) -> None:
    """Change a digit of a shape, an offset, a type or the format version in the header."""
    (length,) = struct.unpack("<Q", content[:8])
    digits = [at for at in range(8, 8 + length) if chr(content[at]).isdigit()]
    content[random.choice(digits)] = ord(random.choice("0123456789"))


BYTE_EDITS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip,
    cut,
    insert,
    overwrite,
    resize_header,
    edit_header,
)


def edit_number(parts: Parts, random: random.Random) -> None:
    name = random.choice([name for name, array in parts[1].items() if array.size])
    array = parts[1][name].copy()
    pool = FRACTIONS if array.dtype.kind == "f" else WHOLE
    for _ in range(random.choice((1, 1, 3))):
        value = random.choice(pool)
        if array.dtype.kind != "f":
            limits = np.iinfo(array.dtype)
            value = min(max(int(value), int(limits.min)), int(limits.max))
        with np.errstate(over="ignore"):
            array.reshape(-1)[random.randrange(array.size)] = value
    parts[1][name] = array


def scale_numbers(parts: Parts, random: random.Random) -> None:
    """Multiply all numbers of an array, so that very large numbers are added and subtracted."""
    name = random.choice([name for name, array in parts[1].items() if array.dtype.kind == "f"] or list(parts[1]))
    with np.errstate(all="ignore"):
        scaled = parts[1][name] * random.choice((0.0, -1.0, 1e4, 1e15, 1e30, 1e90))
        parts[1][name] = scaled.astype(parts[1][name].dtype)


def nudge_number(parts: Parts, random: random.Random) -> None:
    name = random.choice([name for name, array in parts[1].items() if array.size])
    array = parts[1][name].copy()
    with np.errstate(over="ignore"):
        array.reshape(-1)[random.randrange(array.size)] += array.dtype.type(random.choice((1, 2)))
    parts[1][name] = array


def shuffle_numbers(parts: Parts, random: random.Random) -> None:
    name = random.choice(list(parts[1]))
    array = parts[1][name].copy()
    np.random.default_rng(random.randrange(2**32)).shuffle(array.reshape(-1))
    parts[1][name] = array


def reshape(parts: Parts, random: random.Random) -> None:
    name = random.choice(list(parts[1]))
    array = parts[1][name]
    flat = array.reshape(-1)
    shapes: list[Any] = [
        flat[:-1],
        flat[:0],
        np.append(flat, flat[-1:]),
        flat[None, :],
        flat[:, None],
        array.T,
        np.zeros((2**40, 0), dtype=array.dtype),
        np.repeat(flat, 2),
    ]
    parts[1][name] = np.ascontiguousarray(random.choice(shapes))


def retype(parts: Parts, random: random.Random) -> None:
    name = random.choice(list(parts[1]))
    kind = random.choice((np.float64, np.float32, np.int64, np.int32, np.uint8))
    with np.errstate(all="ignore"):
        parts[1][name] = parts[1][name].astype(kind)


def rearrange_arrays(parts: Parts, random: random.Random) -> None:
    """Remove an array, add one, or swap two."""
    tensors = parts[1]
    one, other = random.sample(list(tensors), 2)
    match random.randrange(3):
        case 0:
            del tensors[one]
        case 1:
            tensors[random.choice(("more", "model.more", f"{one}.data"))] = tensors[other]
        case _:
            tensors[one], tensors[other] = tensors[other], tensors[one]


def edit_manifest(parts: Parts, random: random.Random) -> None:
    """Change, remove or add a field anywhere in the manifest."""
    at: Any = parts[0]
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = random.choice(keys)
        if isinstance(at[key], dict | list) and at[key] and random.random() < 0.9:
            at = at[key]
            continue
        match random.randrange(8):
            case 0:
                del at[key]
            case 1 if isinstance(at, dict):
                at["more"] = at[key]
            case 2 if isinstance(at, list):
                at.append(at[key])
            case _:
                at[key] = copy.deepcopy(random.choice(VALUES))
        return


def edit_value(parts: Parts, random: random.Random) -> None:
    """Replace a number, a string or a boolean of the manifest by another of its type, which passes type checks."""
    places: list[tuple[Any, Any]] = []
    waiting: list[Any] = [parts[0]]
    while waiting:
        at = waiting.pop()
        for key in at if isinstance(at, dict) else range(len(at)):
            (waiting if isinstance(at[key], dict | list) else places).append(
                at[key] if isinstance(at[key], dict | list) else (at, key)
            )
    at, key = random.choice(places)
    match at[key]:
        case bool():
            at[key] = not at[key]
        case int():
            at[key] = random.choice((0, 1, 2, 7, 100, 10**4, 10**6, 2**31 - 1, 2**53, 2**63 - 1))
        case float():
            at[key] = random.choice([value for value in FRACTIONS if np.isfinite(value)])
        case _:
            at[key] = random.choice([value for value in VALUES if isinstance(value, str)])


def edit_consistently(parts: Parts, random: random.Random) -> None:
    """Change the number of features and all shapes that depend on it, so that they still agree."""
    manifest, tensors = parts
    by = random.choice((-1, 1, 5, 2**24, 2**31 - 1 - manifest["n_features"], 2**31))
    manifest["n_features"] += by
    for name in list(tensors):
        if name.endswith("coef_.shape"):
            tensors[name] = tensors[name] + np.array([0, by])


CONTENT_EDITS: tuple[Callable[[Parts, random.Random], None], ...] = (
    edit_number,
    scale_numbers,
    scale_numbers,
    nudge_number,
    shuffle_numbers,
    reshape,
    retype,
    rearrange_arrays,
    edit_manifest,
    edit_value,
    edit_value,
    edit_consistently,
)


def damaged(path: Path, random: random.Random, *, repaired: bool, times: int = 1) -> tuple[str, bytes]:
    """Return a description of the damage and the damaged bytes of a model file.

    With ``repaired``, the content is changed ``times`` times and all checksums are correct.
    """
    if not repaired:
        change = random.choice(BYTE_EDITS)
        content = bytearray(path.read_bytes())
        change(content, random)
        return change.__name__, bytes(content)
    edits = sorted(
        random.choices(CONTENT_EDITS, k=times), key=lambda edit: edit is not edit_consistently
    )  # first, because it needs valid fields
    parts = read_container(path)
    for edit in edits:
        edit(parts, random)
    file = io.BytesIO()
    write_container(file, *parts)
    return " and ".join(edit.__name__ for edit in edits), file.getvalue()
