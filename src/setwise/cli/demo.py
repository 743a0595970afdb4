"""The demo: the main job from end to end, on text that every installation already has."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

from setwise import SetClassifier
from setwise.cli.runtime import example, note, working
from setwise.cli.terminal import Table, say, show
from setwise.data import TextDocument, check_files, open_writer
from setwise.data.docstrings import collect_docstrings
from setwise.data.formats import format_of
from setwise.data.splits import hold_out
from setwise.exceptions import InvalidParameter
from setwise.metrics import instance_f1, set_accuracy
from setwise.persistence import save
from setwise.prediction import Recipe
from setwise.text import TextVectorizer

__all__ = ["run_demo"]

HELD_OUT = 0.2
N_SHOWN = 5


@dataclass(frozen=True)
class _Part:
    names: list[str]
    texts: list[str]
    labels: list[list[str]]


def run_demo(*, output: str, held_out: str, budget: Any, random_state: int, most: int | None) -> None:
    """Collect the corpus, train, compare predictions on a part held out, and save the model and that part."""
    check_files((), (output, held_out))
    if format_of(held_out).kind != "text":
        raise InvalidParameter(f"{held_out} must have the ending of a format of texts, such as .jsonl.")
    started = perf_counter()
    with working("collecting docstrings"):
        train, test = _corpus(random_state, most)
    words = TextVectorizer()
    with working("counting words"):
        X, X_test = words.fit_transform(train.texts), words.transform(test.texts)
    n_labels = len({name for names in train.labels for name in names})
    say(
        f"{len(train.texts) + len(test.texts):,} docstrings of Python, NumPy, SciPy and scikit-learn, "
        f"{len(test.texts):,} of them held out: {X.shape[1]:,} words, {n_labels} labels, "
        f"{len({tuple(names) for names in train.labels}):,} label sets in training."
    )
    note("training one logistic regression per label, and tuning it on documents held out ...")
    classifier = SetClassifier(budget=budget, random_state=random_state, progress=True).fit(X, train.labels)
    with working("predicting the documents held out, in three ways"):
        gain, documents = _gain(classifier, X_test, test.labels), _documents(classifier, X_test, test)
    show(gain)
    show(documents)
    save(output, classifier, words, documents=len(train.texts))
    with open_writer(held_out) as write:
        for name, text, labels in zip(test.names, test.texts, test.labels, strict=True):
            write(TextDocument(text, tuple(labels), name))
    say(f"The model is in {output}, the documents held out are in {held_out}. Try next:")
    say(f"  {example('predict', output, held_out, '--top', '3')} | head -1")
    say(f"  {example('evaluate', output, held_out)}")
    note(f"{perf_counter() - started:.0f} s in all")


def _corpus(random_state: int, most: int | None) -> tuple[_Part, _Part]:
    found = collect_docstrings()
    found = found if most is None else found[:: max(1, len(found) // most)][:most]
    labels = [list(one.labels) for one in found]
    return tuple(  # type: ignore[return-value]
        _Part([found[i].name for i in part], [found[i].text for i in part], [labels[i] for i in part])
        for part in hold_out(labels, HELD_OUT, random_state)
    )


def _gain(classifier: SetClassifier, X: Any, truth: list[list[str]]) -> Table:
    """The same weights, asked in three ways."""
    table = Table("prediction, from the same weights", "instance F1 %", "right sets %")
    for column in table.columns[1:]:
        column.justify = "right"
    ways = {
        "most probable set (each label cut at one half)": Recipe("mode", "most_probable"),
        "support inference + GFM, as in the paper": Recipe("support", "gfm"),
        "as tuned: " + ("" if classifier.tuning_ is None else classifier.tuning_.recipe_name): classifier.recipe_,
    }
    for title, recipe in ways.items():
        decided = recipe.decided(classifier.model_, X, classifier.support_)
        sets = classifier.labels_.with_indicator(decided.sets).name_lists()
        table.add_row(title, f"{100 * instance_f1(truth, sets):.1f}", f"{100 * set_accuracy(truth, sets):.1f}")
    return table


def _documents(classifier: SetClassifier, X: Any, part: _Part) -> Table:
    table = Table("docstring of", "its labels", "predicted", "expected F1 %")
    table.columns[3].justify = "right"
    chosen = [i * len(part.texts) // N_SHOWN for i in range(N_SHOWN)]  # spread over the libraries
    decided = classifier.decide(X[chosen])
    predicted = classifier.labels_.with_indicator(decided.sets).name_lists()
    for i, labels, value in zip(chosen, predicted, decided.value, strict=True):
        table.add_row(part.names[i], ", ".join(sorted(part.labels[i])), ", ".join(labels), f"{100 * value:.0f}")
    return table
