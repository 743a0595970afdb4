"""``setwise explain``: why a set was predicted."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.option_groups import AsJson, ModelPath
from setwise.cli.read_options import with_read_options
from setwise.cli.runtime import print_note
from setwise.cli.terminal import Table, print_highlighted, print_json, print_line, print_table

if TYPE_CHECKING:
    from setwise import SetClassifier
    from setwise.data import Document
    from setwise.explain import Explanation, LabelReason

__all__ = ["explain"]

WORDS_SHOWN = 6
"""Features per label on a terminal, so that a line is not too long."""


@with_read_options
def explain(
    model: ModelPath,
    document: Annotated[
        str, typer.Argument(metavar="TEXT|FILE", help="A text; or a file of documents; - reads standard input.")
    ],
    most: Annotated[int, typer.Option("--max", min=1, help="Explain at most so many documents of a file.")] = 10,
    leave_out_words: Annotated[
        bool, typer.Option("--words/--no-words", help="Predict each text again without each of its words.")
    ] = True,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="PAGE", help="Write a page of HTML with highlighted texts.")
    ] = None,
    as_json: AsJson = False,
    read_options: Any = None,
) -> None:
    """Explain why a set was predicted: the words of each label, the sets that were near, what each word changes.

    What is no file is a text. The contribution of a word is its weight times
    its value; those of a label, with the intercept and what other labels add,
    sum to its score.

    Examples:

        setwise explain topics.setwise "a goal in the last minute"

        setwise explain topics.setwise new.jsonl --max 3 -o why.html

        setwise explain topics.setwise new.csv --json | head -1
    """
    from setwise.classifier import load
    from setwise.cli.features import encode_documents
    from setwise.data import TextDocument, atomic_writer, check_files, input_files, open_documents
    from setwise.exceptions import Incompatible

    is_file = document == "-" or _names_a_file(document)
    inputs = input_files(document, read_options) if is_file else []
    check_files([model, *inputs], [] if output is None else [output])
    classifier = load(model)
    documents: list[Document] = [TextDocument(document)]
    if is_file:
        with open_documents(document, read_options) as opened:
            documents = list(islice(opened, most))
    elif classifier.vectorizer_ is None:
        raise Incompatible(f"The model was trained on vectors, and {document!r:.60} is no file of them.")
    encoded = encode_documents(documents, classifier.vectorizer_, classifier.n_features_in_, document)
    texts = [one.text if isinstance(one, TextDocument) else None for one in documents]
    of_texts = classifier.vectorizer_ is not None
    found = classifier.explain(texts if of_texts else encoded.X, leave_out_words=leave_out_words)
    if output is not None:
        from setwise.explain import html_page

        with atomic_writer(output) as file:
            file.write(html_page(found, texts, f"Predictions of {Path(model).name}").encode())
        print_note(f"wrote {output} with {len(found):,} explanations.")
    for one, text in zip(found, texts, strict=True):
        if as_json:
            print_json({"text": text, **one.as_dict()} if of_texts else one.as_dict())
        elif output is None:
            _print(one, text, classifier)


def _names_a_file(document: str) -> bool:
    """Return whether the argument is a file, or looks like one that is missing; a text may be too long for a path."""
    from setwise.data import FORMATS

    try:
        if Path(document).exists():
            return True
    except OSError:
        return False
    name = document.lower().removesuffix(".gz")
    is_word = not any(character.isspace() for character in document)
    return is_word and name.endswith(tuple(suffix for one in FORMATS.values() for suffix in one.suffixes))


def _print(one: Explanation, text: str | None, classifier: SetClassifier) -> None:
    """Print an explanation: the text with the words of the predicted labels in color, and a few tables."""
    if text is not None:
        shares = [share for reason in one.reasons if reason.predicted for share in reason.features[:WORDS_SHOWN]]
        print_highlighted(text, [(*span, share.contribution) for share in shares for span in share.spans])
    print_line(f"predicted: {_set(one.labels)}")
    if one.confidence is not None:
        print_line(f"exactly right with a probability of {one.confidence:.1%}")
    if one.expected_f1 is not None:
        print_line(f"expected F1 {one.expected_f1:.3f}")
    if classifier.model_.abilities >= {"marginals"} and set(one.cut_at_half) != set(one.labels):
        print_line(f"each label alone, cut at one half, would be: {_set(one.cut_at_half)}")
    if one.components:
        listed = ", ".join(f"{number} ({share:.0%})" for number, share in one.components)
        print_line(f"responsible components: {listed}")
    table = Table("", "label", "probability", "score", "F1 if changed", "features", box=None)
    table.align_right(2, 3, 4)
    for reason in one.reasons:
        mark = "+" if reason.predicted else ""
        numbers = (_number(reason.probability), _number(reason.score), _number(reason.expected_f1_without))
        table.add_row(mark, reason.label, *numbers, _features(reason))
    print_table(table)
    if one.rivals:
        rivals = Table("rival set", "probability", "expected F1", box=None)
        rivals.align_right(1, 2)
        for rival in one.rivals:
            rivals.add_row(_set(rival.labels), _number(rival.probability), _number(rival.expected_f1))
        print_table(rivals)
    for word in one.without_words:
        if word.changes_set:
            print_line(f"without {word.word!r} the set becomes: {_set(word.labels)}")


def _features(reason: LabelReason) -> str:
    shares = [f"{share.feature} {share.contribution:+.2f}" for share in reason.features[:WORDS_SHOWN]]
    if reason.other_labels:
        shares.append(f"(other labels) {reason.other_labels:+.2f}")
    return ", ".join(shares)


def _set(labels: tuple[str, ...]) -> str:
    return ", ".join(labels) or "(no label)"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
