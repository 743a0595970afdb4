"""Figures: reproducible bytes, and names that are unique on a page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest

from reproduction.report import Figure, Section, heat_map, html_page, pipeline_figure
from tests.reproduction.report.figures import NAN, SVG, small_map

MAKERS = pytest.mark.parametrize("make", [small_map, pipeline_figure])


@MAKERS
def test_the_same_figure_has_the_same_bytes(make: Callable[[], Figure]) -> None:
    assert make() == make()


@MAKERS
def test_another_process_with_other_settings_draws_the_same_bytes(
    make: Callable[[], Figure], tmp_path: Path, repository: Path
) -> None:
    settings = tmp_path / "matplotlibrc"
    settings.write_text("font.size: 20\nsvg.fonttype: path\naxes.facecolor: red\n", encoding="utf-8")
    path = os.pathsep.join([str(repository), *filter(None, [os.environ.get("PYTHONPATH")])])
    program = f"import sys; from {make.__module__} import {make.__name__} as make; sys.stdout.write(make().svg)"
    result = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program],
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(settings)},
        capture_output=True,
        check=True,
    )
    assert result.stdout.decode("utf-8") == make().svg


def test_the_settings_of_the_user_are_unchanged() -> None:
    with matplotlib.rc_context({"font.size": 17.0}):
        before = dict(matplotlib.rcParams)
        small_map()
        assert dict(matplotlib.rcParams) == before


@MAKERS
def test_a_figure_is_one_element_with_its_title_and_no_date(make: Callable[[], Figure]) -> None:
    figure = make()
    assert figure.svg.startswith("<svg")
    assert ElementTree.fromstring(figure.svg).findtext(f"{SVG}title") == figure.title
    assert "date" not in figure.svg.lower()


def test_figures_on_one_page_have_unique_names_and_valid_links() -> None:
    maps = tuple(heat_map(name, "", ["a"], ["b", "c"], [[1.0, NAN]], "", "") for name in ("one", "two"))
    page = html_page("", [Section("", figures=(*maps, pipeline_figure()))])
    names = re.findall(r' id="([^"]*)"', page)
    targets = re.findall(r'(?:href="|url\()#([^")]*)', page)
    assert len(names) == len(set(names))
    assert len(set(targets)) > 2
    assert set(targets) <= set(names)


def test_texts_that_look_like_names_of_elements_are_unchanged() -> None:
    figure = heat_map("one", "", ['x id="y"'], ["url(#z)"], [[1.0]], "", "")
    assert '>x id="y"<' in figure.svg
    assert ">url(#z)<" in figure.svg
