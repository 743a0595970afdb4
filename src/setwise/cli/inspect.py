"""``setwise inspect``: show what a model file contains."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.option_groups import AsJson, ModelPath
from setwise.cli.runtime import print_note
from setwise.cli.terminal import Table, print_json, print_table

if TYPE_CHECKING:
    from setwise.persistence import ClassifierState, ModelFile

__all__ = ["inspect"]


def inspect(
    model: ModelPath,
    n_features: Annotated[int, typer.Option("--top-features", min=0, help="Top features to show per label.")] = 5,
    show: Annotated[int, typer.Option(min=0, help="Number of labels in the table; 0 shows all.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what a model file contains: labels, label sets, size, and the top features of each label.

    Examples:

        setwise inspect topics.setwise

        setwise inspect topics.setwise --top-features 10 --show 0 --json
    """
    from setwise.cli.top_features import top_features
    from setwise.data import check_files
    from setwise.persistence import read_model

    check_files([model])
    file = read_model(model)
    state = file.state
    support, size = state.support, state.model.size()
    facts: dict[str, Any] = {
        "file": model,
        "bytes": Path(model).stat().st_size,
        "setwise": file.manifest.get("setwise_version"),
        "model": type(state.model).__name__,
        "inference": state.recipe.inference,
        "decision": state.recipe.decision,
        "documents": int(support.counts.sum()),
        "labels": len(state.labels.labels),
        "label_sets": support.n_sets,
        "features": state.n_features,
        "feature_set": _feature_set(state),
        "features_used": size.n_features_used,
        "nonzero_weights": size.n_nonzero,
    }
    name_of = _feature_namer(file)
    documents_per_label = support.sets.indicator.T @ support.counts
    rows = [
        {
            "label": str(label),
            "documents": int(count),
            "top_features": [(name_of(feature), round(weight, 4)) for feature, weight in features],
        }
        for label, count, features in zip(
            state.labels.labels, documents_per_label, top_features(state.model, n_features), strict=True
        )
    ]
    if as_json:
        print_json({**facts, "per_label": rows})
    else:
        _print_tables(facts, sorted(rows, key=lambda row: -row["documents"]), show)


def _feature_set(state: ClassifierState) -> str:
    """Return a short name of the features: which n-grams of texts, or how counts are weighted."""
    from setwise.text import feature_set_name

    if state.vectorizer is not None:
        return feature_set_name(state.vectorizer)
    return "as is" if state.weighting is None else state.weighting.weighting


def _feature_namer(file: ModelFile) -> Callable[[int], str]:
    """Return a function from the index of a feature to its name."""
    vectorizer, statistics = file.state.vectorizer, file.manifest["statistics"]
    names = statistics.get("feature_names") if vectorizer is None else vectorizer.words_
    return names.__getitem__ if names else lambda feature: f"feature {feature + 1}"


def _print_tables(facts: dict[str, Any], rows: list[dict[str, Any]], n_labels: int) -> None:
    """Print the facts, and one row for each of the first ``n_labels`` labels."""
    summary = Table("", "", box=None, show_header=False)
    for name, value in facts.items():
        summary.add_row(name.replace("_", " "), f"{value:,}" if isinstance(value, int) else str(value))
    print_table(summary)
    table = Table("label", "documents", "top features", box=None)
    table.align_right(1)
    for row in rows[: n_labels or None]:
        features = ", ".join(f"{name} {weight:+.2f}" for name, weight in row["top_features"])
        table.add_row(row["label"], f"{row['documents']:,}", features)
    print_table(table)
    if n_labels and len(rows) > n_labels:
        print_note(f"showing the {n_labels} most frequent of {len(rows):,} labels; --show 0 shows all.")
