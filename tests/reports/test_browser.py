"""The pages in a real browser: no error, nothing beyond the edge of a phone, tables sort, markup is text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from screenshots.browser import MissingBrowser, find_browser, open_browser
from setwise import SetClassifier
from setwise.reports import compare_report, make_report
from tests.reports.small import LABELS, TEXTS, noisy, trained

PAPER = 740
"""Pixels between the margins of letter paper, where two columns have the least room."""

NAMES = {"sport": "<img src=x onerror=alert(1)>", "weather": "a-very-long-name-without-any-space-in-it-" * 3}


def renamed(labels: list[list[str]]) -> list[list[str]]:
    return [[NAMES.get(name, name) for name in names] for names in labels]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the addresses of a report and of a comparison."""
    folder = tmp_path_factory.mktemp("pages")
    texts, labels = noisy(200, 1)
    classifier = SetClassifier("crf", budget="quick", n_jobs=1).fit(texts, renamed(labels))
    long = [f"{text} </script><script>document.title='no'</script> {'w' * 200}" for text in TEXTS]
    found = {
        "report": make_report(classifier, long, renamed(LABELS)),
        "comparison": compare_report(classifier, trained(), TEXTS, LABELS, names=("a" * 60, "b")),
    }
    for name, made in found.items():
        (folder / f"{name}.html").write_text(made.html(), encoding="utf-8")
    return {name: (Path(folder) / f"{name}.html").as_uri() for name in found}


@pytest.fixture(scope="module", params=[(360, False), (1200, True)], ids=["phone", "wide, dark"])
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    try:
        find_browser()
    except MissingBrowser as reason:
        pytest.skip(str(reason))
    width, dark = request.param
    with open_browser(width, 800, dark) as driver:
        yield driver


@pytest.mark.parametrize("name", ["report", "comparison"])
def test_no_error_and_nothing_beyond_the_edge(browser: Any, pages: dict[str, str], name: str) -> None:
    browser.get(pages[name])
    for fold in browser.find_elements("css selector", "details:not([open]) > summary"):
        browser.execute_script("arguments[0].click()", fold)
    assert browser.get_log("browser") == []
    width, inner = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert width <= inner
    beyond = browser.execute_script(
        "return [...document.querySelectorAll('body *')].filter((one) => !one.closest('.wide, .text, svg') && "
        "one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 120))"
    )
    assert beyond == []
    assert browser.title != "no"
    assert browser.find_elements("css selector", "img") == []


def test_no_table_is_cut_off_in_print(browser: Any, pages: dict[str, str]) -> None:
    browser.get(pages["report"])
    width = browser.execute_script("return innerWidth")
    if width < PAPER:
        pytest.skip("Paper is not as narrow as a phone.")
    size = {"width": PAPER, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        cut = browser.execute_script(
            "return [...document.querySelectorAll('.wide')].filter((one) => one.checkVisibility() && "
            "one.scrollWidth > one.clientWidth + 1).map((one) => one.outerHTML.slice(0, 120))"
        )
        assert cut == []
        assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    finally:
        dark = {"name": "prefers-color-scheme", "value": "dark"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [dark]})
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**size, "width": width})


def test_dark_and_light(browser: Any, pages: dict[str, str]) -> None:
    browser.get(pages["report"])
    is_dark = browser.execute_script("return matchMedia('(prefers-color-scheme: dark)').matches")
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(20, 23, 27)") == is_dark


def test_tables_sort_by_numbers_and_by_names(browser: Any, pages: dict[str, str]) -> None:
    browser.get(pages["report"])
    table = browser.find_element("css selector", "#labels table.sortable")

    def column(place: int) -> list[str]:
        script = "return [...arguments[0].tBodies[0].rows].map((row) => row.cells[arguments[1]].textContent)"
        return list(browser.execute_script(script, table, place))

    def press(place: int) -> str:
        button = table.find_elements("css selector", "th button")[place]
        browser.execute_script("arguments[0].click()", button)
        heading = table.find_elements("css selector", "th")[place]
        return str(heading.get_attribute("aria-sort"))

    before = column(0)
    assert press(7) == "descending"
    numbers = [float(text.split()[0]) for text in column(7)]
    assert numbers == sorted(numbers, reverse=True)
    assert press(7) == "ascending"
    numbers = [float(text.split()[0]) for text in column(7)]
    assert numbers == sorted(numbers)
    assert press(0) == "ascending"
    assert sorted(column(0)) == sorted(before)
    assert column(0)[0] == NAMES["sport"]
    assert table.find_elements("css selector", "th[aria-sort]") == [table.find_elements("css selector", "th")[0]]


def test_without_script_all_rows_are_there(browser: Any, pages: dict[str, str]) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(pages["report"])
        assert browser.find_elements("css selector", "th button") == []
        assert len(browser.find_elements("css selector", "#labels table.sortable tbody tr")) == 5
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
