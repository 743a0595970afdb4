"""Pictures of reports: of two corpora, of a few stories, and of two models side by side."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from screenshots.browser import open_browser
from screenshots.stories import STORIES
from setwise import SetClassifier, load
from setwise.data import TextDocument, find_corpus, open_documents
from setwise.models import BinaryRelevance
from setwise.reports import Report, compare_report, make_report

__all__ = ["take"]

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = REPOSITORY / "build" / "reports"

CORPORA = ("reuters21578", "es_codiesp")
COMPARED = "reuters21578"


@dataclass(frozen=True)
class Shot:
    """A picture of a part of a page."""

    page: str
    name: str
    width: int
    height: int
    dark: bool = False
    at: str = ""
    """The element that is at the top, as a CSS selector; empty for the top of the page."""


def shots() -> list[Shot]:
    """Return all pictures."""
    wide, phone = (1100, 1150), (360, 780)
    taken = [
        Shot(name, f"report-{name}{suffix}{'-dark' if dark else ''}", *size, dark)
        for name in CORPORA
        for suffix, size in (("", wide), ("-phone", phone))
        for dark in (False, True)
    ]
    parts = [
        Shot("reuters21578", "report-labels", 1100, 1180, at="#labels"),
        Shot("reuters21578", "report-confusions", 1100, 640, dark=True, at="#confusions"),
        Shot("reuters21578", "report-tuning", 1100, 900, at="#tuning"),
        Shot("stories", "report-documents", 1100, 1000, at="#documents article"),
        Shot("stories", "report-documents-phone", 360, 780, dark=True, at="#documents article"),
    ]
    compared = [
        Shot("comparison", "report-comparison", 1100, 1250),
        Shot("comparison", "report-comparison-phone-dark", 360, 780, dark=True),
    ]
    return [*taken, *parts, *compared]


def take(folder: Path) -> Iterator[Path]:
    """Make the pages, take the pictures, and yield the file of each."""
    PAGES.mkdir(parents=True, exist_ok=True)
    for name, made in _reports().items():
        (PAGES / f"{name}.html").write_text(made.html(), encoding="utf-8")
    for shot in shots():
        file = folder / f"{shot.name}.png"
        file.write_bytes(_picture(shot))
        yield file


def _reports() -> dict[str, Report]:
    """Return the reports by the name of their page."""
    made = {}
    for name in CORPORA:
        texts, labels = _documents(name, "test")
        made[name] = make_report(_model(name), texts, labels, title=f"Report of {name}")
    model = _model(COMPARED)
    stories, topics = zip(*STORIES, strict=True)  # the texts of corpora are no part of the documentation
    made["stories"] = make_report(model, list(stories), list(map(list, topics)), title="Report of ten stories")
    texts, labels = _documents(COMPARED, "train")
    plain = SetClassifier(BinaryRelevance(1e-5, 1.0), "mode", "most_probable", calibration=None).fit(texts, labels)
    names = ("cut at one half", COMPARED)
    made["comparison"] = compare_report(
        plain, model, *_documents(COMPARED, "test"), names=names, title=" and ".join(names)
    )
    return made


def _model(name: str) -> SetClassifier:
    """Return the default model of a corpus, which is trained once for all runs."""
    file = PAGES / f"{name}.setwise"
    if not file.exists():
        SetClassifier().fit(*_documents(name, "train")).save(file)
    return load(file)


def _documents(name: str, part: str) -> tuple[list[str], list[list[str]]]:
    with open_documents(find_corpus(name).folder / f"{part}.jsonl.gz") as documents:
        read = [one for one in documents if isinstance(one, TextDocument)]
    return [one.text for one in read], [list(one.labels or ()) for one in read]


def _picture(shot: Shot) -> bytes:
    """Return a picture as PNG; raise ``RuntimeError`` where the page had an error."""
    with open_browser(shot.width, shot.height, shot.dark) as driver:
        driver.get((PAGES / f"{shot.page}.html").as_uri())
        top = 0.0
        if shot.at:
            script = "return document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY"
            top = max(driver.execute_script(script, shot.at) - 8, 0)
        errors: list[Any] = driver.get_log("browser")  # type: ignore[no-untyped-call]
        if errors:
            raise RuntimeError(f"{shot.page}: {errors[0]}")
        clip = {"x": 0, "y": top, "width": shot.width, "height": shot.height, "scale": 1}
        taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    return base64.b64decode(taken["data"])
