"""``setwise inspect``: what is in a model file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from setwise.cli.runtime import note
from setwise.cli.settings import ModelFile
from setwise.cli.terminal import Table, say_json, show

__all__ = ["inspect"]


def inspect(
    model: ModelFile,
    words: Annotated[int, typer.Option(min=0, help="How many of the strongest words of each label to show.")] = 5,
    labels: Annotated[int, typer.Option("--show", min=0, help="Labels in the table; 0 shows all.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what a model file holds: labels, label sets, size, features used, strongest words.

    Examples:

        setwise inspect topics.setwise

        setwise inspect topics.setwise --words 10 --show 0 --json
    """
    from setwise.cli.top_features import strongest_features
    from setwise.data import check_files
    from setwise.models.model_size import model_size
    from setwise.persistence import load

    check_files([model])
    saved = load(model)
    classifier = saved.classifier
    name_of = _feature_names(saved)
    size = model_size(classifier.model_)
    recipe = classifier.recipe_
    counts = _documents_of_labels(classifier)
    facts: dict[str, Any] = {
        "file": model,
        "bytes": Path(model).stat().st_size,
        "setwise": saved.manifest.get("setwise_version"),
        "model": type(classifier.model_).__name__,
        "inference": recipe.inference,
        "decision": recipe.decision,
        "documents": int(classifier.support_.counts.sum()),
        "labels": len(classifier.classes_),
        "label_sets": classifier.support_.n_sets,
        "features": classifier.n_features_in_,
        "features_used": size.n_features_used,
        "nonzero_weights": size.n_nonzero,
    }
    strongest = strongest_features(classifier.model_, words) if words else {}
    table = [
        {
            "label": str(label),
            "documents": int(count),
            "words": [(name_of(feature), round(weight, 4)) for feature, weight in strongest.get(index, [])],
        }
        for index, (label, count) in enumerate(zip(classifier.classes_, counts, strict=True))
    ]
    if as_json:
        say_json({**facts, "per_label": table})
    else:
        _show(facts, sorted(table, key=lambda row: -row["documents"]), labels)


def _feature_names(saved: Any) -> Callable[[int], str]:
    """Return a function from the number of a feature to its name."""
    known = saved.manifest["statistics"].get("feature_names") if saved.text is None else saved.text.words_
    return known.__getitem__ if known else lambda feature: f"feature {feature + 1}"


def _documents_of_labels(classifier: Any) -> Any:
    support = classifier.support_
    return support.sets.indicator.T @ support.counts


def _show(facts: dict[str, Any], rows: list[dict[str, Any]], n_labels: int) -> None:
    summary = Table("", "", box=None, show_header=False)
    for name, value in facts.items():
        summary.add_row(name.replace("_", " "), f"{value:,}" if isinstance(value, int) else str(value))
    show(summary)
    table = Table("label", "documents", "strongest words", box=None)
    table.columns[1].justify = "right"
    for row in rows[: n_labels or None]:
        words = ", ".join(f"{word} {weight:+.2f}" for word, weight in row["words"])
        table.add_row(row["label"], f"{row['documents']:,}", words)
    show(table)
    if n_labels and len(rows) > n_labels:
        note(f"the {n_labels} most frequent of {len(rows):,} labels; --show 0 shows all.")
