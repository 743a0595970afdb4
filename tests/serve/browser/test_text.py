"""The page in a real browser: a text is typed, its set appears, its words are highlighted, and a correction is sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from screenshots.browser import resize
from screenshots.server import run_service
from tests.serve.browser.conftest import LONG_NAME, MARKUP, SIZE, Page

SPORT = "the team scored a goal 🎉 in the match"


def test_the_set_appears_as_the_typing_pauses(page: Page) -> None:
    assert not page.find("#result").is_displayed()
    page.find("#text").send_keys("the farmers had wheat and maize, and the team had a match with a goal")
    page.wait_for_labels()
    assert set(page.texts("#predicted .chip")) == {"harvest", "sport"}
    assert page.find("#action").text == "Accept"
    assert page.find(".words-for-it").text == "Very likely right"
    assert page.texts("#sure .number")[0].endswith("%")
    announced = page.texts("#announcement")[0]
    assert announced.startswith("Predicted: ")
    assert announced.endswith(" To accept.")
    rows = {row.get_attribute("data-label"): row for row in page.all("#labels tr[data-label]")}
    meter = rows["sport"].find_element("css selector", "[role=meter]")
    assert float(meter.get_attribute("aria-valuenow") or "") > 0.8
    assert set(page.texts("#labels tbody:first-of-type button")) == {"harvest", "sport"}
    assert rows["sport"].text.endswith(tuple("0123456789")), "the change of the expected F1"
    assert LONG_NAME in rows, "labels that come next"
    assert page.texts("#other-sets th"), "other likely sets"


def test_a_text_of_unknown_words_is_to_be_reviewed(page: Page) -> None:
    page.type("quidquid latine dictum sit")
    assert page.find("#action").text == "Review"
    assert "knows only 0 % of the words" in page.find("#sure-note").text


def test_pointing_at_a_label_highlights_its_words(page: Page) -> None:
    page.type(SPORT)
    assert page.all("#mirror mark") == []
    ActionChains(page.browser).move_to_element(page.find("#labels tr[data-label=sport]")).perform()
    assert {"team", "goal", "match"} <= set(page.texts("#mirror mark.for"))
    assert page.texts("#mirror") == [SPORT]
    assert page.find("#words .label").text == "sport"
    ActionChains(page.browser).move_to_element(page.find("h1")).perform()
    assert page.all("#mirror mark") == []


def test_the_box_is_as_high_as_its_text(page: Page) -> None:
    page.type("match " * 60 + "\n\n" + "goal " * 30 + "\n\n\n")
    assert page.find("#mirror").rect == page.find("#text").rect, "words lie over their highlights"
    overflow = "const t = document.getElementById('text'); return t.scrollHeight - t.clientHeight"
    assert page.browser.execute_script(overflow) == 0


def test_a_click_scrolls_the_text_to_its_first_word(page: Page) -> None:
    page.type("the last week\n" * 100 + "goal match\n" + "the last week\n" * 100)
    page.find("#labels tr[data-label=sport] button").click()
    inside = """
        const [word, paper] = ["mark", ".paper"].map((one) => document.querySelector(one).getBoundingClientRect());
        return paper.top < word.top && word.bottom < paper.bottom;
    """
    assert page.browser.execute_script(inside)


def test_a_click_keeps_the_words_highlighted(page: Page) -> None:
    page.type(SPORT)
    button = page.find("#labels tr[data-label=sport] button")
    button.click()
    ActionChains(page.browser).move_to_element(page.find("h1")).perform()
    page.find("#text").click()
    assert page.all("#mirror mark")
    page.find("#text").send_keys(Keys.ESCAPE)
    assert page.all("#mirror mark") == []


def test_names_and_texts_are_never_html(page: Page) -> None:
    text = "</textarea></script><script>alert(2)</script> markup element in the browser, inheritance of the object"
    images = len(page.all("img"))
    page.type(text)
    assert set(page.texts("#predicted .chip")) == {MARKUP, LONG_NAME}
    for label in (MARKUP, LONG_NAME):
        button = next(one for one in page.all("#labels button") if one.text == label)
        button.send_keys(Keys.NULL)
        assert page.find("#words .label").text == label
        assert page.texts("#mirror") == [text]
    page.find("#add-label").click()
    assert LONG_NAME not in page.texts("#label-options [role=option] span:first-child"), "it is in the set already"
    assert len(page.all("img")) == images
    assert page.browser.execute_script("return document.scripts.length") == 1


def test_everything_is_reached_by_the_keyboard(page: Page) -> None:
    page.find("#text").send_keys("the team had wheat", Keys.TAB)
    page.wait_for_labels()
    active = page.browser.switch_to.active_element
    seen = []
    for _ in range(30):
        seen.append(active.get_attribute("id") or active.text)
        if seen[-1] in ("sport", "harvest"):
            assert page.all("#mirror mark"), "focus highlights as the mouse does"
            described = active.get_attribute("aria-describedby")
            assert page.texts(f"#{described}")[0].startswith("Words for it: ")
        if seen[-1] == "add-label":
            break
        active.send_keys(Keys.TAB)
        active = page.browser.switch_to.active_element
    assert {"sport", "harvest", "add-label"} <= set(seen)
    active.send_keys("IMG", Keys.ENTER)
    assert MARKUP in page.texts("#corrected .chip > span")
    before = len(page.feedback)
    page.browser.switch_to.active_element.send_keys(Keys.TAB)
    page.browser.switch_to.active_element.send_keys(Keys.ENTER)
    page.wait(lambda: page.find("#feedback-status").text == "Stored. Thank you.")
    (line,) = page.feedback[before:]
    assert line["text"] == "the team had wheat"
    assert line["labels"] == [*line["predicted"], MARKUP]


def test_a_corrected_set_is_stored(page: Page) -> None:
    page.type(SPORT)
    assert page.find("#send-feedback").text == "Yes, send it as right"
    page.find("#corrected button[aria-label='Remove sport']").click()
    page.find("#add-label").send_keys("harv", Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ENTER)
    assert page.texts("#corrected .chip > span") == ["harvest"]
    page.find("#send-feedback").click()
    page.wait(lambda: page.find("#feedback-status").text == "Stored. Thank you.")
    assert not page.find("#send-feedback").is_enabled(), "a correction is sent once"
    line = page.feedback[-1]
    assert (line["text"], line["labels"], line["predicted"]) == (SPORT, ["harvest"], ["sport"])


def test_an_answer_to_an_earlier_text_is_discarded(page: Page) -> None:
    """The first answer is held back until the second has come; it must not replace it."""
    script = """
        const fetched = window.fetch;
        let first = true;
        window.fetch = async (address, options) => {
          const isPrediction = address.endsWith("/predict");
          const isFirst = isPrediction && first;
          if (isPrediction) first = false;
          const answer = await fetched(address, { ...options, signal: isFirst ? undefined : options.signal });
          if (isFirst) await new Promise((resolve) => { window.release = resolve; });
          return answer;
        };
    """
    page.browser.execute_script(script)
    page.find("#text").send_keys("goal match")
    page.wait(lambda: page.browser.execute_script("return window.release !== undefined"))
    page.type("wheat maize")
    page.browser.execute_script("window.release()")
    page.browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert page.texts("#predicted .chip") == ["harvest"]


def test_another_model_predicts_the_same_text(page: Page) -> None:
    page.type(SPORT)
    assert page.texts("#model option") == ["topics", "copy"]
    page.find("#model").send_keys("copy")
    page.wait(lambda: "About the model copy: 4 labels" in page.texts("#about-title"))
    page.wait_for_labels()
    page.find("#send-feedback").click()
    page.wait(lambda: page.find("#feedback-status").text == "Stored. Thank you.")
    assert (page.feedback[-1]["model"], page.feedback[-1]["text"]) == ("copy", SPORT)


def test_a_lost_connection_is_one_sentence_and_can_be_tried_again(page: Page) -> None:
    page.browser.execute_script(
        "window.fetched = window.fetch; window.fetch = async () => { throw new TypeError('Failed to fetch'); }"
    )
    page.find("#text").send_keys(SPORT[:20])
    page.wait(lambda: page.find("#problem").is_displayed())
    assert page.find("#problem-text").text.startswith("The service cannot be reached.")
    page.browser.execute_script("window.fetch = window.fetched")
    page.find("#try-again").click()
    page.wait_for_labels()
    assert page.texts("#predicted .chip") == ["sport"]
    assert not page.find("#problem").is_displayed()


def test_a_text_that_is_too_long_is_one_sentence(page: Page) -> None:
    page.browser.execute_script(
        "const t = document.getElementById('text'); t.value = '🎉'.repeat(100001);t.dispatchEvent(new Event('input'))"
    )
    page.wait(lambda: page.find("#problem").is_displayed())
    assert page.find("#problem-text").text == "The text is longer than the 100,000 characters that the service takes."
    page.find("#clear").click()
    assert not page.find("#problem").is_displayed()


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_nothing_is_wider_than_the_page(page: Page, width: int) -> None:
    resize(page.browser, width, SIZE[1])
    page.type(f"inheritance property, script markup, {'x' * 300}")
    page.find("#labels tbody button").send_keys(Keys.ENTER)
    assert page.find("#mirror").rect == page.find("#text").rect
    assert page.find("#words").rect["width"] <= width
    page.find("#words").click()
    page.choose("a file with a rather long name.csv", "other,text\n1,goal\n")
    page.wait(lambda: page.find("#download-csv").is_displayed())
    page.find("#add-label").click()
    wider = """
        const sheet = [document.documentElement, document.querySelector(".paper")];
        return sheet.some((one) => one.scrollWidth > one.clientWidth);
    """
    assert not page.browser.execute_script(wider)
    right = page.browser.execute_script(
        "return Math.max(...Array.from(document.querySelectorAll('#result :not(.unseen)'),"
        "(one) => one.getBoundingClientRect().right))"
    )
    assert right <= width


def test_dark_colors_where_they_are_preferred(page: Page) -> None:
    color = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    light = page.browser.execute_script(color)
    resize(page.browser, *SIZE, dark=True)
    dark = page.browser.execute_script(color)
    assert min(light) > 200
    assert max(dark) < 60


def test_every_control_has_a_name(page: Page) -> None:
    page.type(SPORT)
    page.choose("lines.txt", "goal\nwheat\n")
    nodes = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "combobox", "textbox", "meter", "radio", "link", "progressbar", "listbox", "option"}
    named = {(node["role"]["value"], node["name"]["value"]) for node in nodes if not node["ignored"] and "name" in node}
    shown = {(role, name) for role, name in named if role in roles}
    assert {("textbox", "Text"), ("combobox", "Add a label"), ("combobox", "Model")} <= shown
    assert ("meter", "Probability of sport") in shown
    assert [role for role, name in shown if not name.strip()] == []


def test_a_service_with_a_token_asks_for_it(page: Page, model: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("the-secret-of-this-test\n")
    with run_service(str(model), "--token-file", str(token)) as address:
        page.browser.get(address)
        page.wait(lambda: page.find("#token").is_displayed())
        page.find("#token").send_keys("wrong", Keys.ENTER)
        page.wait(lambda: "does not accept" in page.find("#token-form label").text)
        page.find("#token").send_keys("the-secret-of-this-test", Keys.ENTER)
        page.wait(lambda: page.all("#model option"))
        page.type(SPORT)
        assert page.texts("#predicted .chip") == ["sport"]
        assert not page.find("#feedback").is_displayed(), "this service takes no feedback"
    refused = page.browser.get_log("browser")  # type: ignore[no-untyped-call]
    assert all("401" in entry["message"] for entry in refused)
