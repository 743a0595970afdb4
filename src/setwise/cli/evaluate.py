"""``setwise evaluate``: score a model on labeled documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.option_groups import AsJson, Cluster, LabeledData, ModelPath, WorkFolderPath
from setwise.cli.predict import BATCH
from setwise.cli.read_options import with_read_options
from setwise.cli.runtime import print_note, print_skipped, show_progress, show_spinner
from setwise.cli.terminal import Table, print_json, print_table

if TYPE_CHECKING:
    from setwise.data import Document
    from setwise.reports import Scores

__all__ = ["evaluate"]


@with_read_options
def evaluate(
    model: ModelPath,
    data: LabeledData,
    show: Annotated[int, typer.Option(min=0, help="Number of labels in the table; 0 shows all.")] = 20,
    as_json: AsJson = False,
    cluster: Cluster = None,
    work_folder: WorkFolderPath = None,
    read_options: Any = None,
) -> None:
    """Score a model on labeled documents that it was not trained on.

    The F1 of two empty sets is 1. A label that the model was not trained on
    counts as missed. Macro F1 leaves out labels that are neither true nor
    predicted in any document.

    Examples:

        setwise evaluate topics.setwise test.jsonl

        setwise evaluate topics.setwise test.csv --labels tags --show 0

        setwise evaluate topics.setwise test.jsonl --json

        setwise evaluate topics.setwise test.jsonl --cluster local:4
    """
    from setwise.classifier import SetClassifier
    from setwise.cli.data_checks import DataChecks
    from setwise.cli.features import encode_documents
    from setwise.data import batches, check_files, input_files, open_documents
    from setwise.persistence import read_model
    from setwise.reports import BatchScorer

    check_files([model, *input_files(data, read_options)])
    file = read_model(model)
    classifier = SetClassifier.from_state(file.state)
    scorer, checks = BatchScorer(classifier), DataChecks(data, read_options, "separator", "ids", "texts", "coverage")
    with open_documents(data, read_options) as documents:
        labeled = _labeled(show_progress(documents, "documents"), documents.name)
        if cluster is not None:
            from setwise.cli.sharded import Shards  # late: it is not needed otherwise

            shards = Shards.of(cluster, work_folder, model, classifier, documents.name)
            for batch, predicted, coverage in shards.score(labeled):
                checks.add(batch, coverage)
                scorer.add_predicted(predicted, [list(document.labels or ()) for document in batch])
        for batch in batches(labeled, BATCH):
            encoded = encode_documents(batch, classifier.vectorizer_, classifier.n_features_in_, documents.name)
            checks.add(batch, encoded.coverage)
            scorer.add(encoded.X, [list(document.labels or ()) for document in batch], encoded.coverage)
    print_skipped(documents.problems)
    checks.print_warnings()
    checks.warn_trained_on(file.trained_on, model)
    with show_spinner("scoring"):
        scores = scorer.scores()
    if unknown := scores.unknown_labels:
        print_note(f"warning: the model was not trained on {len(unknown):,} of the labels, such as {unknown[0]!r}.")
    if as_json:
        print_json(scores.as_json())
    else:
        _print_scores(scores, show)


def _labeled(documents: Iterable[Document], name: str) -> Iterator[Document]:
    """Yield the documents; raise ``InvalidData`` where one has no labels."""
    from setwise.exceptions import InvalidData

    for document in documents:
        if document.labels is None:
            raise InvalidData(f"Some documents of {name} have no labels. Evaluate labeled documents.")
        yield document


def _print_scores(scores: Scores, n_labels: int) -> None:
    """Print the metrics, and one row for each of the most frequent labels."""
    from setwise.reports import metric_title

    table = Table("", "", box=None, show_header=False)
    table.align_right(1)
    table.add_row("documents", f"{scores.n_documents:,}")
    for name, value in scores.metrics.items():
        table.add_row(metric_title(name), f"{value:.4f}")
    table.add_row("labels left out of macro F1", f"{scores.n_absent_labels:,}")
    table.add_row("predicted sets unseen in training", f"{scores.n_predicted_unseen:,}")
    table.add_row("true sets unseen in training", f"{scores.n_true_unseen:,}")
    if scores.expected_f1 is not None and scores.expected_f1_error is not None:
        table.add_row("mean expected F1", f"{scores.expected_f1:.4f}")
        table.add_row("calibration error of expected F1", f"{scores.expected_f1_error:.4f}")
    if scores.confidence is not None:
        table.add_row("mean confidence", f"{scores.confidence:.4f}")
        table.add_row("calibration error of confidence", f"{scores.confidence_error:.4f}")
        table.add_row("Brier score of confidence", f"{scores.confidence_brier:.4f}")
    print_table(table)
    _print_reliability(scores)
    by_label = Table("label", "true", "predicted", "both", "precision", "recall", "F1", box=None)
    by_label.align_right(*range(1, 7))
    frequent = sorted(scores.labels, key=lambda row: -row["n_true"])
    for row in frequent[: n_labels or None]:
        counts = (f"{row[name]:,}" for name in ("n_true", "n_predicted", "n_shared"))
        by_label.add_row(row["name"], *counts, *(f"{row[name]:.3f}" for name in ("precision", "recall", "f1")))
    print_table(by_label)
    if n_labels and len(frequent) > n_labels:
        print_note(f"showing the {n_labels} most frequent of {len(frequent):,} labels; --show 0 shows all.")


def _print_reliability(scores: Scores) -> None:
    """Print how sure predictions were, and how good they are, for tenths of the documents."""
    if not scores.reliability:
        return
    table = Table("documents", "confidence", "exactly right", "expected F1", "F1", box=None)
    table.align_right(*range(5))
    for row in scores.reliability:
        shares = (f"{row[name]:.3f}" for name in ("confidence", "exactly_right", "expected_f1", "f1"))
        table.add_row(f"{row['n_documents']:,}", *shares)
    print_table(table)
