"""Odd texts: everything that a tokenizer may stumble over."""

from __future__ import annotations

from hypothesis import strategies as st

ODD = (
    "aAbB zZ09_ .,:'-\t\n\r\v\f\0\x1c\x1d\x1e\x1f\x7f\x85\xa0"  # ASCII, control characters, whitespace
    "\xaa\xb2\xb5\xbc\xdf\xe9\xc9\xff\u017f\u0130\u0131\u01c5\u01c4\u1e9e"  # Latin-1, dotted I, titlecase
    "\u03a3\u03c3\u03c2\u0391\u00ad\u2019\u02b0\u0345\u1f88"  # sigma, and what is ignored beside it
    "\u0301\u0307\u0327\u20dd\u064b\u0650\u093e\u094d\u0915\u0e01\u0e31\u0e33\u0e50\u0e3f"  # marks, Hindi, Thai
    "\u6f22\u5b57\u3005\u30fc\u30ab\uff76\uff9e\u3067\u3099\u304b\uac00\ud55c\u1100"  # Han, kana, Hangul
    "\u1000\u102c\u1039\u1780\u17d2\u0e81\u0eb1\u33e0\u3358\u3220\ufdfa\ufb03\u2126"  # unspaced scripts, long NFKD
    "\u200b\u200c\u200d\u2003\u2028\u3000\ufeff\ufffd\uffff"  # zero width, wide spaces
    "\ud800\udbff\udc00\udfff"  # single surrogates
    "\U00010400\U00010428\U0001f600\U00020000\U00030000\U0001d400\U000e0001\U000e0100\U000f0000\U0010ffff\U00016fe3"
)

CHARACTERS = st.sampled_from(ODD)
ALL_CHARACTERS = st.characters(codec=None, categories=None)

TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=40),
    st.text(st.one_of(CHARACTERS, ALL_CHARACTERS), max_size=30),
    st.text(st.characters(max_codepoint=0xFF), max_size=60),
    st.text(st.sampled_from("aB\xc9\xdf9_ .\u2019\u2014\u2026\U0001f600"), max_size=60),  # Latin words between others
    st.text(st.sampled_from("ab cd"), max_size=80),
    st.builds(lambda letter, n: letter * n, CHARACTERS, st.integers(1, 300)),
)
LISTS_OF_TEXTS = st.lists(TEXTS, min_size=1, max_size=6)
STOP_WORDS = st.none() | st.lists(st.one_of(st.sampled_from(["ab", "ba", "\u6f22", "\u6f22\u5b57"]), TEXTS), max_size=3)


def ranges(longest: int) -> st.SearchStrategy[tuple[int, int]]:
    """Lengths of n-grams."""
    lengths = st.integers(1, longest)
    return st.tuples(lengths, lengths).map(lambda pair: (min(pair), max(pair)))
