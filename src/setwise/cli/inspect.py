"""``setwise inspect``: show what a model file contains."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.option_groups import AsJson, ModelPath
from setwise.cli.runtime import print_note
from setwise.cli.startup import import_for_predictions
from setwise.cli.terminal import Table, print_json, print_table

if TYPE_CHECKING:
    from setwise.cli.label_facts import LabelFacts
    from setwise.persistence import ClassifierState, ModelFile

__all__ = ["inspect"]


def complete_label(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the labels of the model on the command line that a shell can insert as they are."""
    if ctx.find_root().obj:  # a process of its own, which lists names and ends
        import_for_predictions()
    from setwise.exceptions import SetwiseError
    from setwise.persistence import read_model

    # An option whose value is not there yet ends the parsing, and leaves arguments behind.
    model = next(iter(filter(None, [ctx.params.get("model"), *ctx.args])), "")
    try:
        names = map(str, read_model(model).state.labels.labels)
    except (SetwiseError, OSError):
        return []  # the command itself says what is wrong
    return [name for name in names if name.startswith(incomplete) and shlex.quote(name) == name]


def inspect(
    model: ModelPath,
    label: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Show this label alone, in detail.", autocompletion=complete_label),
    ] = None,
    n_features: Annotated[int, typer.Option("--top-features", min=0, help="Top features to show per label.")] = 5,
    show: Annotated[int, typer.Option(min=0, help="Number of labels in the table; 0 shows all.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what a model file contains: labels, label sets, size, and the top features of each label.

    With --label, show one label: how many training documents have it, what
    decides about it, its strongest features for and against, and the labels
    that it occurs with. A lift above 1 says that both occur together more often
    than they would by chance.

    Examples:

        setwise inspect topics.setwise

        setwise inspect topics.setwise --label sport --top-features 10

        setwise inspect topics.setwise --top-features 10 --show 0 --json
    """
    from setwise.cli.label_facts import LabelFacts, find_label
    from setwise.cli.top_features import top_features
    from setwise.data import check_files
    from setwise.persistence import read_model

    check_files([model])
    file = read_model(model)
    state = file.state
    if label is not None:
        found = LabelFacts.of(state, find_label(label, state.labels.labels), n_features, _feature_namer(file))
        if as_json:
            print_json(found.as_json())
        else:
            _print_label(found, show)
        return
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
            "label": str(name),
            "documents": int(count),
            "top_features": [(name_of(feature), round(weight, 4)) for feature, weight in features],
        }
        for name, count, features in zip(
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


def _print_label(facts: LabelFacts, n_labels: int) -> None:
    """Print one label: its facts, its strongest features, and the first ``n_labels`` labels that it occurs with."""
    summary = Table("", "", box=None, show_header=False)
    summary.add_row("label", facts.label)
    summary.add_row("documents", f"{facts.documents:,} of {facts.n_documents:,} ({facts.share:.1%})")
    summary.add_row("of them without another label", f"{facts.alone:,}")
    summary.add_row("label sets with it", f"{facts.label_sets:,}")
    summary.add_row("decided by", facts.decided_by)
    if facts.scale != 1.0:
        summary.add_row("scale of its score", f"{facts.scale:.3g}")
    summary.add_row("score without any feature", f"{facts.intercept:+.2f}")
    summary.add_row("features used", f"{facts.features_used:,}")
    print_table(summary)
    features = Table("for it", "weight", "against it", "weight", box=None)
    features.align_right(1, 3)
    for row in zip_longest(facts.top_features, facts.against_features):
        features.add_row(
            *(cell for pair in row for cell in (("", "") if pair is None else (pair[0], f"{pair[1]:+.2f}")))
        )
    print_table(features)
    others = Table("occurs with", "documents", "share of its documents", "lift", box=None)
    others.align_right(1, 2, 3)
    for other in facts.occurs_with[: n_labels or None]:
        others.add_row(other.label, f"{other.documents:,}", f"{other.share:.1%}", f"{other.lift:.2f}")
    if facts.occurs_with:
        print_table(others)
    if n_labels and len(facts.occurs_with) > n_labels:
        print_note(f"showing the {n_labels} most frequent of {len(facts.occurs_with):,} labels; --show 0 shows all.")
