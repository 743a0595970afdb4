"""``setwise evaluate``: how well a model does on labelled documents."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.predict import BATCH
from setwise.cli.reading import takes_read_options
from setwise.cli.runtime import note, note_skipped, watch, working
from setwise.cli.settings import ModelFile
from setwise.cli.terminal import Table, say_json, show

if TYPE_CHECKING:
    from setwise.cli.scoring import Scores

__all__ = ["evaluate"]


@takes_read_options
def evaluate(
    model: ModelFile,
    data: Annotated[str, typer.Argument(metavar="DATA", help="Documents with labels; - is standard input.")],
    shown: Annotated[int, typer.Option("--show", min=0, help="Rows of the table of labels; 0 shows all.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    reading: Any = None,
) -> None:
    """Measure a model on labelled documents that it was not trained on.

    F1 of two empty sets is 1. A label that the model does not know counts as missed. Macro F1 leaves out labels that
    are neither true nor predicted in any document.

    Examples:

        setwise evaluate topics.setwise test.jsonl

        setwise evaluate topics.setwise test.csv --labels tags --json
    """
    from setwise.cli.data_checks import DataChecks
    from setwise.cli.features import rows_of
    from setwise.cli.scoring import Scoring
    from setwise.data import batches, check_files, files_read, open_documents
    from setwise.exceptions import InvalidData
    from setwise.persistence import load

    check_files([model, *files_read(data, reading)])
    saved = load(model)
    classifier = saved.classifier
    scoring, checks = Scoring(classifier), DataChecks(data, reading, "separator", "ids", "texts", "coverage")
    with open_documents(data, reading) as documents:
        for batch in batches(watch(documents, "documents"), BATCH):
            if any(document.labels is None for document in batch):
                raise InvalidData(f"{documents.name} must give the labels of every document; some have none given.")
            rows = rows_of(batch, saved.text, classifier.n_features_in_, documents.name)
            checks.see(batch, rows.coverage)
            scoring.add(rows.X, [list(document.labels or ()) for document in batch])
    note_skipped(documents.problems)
    checks.note()
    checks.note_trained_on(saved.trained_on, model)
    with working("scoring"):
        scores = scoring.scores()
    if scores.unknown_labels:
        note(f"{len(scores.unknown_labels):,} labels are unknown to the model, such as {scores.unknown_labels[0]!r}.")
    if as_json:
        say_json(asdict(scores))
    else:
        _show(scores, shown)


def _show(scores: Scores, n_labels: int) -> None:
    table = Table("", "", box=None, show_header=False)
    table.columns[1].justify = "right"
    table.add_row("documents", f"{scores.n_documents:,}")
    for name in (
        "instance_f1",
        "instance_precision",
        "instance_recall",
        "set_accuracy",
        "micro_f1",
        "macro_f1",
        "hamming_loss",
    ):
        table.add_row(name.replace("_", " "), f"{getattr(scores, name):.4f}")
    table.add_row("labels left out of macro f1", f"{scores.n_labels_left_out:,}")
    table.add_row("predicted sets unseen in training", f"{scores.predicted_unseen:,}")
    table.add_row("true sets unseen in training", f"{scores.true_unseen:,}")
    if scores.expected_f1 is not None and scores.expected_f1_error is not None:
        table.add_row("expected F1, mean", f"{scores.expected_f1:.4f}")
        table.add_row("calibration error of expected F1", f"{scores.expected_f1_error:.4f}")
    show(table)
    by_label = Table("label", "true", "predicted", "both", "precision", "recall", "F1", box=None)
    for column in by_label.columns[1:]:
        column.justify = "right"
    frequent = sorted(scores.labels, key=lambda row: -row["n_true"])
    for row in frequent[: n_labels or None]:
        counts = (f"{row[name]:,}" for name in ("n_true", "n_predicted", "n_shared"))
        by_label.add_row(row["name"], *counts, *(f"{row[name]:.3f}" for name in ("precision", "recall", "f1")))
    show(by_label)
    if n_labels and len(frequent) > n_labels:
        note(f"the {n_labels} most frequent of {len(frequent):,} labels; --show 0 shows all.")
