"""``setwise automate``: find the confidence from which predictions need no review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.option_groups import AsJson, LabeledData, ModelPath
from setwise.cli.predict import BATCH
from setwise.cli.read_options import with_read_options
from setwise.cli.runtime import print_note, print_skipped, show_progress
from setwise.cli.terminal import Table, print_json, print_line, print_table

if TYPE_CHECKING:
    from setwise.confidence import Automation

__all__ = ["automate"]


@with_read_options
def automate(
    model: ModelPath,
    data: LabeledData,
    target_accuracy: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, metavar="SHARE", help="Share of accepted sets that must be exactly right, such as 0.95."
        ),
    ] = None,
    target_f1: Annotated[
        float | None,
        typer.Option("--target-f1", min=0.0, max=1.0, metavar="F1", help="Mean F1 that accepted sets must have."),
    ] = None,
    level: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="How sure the promise must be, between 0 and 1.")
    ] = 0.9,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="OUT", help="Write the model with the threshold to this file."),
    ] = None,
    random_state: Annotated[int, typer.Option(min=0, help="Seed of the split of DATA.")] = 0,
    as_json: AsJson = False,
    read_options: Any = None,
) -> None:
    """Find the confidence from which predictions need no review.

    DATA are labeled documents that the model was not trained on. One half of
    them finds the lowest threshold of the confidence whose documents meet the
    target, with a margin for chance; the other half shows what it is worth.
    Where no threshold meets the target, nothing is automated.

    With the model that -o writes, `setwise predict` marks every document
    `accept` or `review`.

    Examples:

        setwise automate topics.setwise labeled.jsonl --target-accuracy 0.95

        setwise automate topics.setwise test.csv --target-f1 0.9 -o auto.setwise

        setwise automate topics.setwise labeled.jsonl --target-f1 0.9 --json
    """
    from setwise.classifier import SetClassifier
    from setwise.cli.automation import Outcomes
    from setwise.cli.data_checks import DataChecks
    from setwise.cli.features import encode_documents
    from setwise.confidence import AutomationTarget
    from setwise.data import batches, check_files, input_files, open_documents
    from setwise.exceptions import InvalidData, InvalidParameter
    from setwise.persistence import read_model

    if (target_accuracy is None) == (target_f1 is None):
        raise InvalidParameter("Name one target: --target-accuracy or --target-f1.")
    check_files([model, *input_files(data, read_options)], [] if output is None else [output])
    file = read_model(model)
    classifier = SetClassifier.from_state(file.state)
    outcomes, checks = Outcomes(classifier), DataChecks(data, read_options, "separator", "ids", "texts", "coverage")
    with open_documents(data, read_options) as documents:
        for batch in batches(show_progress(documents, "documents"), BATCH):
            if any(document.labels is None for document in batch):
                raise InvalidData(f"Some documents of {documents.name} have no labels. Pass labeled documents.")
            encoded = encode_documents(batch, classifier.vectorizer_, classifier.n_features_in_, documents.name)
            checks.add(batch, encoded.coverage)
            outcomes.add(encoded.X, [list(document.labels or ()) for document in batch], encoded.coverage)
    print_skipped(documents.problems)
    checks.print_warnings()
    checks.warn_trained_on(file.trained_on, model)
    found = outcomes.halves(AutomationTarget.of(target_accuracy, target_f1), level, random_state)
    if output is not None:
        classifier.automation_ = found.automation
        classifier.save(output, trained_on=file.trained_on, **file.manifest["statistics"])
    if as_json:
        print_json(found.as_json())
        return
    _print(found.automation, found.rows())
    if output is not None:
        print_note(f"wrote {output}; `setwise predict {output} DATA` marks each document accept or review.")


def _print(automation: Automation, rows: list[dict[str, Any]]) -> None:
    """Print the threshold and its promise, and what the second half shows, beside the cut without a margin."""
    name = "accuracy" if automation.metric == "accuracy" else "mean F1"
    if automation.threshold is None:
        print_line(f"Nothing can be automated: no threshold promises a target of {automation.target:g} in {name}.")
    else:
        print_line(f"Accept where the confidence is {automation.threshold:.4f} or more.")
        print_line(f"The {name} then is {automation.target:g} or more, with a chance of {automation.level:.0%}.")
    table = Table("cut", "threshold", "accepted", name, "other half: accepted", name, box=None)
    table.align_right(*range(1, 6))
    for row in rows:
        numbers = (row["threshold"], row["share"], row["value"], row["share_after"], row["value_after"])
        table.add_row(row["rule"], *("-" if number is None else f"{number:.4f}" for number in numbers))
    print_table(table)
