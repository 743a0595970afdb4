"""Pure functions of the page, compared with Python's: csv, positions in texts, batches, waiting."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise.data import escape_formula
from setwise.data.formats.delimited import unescape_formula
from tests.serve.browser.conftest import Page

# An example takes a few milliseconds in the browser.
examples = settings(max_examples=60)

texts = st.text(st.characters(codec="utf-8"), max_size=30)


@pytest.fixture(scope="module")
def page(running_page: Page) -> Page:
    """Open the page once: functions change nothing in it."""
    running_page.open()
    return running_page


cells = st.text(st.sampled_from("ab\"',;\t\r\n =+-@\ufeff🎉é"), max_size=6)
tables = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=5))
delimiters = st.sampled_from([",", ";", "\t", "|"])


@examples
@given(table=tables, delimiter=delimiters)
def test_tables_of_python_are_read(page: Page, table: list[list[str]], delimiter: str) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(table)
    rows = page.call("csv.js", "[...m.csvRows(...a)].map((row) => row.cells)", file.getvalue(), delimiter)
    assert rows == table


@examples
@given(table=tables.filter(lambda table: len(table[0]) > 1), delimiter=delimiters)
def test_tables_are_read_by_python(page: Page, table: list[list[str]], delimiter: str) -> None:
    text = page.call("csv.js", "m.csvText(...a)", table, delimiter)
    assert text[0] == "\ufeff"
    assert list(csv.reader(io.StringIO(text[1:], newline=""), delimiter=delimiter, strict=True)) == table


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n1;2\n", ";"),
        ("a\tb,c\n1\t2\n", "\t"),
        ("a|text;b\nx|y\n", "|"),
        ('"text";"a,b,c"\n"x";"y"\n', ";"),
        ("text\none, two, three\n", ","),
    ],
)
def test_the_delimiter_is_found(page: Page, text: str, delimiter: str) -> None:
    assert page.call("csv.js", "m.findDelimiter(a[0], 'text')", text) == delimiter


@examples
@given(cell=cells)
def test_formulas_are_escaped_as_on_the_command_line(page: Page, cell: str) -> None:
    escaped, back = page.call("csv.js", "[m.escapeFormula(a[0]), m.unescapeFormula(a[0])]", cell)
    assert (escaped, back) == (escape_formula(cell), unescape_formula(cell))


@examples
@given(text=texts, data=st.data())
def test_pieces_are_cut_where_python_cuts(page: Page, text: str, data: st.DataObject) -> None:
    positions = st.integers(0, len(text))
    span = st.tuples(positions, positions).map(sorted)
    spans = data.draw(st.lists(st.tuples(span, st.sampled_from([1.0, 0.5, -0.25])), max_size=4))
    weights = [sum(w for (begin, end), w in spans if begin <= i < end) for i in range(len(text))]
    features = [{"spans": [span], "contribution": weight} for span, weight in spans]
    pieces = page.call("text.js", "m.highlightedPieces(...a)", text, features)
    assert "".join(piece["text"] for piece in pieces) == text
    found = [piece["share"] for piece in pieces for _ in piece["text"]]
    peak = max(map(abs, weights), default=0.0) or 1.0
    assert found == pytest.approx([weight / peak for weight in weights])


@examples
@given(text=texts)
def test_characters_are_counted_as_in_python(page: Page, text: str) -> None:
    assert page.call("text.js", "m.countCharacters(a[0])", text) == len(text)


def test_halves_of_pairs_are_replaced(page: Page) -> None:
    mended = page.call("text.js", "m.wellFormed('a\\ud83c b\\udf89\\ud83c\\udf89\\udf89')")
    assert mended == "a\ufffd b\ufffd🎉\ufffd"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0_%"), (0.004, "< 1_%"), (0.5, "50_%"), (0.996, "> 99_%"), (1, "100_%")],
)
def test_percentages_do_not_round_to_certainty(page: Page, share: float, text: str) -> None:
    assert page.call("text.js", "m.percent(a[0])", share) == text.replace("_", "\u00a0")


@examples
@given(
    texts=st.lists(texts, min_size=1, max_size=6),
    max_texts=st.integers(1, 4),
    max_text_length=st.integers(1, 30),
    max_body_bytes=st.integers(20, 120),
)
def test_batches_respect_the_limits(page: Page, texts: list[str], **limits: int) -> None:
    start, sent = 0, 0
    batches: list[dict[str, Any]] = page.call(
        "job.js",
        "a[0].map((_, i) => m.nextBatch(a[0], i, a[1]))",
        texts,
        limits,
    )
    while start < len(texts):
        batch = batches[start]
        if "error" in batch:
            body = json.dumps({"texts": [texts[start]]}, ensure_ascii=False, separators=(",", ":")).encode()
            assert len(texts[start]) > limits["max_text_length"] or len(body) >= limits["max_body_bytes"]
            start += 1
            continue
        read = [json.loads(one) for one in batch["jsonTexts"]]
        assert read == texts[start : start + len(read)]
        assert 1 <= len(read) <= limits["max_texts"]
        assert max(map(len, read)) <= limits["max_text_length"]
        assert len('{"texts":[]}' + ",".join(batch["jsonTexts"])) <= limits["max_body_bytes"]
        start += len(read)
        sent += 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("3", 3), (None, 1), ("soon", 1), ("9999", 30), ("Thu, 01 Jan 1970 00:00:05 GMT", 4)],
)
def test_the_time_to_wait_is_read(page: Page, header: str | None, seconds: float) -> None:
    assert page.call("api.js", "m.secondsToWait(a[0], 1000)", header) == seconds


def test_a_busy_service_is_asked_again(page: Page) -> None:
    script = """(async () => {
        const fetched = window.fetch;
        const answers = [
          new Response("", { status: 503, headers: { "Retry-After": "0" } }),
          new Response('{"predictions": [{"labels": ["x"]}], "version": "1"}'),
        ];
        window.fetch = async () => answers.shift();
        const waits = [];
        try {
          const api = new m.Api(() => {});
          const answer = await api.predict("a/b", ['"t"'], {}, { onWait: (seconds) => waits.push(seconds) });
          return [answer.predictions[0].labels, waits];
        } finally { window.fetch = fetched; }
    })()"""
    assert page.call("api.js", script) == [["x"], [0]]


def test_problems_are_the_sentence_of_the_service(page: Page) -> None:
    script = """(async () => {
        const fetched = window.fetch;
        const responses = [
          () => new Response('{"detail": "The text is odd."}', { status: 422 }),
          () => new Response("<html>", { status: 502 }),
          () => { throw new TypeError("Failed to fetch"); },
        ];
        const messages = [];
        for (const response of responses) {
          window.fetch = async () => response();
          await new m.Api(() => {}).models().catch((error) => messages.push(error.message));
        }
        window.fetch = fetched;
        return messages;
    })()"""
    assert page.call("api.js", script) == [
        "The text is odd.",
        "The service answered with the status 502.",
        "The service cannot be reached. Check that it runs, and try again.",
    ]
