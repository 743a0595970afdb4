"""The page: well-formed, without network, small, and with names and texts shown as text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise import SetClassifier
from setwise.decision import DECISIONS
from setwise.models import BinaryRelevance
from setwise.reports import make_report
from setwise.reports.document_card import DECIDED
from setwise.reports.svg import Band, Linear, Log, Picture, shortened
from tests.reports.small import LABELS, TEXTS, noisy, report, trained
from tests.strategies import LABEL_NAMES

VOID = {"meta", "link", "br"}
MAX_BYTES = 2_000_000


class Outline(HTMLParser):
    """Checks that elements are closed in order, and collects names, attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def outline(page: str) -> Outline:
    """Parse a page, and check what holds for every page of a report."""
    parsed = Outline()
    parsed.feed(page)
    parsed.close()
    assert not parsed.open
    assert page.count("<script>") == 1  # our own
    assert not [name for name, _ in parsed.attributes if name.startswith("on")]
    links = [value for name, value in parsed.attributes if name in ("src", "href", "action", "xlink:href")]
    assert all(one.startswith("#") or one == "data:," for one in links)
    assert not re.search(r"url\(|@import", page)
    assert parsed.names <= KNOWN, parsed.names - KNOWN
    return parsed


KNOWN = {
    *("html", "head", "meta", "link", "title", "style", "body", "header", "main", "section", "nav", "script"),
    *("h1", "h2", "h3", "h4", "p", "a", "b", "i", "div", "span", "dl", "dt", "dd", "ul", "li", "article", "details"),
    *("summary", "figure", "table", "thead", "tbody", "tr", "th", "td", "mark"),
    *("svg", "text", "rect", "line", "circle", "polyline"),
}


def test_the_page_has_every_section_and_a_title_per_picture() -> None:
    page = report().html()
    parsed = outline(page)
    for section in report().sections:
        assert f'<section id="{section.id}">' in page
        assert f'href="#{section.id}"' in page
    assert len(re.findall(r"<svg [^>]*><title>[^<]{10,}</title>", page)) == page.count("<svg") >= 7
    for table in report().tables:
        assert all(svg.startswith("<svg ") for svg in table.svg())
    assert "default-src 'none'" in page
    assert {"mark", "table", "svg"} <= parsed.names


ODD = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "a & b &amp; 100 %",
    "\"quoted\" 'name'",
    "</title></svg><b>",
    "-->",
    "נבחרת \u202e⚽",
    "x" * 300,
]


def test_labels_and_texts_with_markup_are_shown_as_text() -> None:
    words = ["fox", "hen", "owl", "cat", "dog", "bee", "ant", "elk"]
    texts = [f"{word} </script><script>alert(1)</script> <b onclick='x'>" for word in words] * 10
    labels = [[name] for name in ODD] * 10
    wrong = [[ODD[(number + number % 3) % len(ODD)]] for number in range(len(texts))]
    classifier = SetClassifier("br", budget="quick", n_jobs=1).fit(texts, labels)
    made = make_report(classifier, texts, wrong, title="<h1>title</h1> & more")
    parsed = outline(made.html())
    for name in ODD[:7]:
        assert name.replace(" %", "\u202f%") in parsed.text or name in parsed.text
    assert "<h1>title</h1> & more" in parsed.text
    assert "<b onclick='x'>" in parsed.text


@settings(max_examples=15, deadline=None)
@given(st.lists(LABEL_NAMES, min_size=2, max_size=2, unique=True), st.text(max_size=40))
def test_any_names_and_texts(names: list[str], text: str) -> None:
    classifier = SetClassifier(BinaryRelevance(1e-2, n_jobs=1), "support", "gfm", calibration=None, n_jobs=1)
    try:
        names[0].encode(), names[1].encode(), text.encode()
    except UnicodeEncodeError:
        return
    classifier.fit([f"fox {text}", f"hen {text}"] * 4, [[names[0]], [names[1]]] * 4)
    outline(make_report(classifier, [f"fox {text}", f"hen {text}"], [[names[1]], [names[0], "other"]]).html())


def test_the_page_of_ten_thousand_documents_is_small() -> None:
    made = make_report(trained(), *noisy(10_000, 9))
    assert len(made.html().encode()) < MAX_BYTES / 4


def test_long_texts_and_many_labels_stay_below_the_limit() -> None:
    texts = [f"w{number} " + "padding " * 3000 for number in range(60)] * 2
    names = [[f"label number {number} {place}" for place in range(60)] for number in range(60)] * 2
    classifier = SetClassifier(BinaryRelevance(1e-2, n_jobs=1), "support", "gfm", calibration=None, n_jobs=1)
    made = make_report(classifier.fit(texts, names), texts, names[1:] + names[:1])
    assert len(made.table("labels").rows) == 3600
    page = made.html()
    assert len(page.encode()) < MAX_BYTES
    assert "(the first 1,000 of 3,600)" in page
    assert "more characters)" in page


def test_every_decision_has_a_reason() -> None:
    assert DECIDED.keys() == DECISIONS.keys()


def test_scales_name_round_values_within_their_range() -> None:
    assert [name for _, name in Linear(0, 1).ticks()] == ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]
    assert [value for value, _ in Linear(3, 3.02).ticks()] == pytest.approx([3, 3.005, 3.01, 3.015, 3.02])
    assert [value for value, _ in Log(0.8, 2000).ticks()] == [1, 10, 100, 1000]
    assert Log(1, 100).at(10) == pytest.approx(0.5)
    assert [Band(["a", "b"]).at(number) for number in (-0.5, 0, 1.5)] == [0, 0.25, 1]
    assert Linear(1, 1).at(1) == 0.0


def test_marks_stay_within_the_picture() -> None:
    picture = Picture("a title", Linear(0, 1), Linear(0, 1), "x", "y")
    assert picture.place(0, 0) == (66, 252)
    assert picture.place(1, 1) == (394, 14)


def test_long_names_are_shortened() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde…"


def test_the_package_has_the_files_of_the_page() -> None:
    import setwise.reports

    folder = Path(setwise.reports.__file__).parent
    assert (folder / "page.css").is_file()
    assert (folder / "page.js").is_file()


def test_labels_that_nobody_knew() -> None:
    assert "labels unknown to the model" in report().html()
    assert len(LABELS) == len(TEXTS)
