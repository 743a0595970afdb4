"""Explanations as one page of HTML that needs nothing else: no script, no network, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from setwise.explain.explanation import Explanation, FeatureShare, LabelReason

__all__ = ["HIGHLIGHT_STYLE", "highlighted_text", "html_page"]

HIGHLIGHT_STYLE = """
:root { color-scheme: light dark; --for: 34 139 80; --against: 200 60 60; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 4px solid; padding: .2rem .8rem; margin: .6rem 0; }
mark { color: inherit; background: none; border-radius: .2rem; }
mark.for { background: rgb(var(--for) / var(--share)); }
mark.against { background: rgb(var(--against) / var(--share)); text-decoration: underline dotted; }
"""
"""Rules for texts with highlighted words, for any page that has some."""

_STYLE = f"""{HIGHLIGHT_STYLE}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }}
article {{ border-top: 1px solid; padding: 1rem 0; }}
h2 {{ font-size: 1.2rem; margin: 0 0 .3rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top; }}
td.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
"""

_LEAST_SHARE = 0.12
"""The weakest highlight, so that a word that counts a little is seen at all."""


def html_page(explanations: Sequence[Explanation], texts: Sequence[str | None], title: str) -> str:
    """Return one page with all explanations; what is in texts and label names is shown as text, never as markup."""
    articles = "".join(_article(one, text) for one, text in zip(explanations, texts, strict=True))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1>{articles}</body></html>\n"
    )


def _article(one: Explanation, text: str | None) -> str:
    sure = "" if one.confidence is None else f"exactly right with a probability of {one.confidence:.0%}; "
    expected = "" if one.expected_f1 is None else f"expected F1 {one.expected_f1:.2f}"
    parts = [f"<h2>{_set(one.labels)}</h2><p>{sure}{expected}</p>"]
    parts += [_highlighted(reason, text) for reason in one.reasons if text is not None and reason.predicted]
    rows = [[_name(one), _number(one.probability), _number(one.score), _words(one)] for one in one.reasons]
    parts.append(_table(("label", "probability", "score", "features"), rows))
    if one.rivals:
        rivals = [[_set(rival.labels), _number(rival.probability), _number(rival.expected_f1)] for rival in one.rivals]
        parts.append(_table(("rival set", "probability", "expected F1"), rivals))
    changing = [
        [f"without <b>{escape(word.word)}</b>", _set(word.labels)] for word in one.without_words if word.changes_set
    ]
    if changing:
        parts.append(_table(("", "the set becomes"), changing))
    return f"<article>{''.join(parts)}</article>"


def _highlighted(reason: LabelReason, text: str | None) -> str:
    """Return the text with the words of a label marked, below the name of the label."""
    assert text is not None
    return f'<p><b>{escape(reason.label)}</b></p><div class="text">{highlighted_text(text, reason.features)}</div>'


def highlighted_text(text: str, shares: Iterable[FeatureShare]) -> str:
    """Return the text as HTML with the words of some features marked, the strongest most.

    Parameters
    ----------
    text : str
        May be shorter than the text that was explained: places beyond its end are left out.
    shares : iterable of FeatureShare
        What overlaps is added up.

    Examples
    --------
    >>> from setwise.explain import FeatureShare, highlighted_text
    >>> highlighted_text("red <fox>", [FeatureShare("red", 2.0, ((0, 3),))])
    '<mark class="for" style="--share: 0.60">red</mark> &lt;fox&gt;'
    """
    weight = [0.0] * len(text)
    for share in shares:
        for begin, end in share.spans:
            for place in range(begin, min(end, len(text))):
                weight[place] += share.contribution
    peak = max(map(abs, weight), default=0.0) or 1.0
    pieces, start = [], 0
    for place in range(1, len(text) + 1):
        if place == len(text) or weight[place] != weight[start]:
            pieces.append(_piece(text[start:place], weight[start] / peak))
            start = place
    return "".join(pieces)


def _piece(text: str, share: float) -> str:
    if share == 0.0:
        return escape(text)
    kind = "for" if share > 0 else "against"
    return f'<mark class="{kind}" style="--share: {max(abs(share), _LEAST_SHARE) * 0.6:.2f}">{escape(text)}</mark>'


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{header}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _name(reason: LabelReason) -> str:
    return f"<b>{escape(reason.label)}</b>" if reason.predicted else escape(reason.label)


def _words(reason: LabelReason) -> str:
    shares = [f"{escape(share.feature)} {share.contribution:+.2f}" for share in reason.features]
    if reason.other_labels:
        shares.append(f"<i>other labels</i> {reason.other_labels:+.2f}")
    return ", ".join(shares)


def _set(labels: Sequence[str]) -> str:
    return ", ".join(map(escape, labels)) or "<i>no label</i>"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
