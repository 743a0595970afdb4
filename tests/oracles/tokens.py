"""The token rule "unicode" and scikit-learn's character n-grams, by plain loops over strings.

Each text becomes a list of characters with their origins first: (character, index in the original text).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

Placed = list[tuple[str, int]]
Term = tuple[str, int, int]
"""A term, and the begin and end of its characters in the original text."""

UNSPACED = re.compile(
    "[\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17e9\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9fe\uaa60-\uaa7f"
    "\uf900-\ufaff\uff66-\uff9f\U000116d0-\U000116e3\U00016fe3\U0001aff0-\U0001b16f\U00020000-\U0003ffff]"
)


def prepared(text: str, lowercase: bool, strip_accents: str | None) -> Placed:
    """Return the characters after lowercasing and accent stripping, each with the index where it comes from."""
    placed: Placed = []
    whole = text.lower() if lowercase else text
    start = 0
    for index, character in enumerate(text):
        size = len(character.lower()) if lowercase else 1  # a final sigma is as long as the other
        for one in whole[start : start + size]:
            if strip_accents is not None:
                one = unicodedata.normalize("NFKD", one)
                if strip_accents == "ascii":
                    one = one.encode("ascii", "ignore").decode("ascii")
                else:
                    one = "".join(left for left in one if not unicodedata.combining(left))
            placed += [(left, index) for left in one]
        start += size
    return placed


def is_unspaced(character: str) -> bool:
    return UNSPACED.fullmatch(character) is not None and re.fullmatch(r"\w", character) is not None


def is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def pieces(placed: Placed) -> Iterator[tuple[bool, Placed]]:
    """Yield words and runs of unspaced characters, and whether each is a run."""
    current: Placed = []
    in_run = False
    for character, index in placed:
        mark, unspaced = is_mark(character), is_unspaced(character)
        belongs = mark or re.fullmatch(r"\w", character) is not None
        if current and (not belongs or (not mark and unspaced != in_run)):
            yield in_run, current
            current = []
        if belongs:
            if not current:
                in_run = unspaced
            current.append((character, index))
    if current:
        yield in_run, current


def joined(placed: Placed) -> Term:
    return "".join(character for character, _ in placed), placed[0][1], placed[-1][1] + 1


def units(run: Placed) -> list[Placed]:
    """Return the characters of a run, each with the marks behind it."""
    found: list[Placed] = []
    for character, index in run:
        if is_mark(character):
            found[-1].append((character, index))
        else:
            found.append([(character, index)])
    return found


def word_terms(placed: Placed, lengths: tuple[int, int], stop_words: set[str]) -> list[Term]:
    """Return words, single units, pairs of units, and n-grams of words and pairs."""
    shortest, longest = lengths
    singles: list[Term] = []
    pairs: list[Term] = []
    words: list[Term] = []
    sequence: list[Term] = []
    for is_run, piece in pieces(placed):
        if not is_run:
            tokens = [joined(piece)] if len(piece) >= 2 else []
            words += [token for token in tokens if token[0] not in stop_words]
        else:
            cut = units(piece)
            singles += [joined(unit) for unit in cut if joined(unit)[0] not in stop_words]
            tokens = [joined(left + right) for left, right in pairwise(cut)]
            pairs += [token for token in tokens if token[0] not in stop_words]
            tokens = tokens or [joined(cut[0])]
        sequence += [token for token in tokens if token[0] not in stop_words]
    terms = words + singles + pairs if shortest == 1 else []
    for n in range(max(shortest, 2), longest + 1):
        for i in range(len(sequence) - n + 1):
            part = sequence[i : i + n]
            terms.append((" ".join(token for token, _, _ in part), part[0][1], part[-1][2]))
    return terms


def char_terms(placed: Placed, lengths: tuple[int, int], rule: str) -> list[Term]:
    """Return the n-grams of characters within words, with a space around each word."""
    shortest, longest = lengths
    if rule == "unicode":
        words = [piece for _, piece in pieces(placed)]
    else:
        words = []
        for start, (character, _) in enumerate(placed):
            if not character.isspace() and (start == 0 or placed[start - 1][0].isspace()):
                words.append([])
            if not character.isspace():
                words[-1].append(placed[start])
    terms: list[Term] = []
    for word in words:
        padded = [" ", *(character for character, _ in word), " "]
        places = [index for _, index in word]
        for n in range(shortest, longest + 1):
            for offset in range(max(1, len(padded) - n + 1)):
                inside = places[max(0, offset - 1) : max(0, offset + n - 1)]
                begin = inside[0] if inside else places[0] if offset == 0 else places[-1] + 1
                terms.append(("".join(padded[offset : offset + n]), begin, inside[-1] + 1 if inside else begin))
            if len(padded) <= n:
                break
    return terms
