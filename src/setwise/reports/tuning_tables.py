"""Tables of what tuning tried: models, features, settings of the elastic net, early stopping, recipes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from setwise.metrics import METRICS, oriented
from setwise.reports.pictures import Cell, cell_map
from setwise.reports.scoring import metric_title
from setwise.reports.svg import COLORS, Band, Linear, Log, Picture
from setwise.reports.tables import Column, Table
from setwise.tuning import ModelTrial, Trial, TuningResult

__all__ = ["tuning_tables"]

NOT_TUNED = "Nothing was tuned: the model was trained with the parameters that it was given."
NOT_STORED = (
    "Not stored: the model file was written by an earlier version of setwise, which did not keep it. "
    "Train the model again to see it."
)
ONE_MODEL = "Only one kind of model was tuned."
NO_CURVES = "No setting was stopped early: every fit ran to convergence."

LONE_CELL = 2.0
"""A cell without neighbors reaches from its strength divided by this to its strength times this."""

MAX_CURVES = 5
"""Curves per picture: those of the best settings."""

_NOT_SHOWN = ("strength", "l1_ratio")


def tuning_tables(tuning: TuningResult | None) -> list[Table]:
    """Return the tables, empty ones with the reason where nothing is known."""
    if tuning is None:
        return [Table("tuning_models", "Models", (Column("model", "model"),), (), why_empty=NOT_TUNED)]
    tables = [_models(tuning)]
    if tuning.feature_trials:
        tables.append(_features(tuning))
    return [*tables, _settings(tuning), _curves(tuning), _recipes(tuning)]


def _stages(tuning: TuningResult) -> list[tuple[str, list[Trial] | None]]:
    """Return the settings that were tried of each model, None where they are not known; pools have none."""
    stages: list[ModelTrial] = tuning.model_trials
    if not stages:
        return [(tuning.model_name, tuning.trials)]
    return [(one.name, one.trials) for one in stages if one.trials is None or one.trials]


def _models(tuning: TuningResult) -> Table:
    rows = [
        (one.name, one.name == tuning.model_name, one.recipe, one.value, one.n_nonzero) for one in tuning.model_trials
    ]
    return Table(
        "tuning_models",
        "Models",
        (
            Column("model", "model"),
            Column("chosen", "chosen"),
            Column("recipe", "best recipe"),
            _value_column(tuning),
            Column("n_weights", "weights", "count"),
        ),
        [(name, "yes" if chosen else "", *rest) for name, chosen, *rest in rows],
        "Each measured on held-out documents that neither it nor its recipe was fitted to.",
        ONE_MODEL,
    )


def _features(tuning: TuningResult) -> Table:
    return Table(
        "tuning_features",
        "Features",
        (
            Column("features", "features"),
            Column("chosen", "chosen"),
            _value_column(tuning),
            Column("n_features", "number", "count"),
        ),
        [
            (one.name, "yes" if one.name == tuning.feature_set else "", one.value, one.n_features)
            for one in tuning.feature_trials
        ],
        "Each tried with a fast model, so that the scores compare with one another only.",
    )


def _settings(tuning: TuningResult) -> Table:
    stages = _stages(tuning)
    rows = [
        (
            name,
            trial.recipe,
            trial.setting.strength,
            trial.setting.values.get("l1_ratio"),
            _other_settings(trial),
            trial.n_iterations,
            trial.value,
        )
        for name, trials in stages
        for trial in trials or ()
    ]
    unknown = [name for name, trials in stages if trials is None]
    note = f" {NOT_STORED.partition(':')[0]}: the settings of {', '.join(unknown)}." if unknown and rows else ""
    return Table(
        "tuning_settings",
        "Strength and L1 ratio of the elastic net",
        (
            Column("model", "model"),
            Column("recipe", "recipe"),
            Column("strength", "strength", "number"),
            Column("l1_ratio", "L1 ratio", "number"),
            Column("other", "other settings"),
            Column("n_iterations", "iterations", "count"),
            _value_column(tuning),
        ),
        rows,
        f"The pictures show the best recipe of each setting. A path of strengths ends where weaker ones are clearly "
        f"worse.{note}",
        NOT_STORED if unknown else "No grid was searched.",
        lambda table: _draw_settings(table, tuning),
        is_sortable=True,
    )


def _draw_settings(table: Table, tuning: TuningResult) -> list[str]:
    """Draw one map of strength by L1 ratio per model."""
    pictures = []
    for model in dict.fromkeys(table.column("model")):
        best: dict[tuple[float, float | None], float] = {}
        for name, _, strength, ratio, _, _, value in table.rows:
            if name == model:
                key = strength, ratio
                best[key] = max(value, best.get(key, value), key=lambda one: oriented(tuning.scoring, one))
        pictures.append(_map_of(model, best, tuning))
    return pictures


def _map_of(model: str, best: dict[tuple[float, float | None], float], tuning: TuningResult) -> str:
    ratios = sorted({ratio for _, ratio in best}, key=lambda ratio: -1.0 if ratio is None else ratio)
    values = {key: oriented(tuning.scoring, value) for key, value in best.items()}
    worst, winner = min(values.values()), max(values, key=lambda key: values[key])
    cells = []
    for row, ratio in enumerate(ratios):
        strengths = sorted(strength for strength, of in best if of == ratio)
        for strength, (low, high) in zip(strengths, _cell_bounds(strengths), strict=True):
            share = (values[strength, ratio] - worst) / ((values[winner] - worst) or 1.0)
            text = f"{100 * best[strength, ratio]:.1f}"
            says = f"strength {strength:.3g}, L1 ratio {'none' if ratio is None else f'{ratio:g}'}: {text}"
            # Squared, so that the settings near the best can be told apart.
            cells.append(Cell((low, high), row, share**2, text, says, is_marked=(strength, ratio) == winner))
    return cell_map(
        f"{_title(model)}{_metric(tuning)} in percent by strength and L1 ratio; the best has a frame",
        Log(min(cell.x[0] for cell in cells), max(cell.x[1] for cell in cells), "{:.0e}".format),
        Band(["none" if ratio is None else f"{ratio:g}" for ratio in ratios]),
        f"{_title(model)}strength",
        "L1 ratio",
        cells,
        height=62 + 42 * len(ratios),
    )


def _cell_bounds(strengths: Sequence[float]) -> list[tuple[float, float]]:
    """Return where the cell of each strength begins and ends: halfway to the next one, on a logarithmic scale."""
    middles = [(low * high) ** 0.5 for low, high in pairwise(strengths)]
    first = strengths[0] ** 2 / middles[0] if middles else strengths[0] / LONE_CELL
    last = strengths[-1] ** 2 / middles[-1] if middles else strengths[-1] * LONE_CELL
    return list(pairwise([first, *middles, last]))


def _curves(tuning: TuningResult) -> Table:
    rows: list[tuple[Any, ...]] = []
    is_missing = False
    for name, trials in _stages(tuning):
        is_missing = is_missing or trials is None
        seen = set()
        for trial in trials or ():
            history = trial.row.get("history") or []
            is_missing = is_missing or (trial.n_iterations is not None and not history)
            if trial.setting in seen:  # the recipes of a setting share its training
                continue
            seen.add(trial.setting)
            for part, pairs in enumerate(history, start=1):
                rows += [(name, _setting_text(trial), part, int(iteration), value) for iteration, value in pairs]
    return Table(
        "tuning_curves",
        "Early stopping",
        (
            Column("model", "model"),
            Column("setting", "setting"),
            Column("part", "part", "count"),
            Column("iteration", "iteration", "count"),
            _value_column(tuning),
        ),
        rows,
        f"The score on held-out documents while a model trains, by the first recipe. The pictures show the mean over "
        f"the held-out parts for the {MAX_CURVES} best settings.",
        NOT_STORED if is_missing else NO_CURVES,
        lambda table: _draw_curves(table, tuning),
    )


def _draw_curves(table: Table, tuning: TuningResult) -> list[str]:
    pictures = []
    for model in dict.fromkeys(table.column("model")):
        points: dict[str, dict[int, list[float]]] = {}
        for name, setting, _, iteration, value in table.rows:
            if name == model:
                points.setdefault(setting, {}).setdefault(iteration, []).append(value)
        # Parts stop at different iterations; the mean is over those that all of them reached.
        means = {
            setting: [
                (i, sum(values) / len(values)) for i, values in sorted(curve.items()) if _is_complete(values, curve)
            ]
            for setting, curve in points.items()
        }
        best = sorted(means, key=lambda setting: -max(oriented(tuning.scoring, v) for _, v in means[setting]))
        pictures.append(_curves_of(model, {setting: means[setting] for setting in best[:MAX_CURVES]}, tuning))
    return pictures


def _is_complete(values: list[float], curve: dict[int, list[float]]) -> bool:
    return len(values) == max(map(len, curve.values()))


def _curves_of(model: str, curves: dict[str, list[tuple[int, float]]], tuning: TuningResult) -> str:
    values = [value for curve in curves.values() for _, value in curve]
    last = max(iteration for curve in curves.values() for iteration, _ in curve)
    room = max(max(values) - min(values), 0.01)
    picture = Picture(
        f"{_title(model)}{_metric(tuning)} on held-out documents while the model trains",
        Linear(0, last, "{:,.0f}".format),
        Linear(min(values) - 0.6 * room, max(values) + 0.05 * room),
        f"{_title(model)}iterations",
        _metric(tuning),
    )
    legend = []
    for (setting, curve), color in zip(curves.items(), COLORS, strict=False):
        picture.line([(float(iteration), value) for iteration, value in curve], color)
        iteration, value = max(curve, key=lambda point: oriented(tuning.scoring, point[1]))
        picture.dot(iteration, value, color, says=f"{setting}: best after {iteration} iterations, {value:.4f}")
        legend.append((_differing(setting, curves), color))
    picture.legend(legend)
    return picture.svg()


def _differing(setting: str, others: Iterable[str]) -> str:
    """Return the part of a setting that not all others share."""
    shared = set.intersection(*(set(one.split(", ")) for one in others))
    return ", ".join(part for part in setting.split(", ") if part not in shared) or setting


def _recipes(tuning: TuningResult) -> Table:
    rows = [
        (
            one.recipe,
            "yes" if one.recipe == tuning.recipe_name and one.value == tuning.value else "",
            one.value,
            _text(one.settings),
        )
        for one in tuning.alternatives
    ]
    return Table(
        "tuning_recipes",
        "Ways to predict",
        (
            Column("recipe", "inference, calibration, decision"),
            Column("chosen", "chosen"),
            _value_column(tuning),
            Column("settings", "with"),
        ),
        sorted(rows, key=lambda row: -oriented(tuning.scoring, row[2])),
        "Each recipe on the best settings of the chosen model, on documents that its parameters were not tuned on.",
        NOT_STORED,
        is_folded=True,
    )


def _value_column(tuning: TuningResult) -> Column:
    return Column("value", f"held-out {_metric(tuning)}", "share")


def _title(model: str) -> str:
    return f"{model}: " if model else ""


def _metric(tuning: TuningResult) -> str:
    return metric_title(tuning.scoring) if tuning.scoring in METRICS else tuning.scoring


def _other_settings(trial: Trial) -> str:
    return _text({name: value for name, value in trial.setting.values.items() if name not in _NOT_SHOWN})


def _setting_text(trial: Trial) -> str:
    return _text(trial.setting.values)


def _text(settings: dict[str, Any]) -> str:
    """Return settings in the order of their names, the strength first."""
    ordered: Iterable[tuple[str, Any]] = sorted(settings.items(), key=lambda item: (item[0] != "strength", item[0]))
    return ", ".join(f"{name.replace('_', ' ')} {_short(value)}" for name, value in ordered)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "(several)"
    return str(value)
