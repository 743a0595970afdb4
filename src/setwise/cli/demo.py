"""``setwise demo``: train, evaluate and save a model on texts that every installation has."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.classifier_options import Budget, RandomState, build_classifier
from setwise.cli.runtime import command_line, print_note, show_spinner
from setwise.cli.terminal import Table, print_line, print_table

if TYPE_CHECKING:
    from setwise import SetClassifier

__all__ = ["demo"]

TEST_SIZE = 0.2
N_EXAMPLES = 5


@dataclass(frozen=True)
class _Corpus:
    names: list[str]
    texts: list[str]
    labels: list[list[str]]


def demo(
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Model file to write.")] = (
        "demo.setwise"
    ),
    held_out: Annotated[
        str, typer.Option(metavar="FILE", help="File to write the held-out documents to.")
    ] = "demo-held-out.jsonl",
    budget: Budget = "normal",
    random_state: RandomState = 0,
    documents: Annotated[int | None, typer.Option(min=100, help="Number of documents; all by default.")] = None,
) -> None:
    """Train on the docstrings of Python, NumPy, SciPy and scikit-learn, and show predictions.

    Needs no data and no network. The labels of a docstring are its library,
    package, module, kind (class, method) and contents (has an example, raises).

    Examples:

        setwise demo

        setwise demo --documents 2000 --budget quick

        setwise demo -o docs.setwise --held-out test.jsonl
    """
    from setwise.data import check_files, format_of
    from setwise.exceptions import InvalidParameter
    from setwise.text import TextVectorizer

    check_files((), (output, held_out))
    if format_of(held_out).kind != "text":
        raise InvalidParameter(f"{held_out} is not a text format. Use a suffix such as .jsonl.")
    started = perf_counter()
    with show_spinner("collecting docstrings"):
        train, test = _split_docstrings(random_state, documents)
    vectorizer = TextVectorizer()
    with show_spinner("counting words"):
        X, X_test = vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)
    n_labels = len({name for names in train.labels for name in names})
    print_line(
        f"{len(train.texts) + len(test.texts):,} docstrings of Python, NumPy, SciPy and scikit-learn, "
        f"{len(test.texts):,} of them held out: {X.shape[1]:,} words, {n_labels} labels, "
        f"{len({tuple(names) for names in train.labels}):,} label sets in training."
    )
    print_note("training one logistic regression per label, and tuning it on held-out documents ...")
    classifier = build_classifier(model="br", budget=budget, random_state=random_state).fit(X, train.labels)
    with show_spinner("predicting the held-out documents in three ways"):
        comparison = _comparison_table(classifier, X_test, test.labels)
        examples = _example_table(classifier, X_test, test)
    print_table(comparison)
    print_table(examples)
    classifier.save(output, vectorizer, documents=len(train.texts))
    _write_documents(held_out, test)
    print_line(f"The model is in {output}, the held-out documents are in {held_out}. Try next:")
    print_line(f"  {command_line('predict', output, held_out, '--top', '3')} | head -1")
    print_line(f"  {command_line('evaluate', output, held_out)}")
    print_note(f"{perf_counter() - started:.0f} s in total")


def _split_docstrings(random_state: int, n_documents: int | None) -> tuple[_Corpus, _Corpus]:
    """Return the training and the test documents."""
    from setwise.data import collect_docstrings, hold_out

    docstrings = collect_docstrings()
    if n_documents is not None:
        docstrings = docstrings[:: max(1, len(docstrings) // n_documents)][:n_documents]
    labels = [list(docstring.labels) for docstring in docstrings]
    train, test = (
        _Corpus([docstrings[i].name for i in part], [docstrings[i].text for i in part], [labels[i] for i in part])
        for part in hold_out(labels, TEST_SIZE, random_state)
    )
    return train, test


def _write_documents(file: str, corpus: _Corpus) -> None:
    """Write the documents in the format of the file's suffix."""
    from setwise.data import TextDocument, open_writer

    with open_writer(file) as write:
        for name, text, labels in zip(corpus.names, corpus.texts, corpus.labels, strict=True):
            write(TextDocument(text, tuple(labels), name))


def _comparison_table(classifier: SetClassifier, X: Any, y: list[list[str]]) -> Table:
    """Score three recipes that predict from the same fitted model."""
    from setwise.metrics import instance_f1, set_accuracy
    from setwise.prediction import Recipe

    table = Table("prediction, from the same weights", "instance F1 %", "set accuracy %")
    table.align_right(1, 2)
    recipes = {
        "most probable set (labels above one half)": Recipe("mode", "most_probable"),
        "support inference + GFM, as in the paper": Recipe("support", "gfm"),
        "as tuned: " + ("" if classifier.tuning_ is None else classifier.tuning_.recipe_name): classifier.recipe_,
    }
    posterior = classifier.model_.posterior(X)
    for title, recipe in recipes.items():
        decision = recipe.decide(posterior, classifier.support_, with_value=False)
        predicted = classifier.labels_.with_indicator(decision.sets).name_lists()
        table.add_row(title, f"{100 * instance_f1(y, predicted):.1f}", f"{100 * set_accuracy(y, predicted):.1f}")
    return table


def _example_table(classifier: SetClassifier, X: Any, test: _Corpus) -> Table:
    """Show the predictions for a few test documents."""
    table = Table("docstring of", "true labels", "predicted labels", "expected F1 %")
    table.align_right(3)
    shown = [i * len(test.texts) // N_EXAMPLES for i in range(N_EXAMPLES)]  # spread over the libraries
    sure = classifier.confidence(X[shown])
    predicted = classifier.labels_.with_indicator(sure.sets).name_lists()
    for i, labels, value in zip(shown, predicted, sure.expected_f1, strict=True):
        table.add_row(test.names[i], ", ".join(sorted(test.labels[i])), ", ".join(labels), f"{100 * value:.0f}")
    return table
