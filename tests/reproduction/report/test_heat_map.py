"""Heat maps: numbers, hatching and frames."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from reproduction.report import Figure, heat_map
from reproduction.report.heat_map import BEST, CHOSEN, MAX_NUMBERS
from setwise.exceptions import InvalidData, InvalidParameter
from tests.reproduction.report.figures import NAN, elements_of, map_of, small_map, texts_of


def framed_cells(figure: Figure, style: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the labels nearest to the frames of a style, without the legend's, which comes last."""
    labels = {element.text or "": element for element in elements_of(figure, "text")}

    def nearest(prefix: str, axis: str, place: float) -> str:
        names = [text for text in labels if re.fullmatch(rf"{prefix}\d", text)]
        return min(names, key=lambda name: abs(float(labels[name].get(axis, "nan")) - place))

    cells = []
    for path in elements_of(figure, "path"):
        if f"stroke: {style['edgecolor']}" in path.get("style", ""):
            points = np.array(re.findall(r"-?[\d.]+", path.get("d", "")), dtype=np.float64).reshape(-1, 2)
            x, y = (points.min(axis=0) + points.max(axis=0)) / 2
            cells.append((nearest("r", "y", y), nearest("c", "x", x)))
    return cells[:-1]


def hatched(figure: Figure) -> int:
    return figure.svg.count("fill: url(#")


def test_labels_are_texts() -> None:
    words = {"r0", "r1", "c0", "c1", "down", "across", "%", "best", "chosen", "no value"}
    assert words <= set(texts_of(small_map()))


def test_dollars_and_underscores_are_not_formulas() -> None:
    figure = heat_map("m", "", ["$a_1$"], ["$"], [[1.0]], "$x$", "a_b")
    assert {"$a_1$", "$", "$x$", "a_b"} <= set(texts_of(figure))


def test_blank_cells_are_hatched_and_have_no_number() -> None:
    figure = small_map()
    assert [text for text in texts_of(figure) if re.fullmatch(r"\d+\.\d|nan", text)] == ["50.0", "61.5", "40.0"]
    assert hatched(figure) == 2  # the cell, and its patch in the legend
    full = map_of([[50.0, 1.0], [61.5, 40.0]])
    assert hatched(full) == 0
    assert "no value" not in texts_of(full)


def test_the_first_best_cell_and_the_chosen_one_are_framed() -> None:
    figure = map_of([[50.0, NAN, 1.0], [2.0, 40.0, 61.0], [61.0, 4.0, 3.0]], chosen=(0, 1))
    assert framed_cells(figure, BEST) == [("r1", "c2")]
    assert framed_cells(figure, CHOSEN) == [("r0", "c1")]


def test_no_cell_is_chosen_by_default() -> None:
    figure = map_of([[50.0, 1.0]])
    assert framed_cells(figure, BEST) == [("r0", "c0")]
    assert framed_cells(figure, CHOSEN) == []
    assert "chosen" not in texts_of(figure)


def test_one_low_value_does_not_make_all_others_look_alike() -> None:
    (cells,) = (
        group for group in elements_of(map_of([[0.0, *range(70, 78)]]), "g") if "QuadMesh" in group.get("id", "")
    )
    colours = re.findall(r"fill: (#\w+)", " ".join(cell.get("style", "") for cell in cells))
    assert colours[0] == colours[1]
    assert len(set(colours)) == 7  # 0, 70 and 71 are the palest


def test_the_first_row_is_on_top() -> None:
    heights = {label.text: float(label.get("y", "nan")) for label in elements_of(small_map(), "text")}
    assert heights["r0"] < heights["r1"]


def test_numbers_are_written_only_into_few_cells() -> None:
    few, many = np.full((10, MAX_NUMBERS // 10), 77.7), np.full((1, MAX_NUMBERS + 1), 77.7)
    few[0, 0] = many[0, 0] = 12.3
    assert texts_of(map_of(few)).count("77.7") == MAX_NUMBERS - 1
    assert "77.7" not in texts_of(map_of(many))


@pytest.mark.parametrize("values", [[[NAN]], [[5.0]], [[5.0, 5.0]], [[NAN, 0.0]]])
def test_maps_of_one_value_or_none_are_drawn(values: Any) -> None:
    assert ("best" in texts_of(map_of(values))) == (not np.isnan(values).all())


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [1.0, 2.0], [[1.0], [2.0], [3.0]]])
def test_values_of_another_shape_are_refused(values: Any) -> None:
    with pytest.raises(InvalidData, match=r"got shape \(.*\) for 2 rows and 1 columns\.$"):
        heat_map("m", "", ["a", "b"], ["c"], values, "", "")


def test_a_map_without_cells_is_refused() -> None:
    with pytest.raises(InvalidData, match=r"got shape \(0, 0\)"):
        map_of(np.zeros((0, 0)))


def test_infinite_values_are_refused() -> None:
    with pytest.raises(InvalidData, match="must be finite"):
        map_of([[np.inf]])


@pytest.mark.parametrize("chosen", [(2, 0), (0, 2), (-1, 0)])
def test_the_chosen_cell_must_exist(chosen: tuple[int, int]) -> None:
    with pytest.raises(InvalidParameter, match="of 2 x 2 cells, counted from 0; got "):
        map_of(np.zeros((2, 2)), chosen)
