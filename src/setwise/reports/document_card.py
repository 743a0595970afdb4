"""A document on the page of a report: its labels, why they were predicted, and its text with highlighted words."""

from __future__ import annotations

from html import escape

from setwise.explain import Explanation, LabelReason, highlighted_text
from setwise.reports.report import Card
from setwise.reports.shown_documents import Judged
from setwise.reports.summary import whole_percent

__all__ = ["card_html", "why_this_set"]

MAX_TEXT = 3000
"""Characters of a text on the page."""

N_WORDS = 5
"""Features per label on the page."""

DECIDED = {
    "gfm": "It is the set of the best expected F1",
    "most_probable": "It is the most probable set",
    "threshold": "It has every label whose probability is above its threshold",
    "expected_jaccard": "It is the set of the best expected Jaccard index",
}
"""How each decision chooses, as the beginning of a sentence."""


def card_html(card: Card) -> str:
    """Return a document with what each model says about it."""
    first = card.judged[0]
    name = f"Document {first.row:,}" + (f" ({escape(first.id)})" if first.id else "")
    versions = [
        _version(one, model, decision)
        for one, model, decision in zip(card.judged, card.models, card.decisions, strict=True)
    ]
    body = versions[0] if len(versions) == 1 else f'<div class="versions">{"".join(versions)}</div>'
    return f"<article><h4>{name}</h4>{body}</article>"


def why_this_set(one: Explanation, decision: str) -> str:
    """Return the reason for a predicted set in two or three sentences."""
    sentences = [DECIDED[decision]]
    if one.stated_expected_f1 is not None:
        sentences[0] += f" (the recipe expects an F1 of {one.stated_expected_f1:.2f})"
    predicted = [reason for reason in one.reasons if reason.predicted and reason.probability is not None]
    if len(predicted) > 1:
        least = min(predicted, key=lambda reason: reason.probability or 0.0)
        sentences.append(
            f"the label that it is least sure of is “{least.label}” ({whole_percent(least.probability or 0.0)})"
        )
    if one.rivals:
        rival = one.rivals[0]
        labels = ", ".join(rival.labels) or "no label"
        sentences.append(f"the most probable other set is: {labels} ({whole_percent(rival.probability)})")
    text = "; ".join(sentences) + "."
    if set(one.cut_at_half) != set(one.labels):
        text += f" Each label alone, cut at one half, would give: {', '.join(one.cut_at_half) or 'no label'}."
    return text


def _version(one: Judged, model: str, decision: str) -> str:
    parts = [f"<h4>{escape(model)}</h4>" if model else "", _chips(one), f'<p class="facts">{_numbers(one)}</p>']
    explanation = one.explanation
    if explanation is not None:
        parts.append(f"<p>{escape(why_this_set(explanation, decision))}</p>")
    if one.text is not None:
        parts.append(_text(one.text, explanation))
    if explanation is not None:
        parts.append(_words_per_label(explanation))
    return f"<div>{''.join(parts)}</div>"


def _chips(one: Judged) -> str:
    true, predicted = set(one.true), set(one.predicted)
    groups = (
        ("right", "✓", "predicted and true", sorted(true & predicted)),
        ("extra", "✗", "predicted, not true", sorted(predicted - true)),
        ("missed", "○", "true, not predicted", sorted(true - predicted)),
    )
    chips = [
        f'<li class="{kind}" title="{meaning}">{sign} {escape(label)}</li>'
        for kind, sign, meaning, labels in groups
        for label in labels
    ]
    return f'<ul class="chips">{"".join(chips) or "<li>✓ no label</li>"}</ul>'


def _numbers(one: Judged) -> str:
    stated = []
    if one.probability is not None:
        stated.append(f"exactly right with a probability of {whole_percent(one.probability)}")
    if one.expected_f1 is not None:
        stated.append(f"expected F1 {one.expected_f1:.2f}")
    return f"F1 {one.f1:.2f}" + (f"; stated: {', '.join(stated)}" if stated else "")


def _text(text: str, explanation: Explanation | None) -> str:
    shown, n_hidden = text[:MAX_TEXT], max(len(text) - MAX_TEXT, 0)
    shares = (
        [] if explanation is None else [share for one in explanation.reasons if one.predicted for share in one.features]
    )
    more = f" <i>… ({n_hidden:,} more characters)</i>" if n_hidden else ""
    return f'<div class="text" tabindex="0">{highlighted_text(shown, shares)}{more}</div>'


def _words_per_label(explanation: Explanation) -> str:
    rows = "".join(
        f'<tr><td>{_label(one)}</td><td class="n">{"" if one.probability is None else f"{one.probability:.2f}"}</td>'
        f'<td class="words">{_features(one)}</td></tr>'
        for one in explanation.reasons
    )
    return (
        '<details><summary>Words per label</summary><div class="wide" tabindex="0"><table><thead><tr><th>label</th>'
        f'<th class="n">probability</th><th>strongest features</th></tr></thead><tbody>{rows}</tbody></table></div>'
        "</details>"
    )


def _label(one: LabelReason) -> str:
    return f"<b>{escape(one.label)}</b>" if one.predicted else escape(one.label)


def _features(one: LabelReason) -> str:
    return ", ".join(f"{escape(share.feature)} {share.contribution:+.2f}" for share in one.features[:N_WORDS])
