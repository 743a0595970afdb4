"""The page in a real browser: files are chosen or dropped, predicted in the background, and downloaded."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.serve.browser.conftest import MARKUP, Page

BOM = "\ufeff"


def rows_of(content: bytes, delimiter: str = ",") -> list[dict[str, str]]:
    text = content.decode("utf-8")
    assert text.startswith(BOM), "spreadsheets need it"
    return list(csv.DictReader(io.StringIO(text.removeprefix(BOM), newline=""), delimiter=delimiter, strict=True))


def wait_for_download(page: Page) -> None:
    page.wait(lambda: page.find("#download-csv").is_displayed())


def drop(page: Page, *contents: tuple[str, str]) -> bool:
    """Drop files on the page, or a text where there are none; return whether the page took them from the browser."""
    script = """
        const data = new DataTransfer();
        for (const [name, content] of arguments[0]) data.items.add(new File([content], name));
        if (arguments[0].length === 0) data.setData("text/plain", "goal");
        const isLeft = ["dragenter", "dragover", "drop"].map((kind) => document.body.dispatchEvent(
          new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })));
        return isLeft.every((left) => !left);
    """
    return bool(page.browser.execute_script(script, contents))


def test_a_table_comes_back_with_its_columns(page: Page) -> None:
    table = (
        BOM + "id;text;labels;note;sum\r\n"
        '7;"the team; a ""goal""\r\nin the match";old;=1+1;-3.5\r\n'
        "\r\n"
        "'=8;script markup element;;plain;+2\r\n"
        "9;wheat grain;;'=x;\r\n"
    )
    page.choose("stories.csv", table)
    wait_for_download(page)
    assert page.find("#file-facts").text == "3 rows, columns: id, text, labels, note, sum"
    assert page.find("#file-summary").text == "3 texts predicted, 100 % to accept."
    rows = rows_of(page.download("csv"), ";")
    assert list(rows[0]) == [
        *("row", "id", "labels", "action", "confidence", "expected_f1", "coverage"),
        *("text", "input_labels", "note", "sum"),
    ]
    assert [row["labels"] for row in rows] == ["sport", MARKUP, "harvest"]
    assert [row["id"] for row in rows] == ["7", "'=8", "9"]
    assert rows[0]["text"] == 'the team; a "goal"\r\nin the match'
    assert [row["input_labels"] for row in rows] == ["old", "", ""]
    assert [row["note"] for row in rows] == ["'=1+1", "plain", "''=x"]
    assert [row["sum"] for row in rows] == ["-3.5", "+2", ""]
    assert float(rows[0]["confidence"]) > 0.8


def test_json_lines_come_back_with_their_fields(page: Page) -> None:
    lines = (
        '{"id": 12345678901234567890, "text": "wheat maize", "2024": [1, {"a": null}], "score": 1.0}\n'
        "\n"
        '{"text": "goal \\ud83c\\udf89 match", "labels": ["x"], "__proto__": "odd", "half": "\\ud83c"}\n'
    )
    assert drop(page, ("stories.jsonl", lines)), "else the browser opens the file in place of the page"
    assert not page.find("#drop").is_displayed()
    wait_for_download(page)
    first, second = (json.loads(line) for line in page.download("jsonl").decode().splitlines())
    assert list(first)[:3] == ["row", "id", "labels"]
    assert (first["id"], first["labels"]) == ("12345678901234567890", ["harvest"])
    assert (first["text"], first["2024"], first["score"]) == ("wheat maize", [1, {"a": None}], 1.0)
    assert (second["labels"], second["input_labels"], second["__proto__"]) == (["sport"], ["x"], "odd")
    assert "id" not in second
    rows = rows_of(page.download("csv"))
    assert [row["2024"] for row in rows] == ['[1,{"a":null}]', ""]


def test_a_text_that_is_dropped_goes_where_it_is_dropped(page: Page) -> None:
    assert not drop(page)
    assert not page.find("#file").is_displayed()


def test_lines_of_text_are_texts_or_one_text(page: Page) -> None:
    page.choose("lines.txt", "goal match team\n\n__label__harvest wheat __label__sport maize\n")
    assert not page.find("#download-csv").is_displayed(), "the file does not say what it is"
    assert page.find("#start-file").text == "Predict 2 texts"
    page.find("#start-file").click()
    wait_for_download(page)
    rows = rows_of(page.download("csv"))
    assert [row["text"] for row in rows] == ["goal match team", "wheat maize"]
    assert [row["labels"] for row in rows] == ["sport", "harvest"]
    assert rows[1]["input_labels"] == '["harvest","sport"]'
    page.choose("letter.txt", "goal match\nteam\n")
    page.find("#file-lines input[value=whole]").click()
    page.find("#start-file").click()
    page.wait_for_labels()
    assert page.find("#text").get_property("value") == "goal match\nteam\n"
    assert page.texts("#predicted .chip") == ["sport"]
    assert not page.find("#file").is_displayed()


def test_the_column_of_the_texts_is_asked_for(page: Page) -> None:
    page.choose("stories.tsv", 'title\tbody\nA\t"wheat\tmaize"\nB\tgoal\n')
    assert not page.find("#start-file").is_displayed()
    page.find("#column").send_keys("body")
    page.find("#start-file").click()
    wait_for_download(page)
    rows = rows_of(page.download("csv"))
    assert [(row["title"], row["body"], row["labels"]) for row in rows] == [
        ("A", "wheat\tmaize", "harvest"),
        ("B", "goal", "sport"),
    ]


def test_a_text_that_is_too_long_has_an_error_and_no_labels(page: Page) -> None:
    page.choose("stories.csv", f"text\ngoal\n{'a ' * 50_001}\nwheat\n")
    wait_for_download(page)
    assert "1 text without a prediction" in page.find("#file-summary").text
    rows = rows_of(page.download("csv"))
    assert [row["labels"] for row in rows] == ["sport", "", "harvest"]
    assert [row["error"] for row in rows] == [
        "",
        "The text is longer than the 100,000 characters that the service takes.",
        "",
    ]


def test_a_long_file_shows_progress_and_can_be_canceled(page: Page) -> None:
    """The first answer is held back until the file is canceled."""
    script = """
        window.fetched = window.fetch;
        let batches = 0;
        window.fetch = async (address, options) => {
          if (batches++ === 1) await new Promise((resolve, reject) => {
            options.signal.addEventListener("abort", () => reject(options.signal.reason));
          });
          return window.fetched(address, options);
        };
    """
    page.browser.execute_script(script)
    page.choose("stories.csv", "text\n" + "goal match\n" * 600)
    page.wait(lambda: page.find("#progress-text").text.startswith("256 of 600 texts"))
    assert page.find("#progress").get_property("value") == 256
    page.find("#cancel-file").click()
    page.wait(lambda: page.find("#file-summary").text == "Stopped: 256 texts of 600 done.")
    assert len(rows_of(page.download("csv"))) == 256, "what is done is not lost"
    page.find("#start-file").click()
    page.wait(lambda: page.find("#file-summary").text.startswith("600 texts predicted"))
    assert {row["labels"] for row in rows_of(page.download("csv"))} == {"sport"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("stories.pdf", "text", "stories.pdf is none of .txt, .csv, .tsv and .jsonl. Save it as one of them."),
        ("stories.csv", "text,id\n", "stories.csv has no texts."),
        ("stories.csv", "text,id\na,1\nb\n", "Line 3: a row must have 2 fields, as the header has; it has 1."),
        ("stories.csv", 'text,id\n"a\nb', "Line 2: a row must be complete, with matching quotation marks."),
        ("stories.csv", "téxt\n".encode("latin-1"), "stories.csv is not text in UTF-8."),
        ("stories.jsonl", '{"text": "a"}\n["b"]\n', "Line 2: a line must be a JSON object"),
        ("stories.jsonl", '{"text": "a"}\n{"text": 1}\n', "Line 2: the field 'text' must be a text."),
        ("stories.jsonl", "oops\n", "Line 1: a line must be JSON."),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(page: Page, name: str, content: str | bytes, message: str) -> None:
    page.choose(name, content)
    page.wait(lambda: page.find("#file-problem").is_displayed())
    assert page.find("#file-problem").text.startswith(message)
    assert not page.find("#download-csv").is_displayed()


def test_a_file_in_utf_16_is_read(page: Page) -> None:
    page.choose("stories.csv", "text\nwheat é maize\n".encode("utf-16"))
    wait_for_download(page)
    assert rows_of(page.download("csv"))[0]["text"] == "wheat é maize"
