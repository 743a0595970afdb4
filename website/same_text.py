"""The picture of the first page: ``python -m website.same_text`` trains one model on docstrings and draws it.

One text is predicted twice by the same weights: by a cut at one half, and as setwise does. The document is chosen to
show the difference; the bars are means over all held-out documents. Figures depend a little on the versions of the
libraries whose docstrings are used.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from setwise import SetClassifier
from setwise.data import collect_docstrings, hold_out
from setwise.metrics import Overlap, read_pair
from setwise.prediction import Recipe

FILE = Path("docs/images/same-text.svg")

STEP = 3
"""Every third docstring is enough for the picture."""
TEST_SIZE = 0.2
LENGTHS = (80, 230)
"""Texts of other lengths are not shown."""
MAX_F1_OF_CUT = 0.8
"""Where the cut is nearly right, there is little to see."""

WIDTH, MARGIN = 480, 18
"""In units of which a phone shows 0.7 per pixel, so that text of size 16 can be read there."""
LINE, CHIP, GAP = 22, 30, 8
CHARACTER = 9.2
"""Width of a character of text of size 15, on average."""

STYLE = """
text { font-family: system-ui, "Liberation Sans", Arial, sans-serif; font-size: 15px; fill: #1f2430; }
.paper { fill: #ffffff; stroke: #c9ced6; }
.quote { fill: #f1f4f8; }
.small { font-size: 13px; fill: #5b6472; }
.strong { font-weight: 700; }
.mono { font-family: ui-monospace, "Liberation Mono", monospace; font-size: 14px; }
.right { fill: #d7ebff; stroke: #2a6fb5; }
.wrong { fill: #ffe3d1; stroke: #b4531a; }
.missed { fill: none; stroke: #9aa2ad; stroke-dasharray: 4 3; }
.gone { fill: #7b8390; }
.cut { fill: #9aa2ad; }
.set { fill: #2a6fb5; }
@media (prefers-color-scheme: dark) {
text { fill: #e6e9ee; }
.paper { fill: #14181e; stroke: #3b434f; }
.quote { fill: #222831; }
.small { fill: #a5aebb; }
.right { fill: #173a5c; stroke: #6fb2f2; }
.wrong { fill: #4d2a14; stroke: #f0a070; }
.missed { stroke: #6c7582; }
.gone { fill: #97a0ad; }
.set { fill: #6fb2f2; }
}
"""


@dataclass(frozen=True)
class Comparison:
    """A document, its labels, two predictions and their F1; and the mean F1 of both over all held-out documents."""

    name: str
    text: str
    true: tuple[str, ...]
    cut: tuple[str, ...]
    chosen: tuple[str, ...]
    f1_of_cut: float
    f1_of_chosen: float
    mean_of_cut: float
    mean_of_chosen: float
    n_documents: int


def compare(step: int = STEP) -> Comparison:
    """Train on docstrings, and return the most confident document that setwise gets right and a cut does not.

    Parameters
    ----------
    step : int
        Every docstring is used, every second, and so on.
    """
    docstrings = collect_docstrings()[::step]
    labels = [list(one.labels) for one in docstrings]
    train, test = hold_out(labels, TEST_SIZE, 0)
    classifier = SetClassifier("br", budget="quick", scoring="instance_f1")
    classifier.fit([docstrings[i].text for i in train], [labels[i] for i in train])
    texts, y = [docstrings[i].text for i in test], [labels[i] for i in test]
    sure = classifier.confidence(texts)
    chosen = classifier.labels_.with_indicator(sure.sets).name_lists()
    at_half = Recipe("mode", "most_probable").decide(classifier.posterior(texts), classifier.support_, with_value=False)
    cut = classifier.labels_.with_indicator(at_half.sets).name_lists()
    f1_of_cut, f1_of_chosen = (Overlap.by_document(*read_pair(y, sets)).f1 for sets in (cut, chosen))
    shown = [
        i
        for i, text in enumerate(texts)
        if f1_of_chosen[i] == 1.0
        and f1_of_cut[i] <= MAX_F1_OF_CUT
        and LENGTHS[0] <= len(text) <= LENGTHS[1]
        and "._" not in docstrings[test[i]].name
        and "`" not in text
    ]
    best = max(shown, key=lambda i: (sure.probability[i], -i))
    return Comparison(
        docstrings[test[best]].name,
        " ".join(texts[best].split()),
        tuple(sorted(y[best])),
        tuple(cut[best]),
        tuple(chosen[best]),
        float(f1_of_cut[best]),
        float(f1_of_chosen[best]),
        float(np.mean(f1_of_cut)),
        float(np.mean(f1_of_chosen)),
        len(texts),
    )


def draw(found: Comparison) -> str:
    """Return the picture as SVG, readable on light and on dark paper."""
    parts: list[str] = []
    lines = textwrap.wrap(found.text, int((WIDTH - 2 * MARGIN - 2 * GAP) / 8.5))
    top = MARGIN + 8
    parts.append(_text(MARGIN, top, f"The docstring of {found.name}", "small"))
    height = LINE * len(lines) + 2 * GAP
    parts.append(
        f'<rect class="quote" x="{MARGIN}" y="{top + 8}" width="{WIDTH - 2 * MARGIN}" height="{height}" rx="6"/>'
    )
    for number, line in enumerate(lines):
        parts.append(_text(MARGIN + GAP, top + 8 + GAP + LINE * (number + 1) - 6, line, "mono"))
    top += height + 40
    for title, labels, f1 in (
        ("Label by label, cut at one half", found.cut, found.f1_of_cut),
        ("setwise: the best set", found.chosen, found.f1_of_chosen),
    ):
        parts.append(_text(MARGIN, top, title, "strong"))
        parts.append(_text(WIDTH - MARGIN, top, f"F1 {100 * f1:.0f} %", "strong", "end"))
        drawn, height = _chips(top + 12, labels, found.true)
        parts += drawn
        top += 12 + height + 34
    parts.append(_text(MARGIN, top, f"Mean F1 of all {found.n_documents:,} held-out texts, same weights", "strong"))
    for title, value, kind in (("cut at one half", found.mean_of_cut, "cut"), ("setwise", found.mean_of_chosen, "set")):
        top += 34
        full = WIDTH - 2 * MARGIN - 130 - 70
        parts.append(_text(MARGIN, top, title))
        parts.append(
            f'<rect class="{kind}" x="{MARGIN + 130}" y="{top - 16}" width="{full * value:.1f}" height="22" rx="3"/>'
        )
        parts.append(_text(MARGIN + 130 + full * value + 8, top, f"{100 * value:.1f} %", "strong"))
    top += 34
    gain = 100 * (found.mean_of_chosen - found.mean_of_cut)
    parts.append(_text(MARGIN, top, f"{gain:+.1f} points by prediction alone, without other training.", "small"))
    top += 20
    parts.append(_text(MARGIN, top, "✗ wrong, ? missed. The text is one chosen to show the difference.", "small"))
    height = top + MARGIN
    title = (
        f"One text, two predictions by the same model: F1 {100 * found.f1_of_cut:.0f} % with a cut at one half, "
        f"{100 * found.f1_of_chosen:.0f} % with setwise; over {found.n_documents:,} texts "
        f"{100 * found.mean_of_cut:.1f} % and {100 * found.mean_of_chosen:.1f} %."
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(title)}">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _chips(top: int, labels: Collection[str], true: Iterable[str]) -> tuple[list[str], int]:
    """Return predicted and missed labels as boxes, and the height that they take."""
    true = set(true)
    kinds = [(one, "right" if one in true else "wrong") for one in sorted(labels)]
    kinds += [(one, "missed") for one in sorted(true - set(labels))]
    parts, x, y = [], MARGIN, top
    for label, kind in kinds:
        width = CHARACTER * len(label) + 2 * GAP + (16 if kind != "right" else 0)
        if x + width > WIDTH - MARGIN:
            x, y = MARGIN, y + CHIP + GAP
        parts.append(f'<rect class="{kind}" x="{x:.0f}" y="{y}" width="{width:.0f}" height="{CHIP}" rx="15"/>')
        sign = {"right": "", "wrong": "✗ ", "missed": "? "}[kind]
        style = "gone" if kind == "missed" else ""
        parts.append(_text(x + width / 2, y + 20, sign + label, style, "middle"))
        x += round(width) + GAP
    return parts, y + CHIP - top


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    attributes = f' class="{style}"' if style else ""
    end = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{attributes}{end}>{escape(text)}</text>'


def main() -> None:
    """Draw the picture and print its figures."""
    found = compare()
    FILE.write_text(draw(found), encoding="utf-8")
    print(
        f"{FILE}: {found.name}; mean F1 {100 * found.mean_of_cut:.1f} % cut at one half, "
        f"{100 * found.mean_of_chosen:.1f} % setwise"
    )


if __name__ == "__main__":
    main()
