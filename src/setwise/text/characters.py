"""Tables of characters for the tokenizer in the core, built from this interpreter's own Unicode data.

They agree with ``str.lower``, ``str.isspace``, ``unicodedata`` and the ``\\w`` of ``re`` of any version of Unicode.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from setwise import _core

__all__ = ["CAPITAL_SIGMA", "Accents", "character_table"]

Accents = Literal["unicode", "ascii"] | None

CAPITAL_SIGMA = "\u03a3"
"""The only character whose lower case depends on its neighbors."""

_ROWS = np.concatenate([np.arange(0x40000), np.arange(0xE0000, 0xE1000), [0x10FFFF]]).astype(np.uint32)
"""The code point of each row: where characters are assigned, and one that stands for all others."""

_UNSPACED = (
    (0x0E01, 0x0E5B),  # Thai
    (0x0E81, 0x0EDF),  # Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17E9),  # Khmer
    (0x3005, 0x3007),  # the iteration mark, the closing mark and the zero of Han
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x3035),  # kana repeat marks
    (0x3038, 0x303C),
    (0x3041, 0x309F),  # Hiragana
    (0x30A1, 0x30FA),  # Katakana
    (0x30FC, 0x30FF),  # the prolonged sound mark and the iteration marks of Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FE),  # Myanmar
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),  # Han, for compatibility
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x116D0, 0x116E3),  # Myanmar
    (0x16FE3, 0x16FE3),  # the old iteration mark of Han
    (0x1AFF0, 0x1B16F),  # kana
    (0x20000, 0x3FFFF),  # Han, planes 2 and 3
)
"""Scripts without spaces between words: the first and the last code point of each range."""


_BLOCK = 256
"""Characters that are looked at together; one at a time would take several times as long."""


@cache
def character_table(lowercase: bool, strip_accents: Accents, sigma: bool) -> _core.CharacterTable:
    """Return the table for texts that are lowercased and stripped of accents as told.

    Parameters
    ----------
    lowercase : bool
        Whether letters become lower case.
    strip_accents : {"unicode", "ascii"} or None
        How accents are removed, after lowercasing.
    sigma : bool
        Whether some text has a capital sigma. Its lower case needs another table, which most texts do without.
    """
    mapped = _lowered() if lowercase else (_ROWS.astype(np.int32), ())
    if strip_accents is not None:
        mapped = _stripped(mapped, strip_accents)
    codes, expansions = mapped
    follows_rule = sigma and lowercase and strip_accents != "ascii"
    ends = np.cumsum([len(one) for one in expansions], dtype=np.int64)
    points = np.array([ord(character) for one in expansions for character in one], dtype=np.uint32)
    return _core.CharacterTable(
        *_classes(), codes, points, ends, _sigma_context() if follows_rule else np.empty(0, dtype=np.uint8)
    )


_Mapping = tuple[NDArray[np.int32], tuple[str, ...]]
"""What each row becomes: a code point, or -1 - e for the string number e."""


def _string(points: NDArray[Any]) -> str:
    return points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _points(string: str) -> NDArray[np.uint32]:
    return np.frombuffer(string.encode("utf-32-le", "surrogatepass"), dtype="<u4")


@cache
def _characters() -> str:
    """Return all rows as one string."""
    return _string(_ROWS)


@cache
def _classes() -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return four flags per row: part of a word, whitespace, combining mark, letter of an unspaced script."""
    word, space = _matches(r"\w+"), _matches(r"\s+")
    mark = np.zeros_like(word)
    # No mark is a letter, and planes 2 and 3 are for ideographs.
    others = np.flatnonzero((word == 0) & ((_ROWS < 0x20000) | (_ROWS >= 0xE0000)))
    categories = "".join(map(unicodedata.category, _string(_ROWS[others]))).encode()
    mark[others] = np.frombuffer(categories, dtype=np.uint8)[::2] == ord("M")
    unspaced = np.zeros_like(word)
    for first, last in _UNSPACED:
        unspaced[first : last + 1] = word[first : last + 1]
    return word, space, mark, unspaced


def _matches(pattern: str) -> NDArray[np.uint8]:
    flags = np.zeros(_ROWS.size, dtype=np.uint8)
    for match in re.finditer(pattern, _characters()):
        flags[match.start() : match.end()] = 1
    return flags


@cache
def _lowered() -> _Mapping:
    """Return the lower case of each row; that of the capital sigma is the one within a word."""
    codes = _ROWS.copy()
    special: dict[int, str] = {}
    for start in range(0, _ROWS.size, _BLOCK):
        block = _characters()[start : start + _BLOCK]
        lowered = block.lower()
        if lowered == block:
            continue
        if len(lowered) == len(block) and CAPITAL_SIGMA not in block:
            codes[start : start + _BLOCK] = _points(lowered)
        else:  # one character became several, or depends on its neighbors
            special.update(enumerate(map(str.lower, block), start))
    return _mapping(special.items(), codes)


def _stripped(mapping: _Mapping, strip_accents: Accents) -> _Mapping:
    """Return what is left of each row after its mapping and after the removal of accents."""
    codes, expansions = mapping
    changed: dict[int, str] = {}
    for start in range(0, _ROWS.size, _BLOCK):
        block = codes[start : start + _BLOCK]
        whole = _string(np.maximum(block, 0))
        left = _strip(whole, strip_accents)
        if left == whole and (block >= 0).all():
            continue
        strings = (chr(code) if code >= 0 else expansions[-1 - code] for code in block.tolist())
        changed.update(enumerate((_strip(one, strip_accents) if left else "" for one in strings), start))
    return _mapping(changed.items(), codes)


def _strip(string: str, strip_accents: Accents) -> str:
    decomposed = unicodedata.normalize("NFKD", string)
    if strip_accents == "ascii":
        return decomposed.encode("ascii", "ignore").decode("ascii")
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _mapping(strings: Iterable[tuple[int, str]], codes: NDArray[Any]) -> _Mapping:
    """Return the mapping in which the given rows become the given strings, and the others ``codes``."""
    codes = codes.astype(np.int32)
    numbers: dict[str, int] = {}
    for row, string in strings:
        codes[row] = ord(string) if len(string) == 1 else -1 - numbers.setdefault(string, len(numbers))
    return codes, tuple(numbers)


@cache
def _sigma_context() -> NDArray[np.uint8]:
    """Return 1 for cased rows and 2 for those that are ignored when the case of neighbors matters.

    Both follow from what ``str.lower`` makes of a capital sigma behind the character.
    """
    separator = "0"  # neither cased nor ignored
    points = np.where(_ROWS == 0x130, ord("A"), _ROWS)  # its lower case would have two characters
    final = {}
    for before in (separator, "A"):
        columns = np.empty((points.size, 4), dtype=np.uint32)
        columns[:] = ord(before), 0, ord(CAPITAL_SIGMA), ord(separator)
        columns[:, 1] = points
        final[before] = _points(_string(columns.ravel()).lower())[2::4] == ord("\u03c2")
    cased = final[separator]
    return np.where(cased, 1, np.where(final["A"], 2, 0)).astype(np.uint8)
