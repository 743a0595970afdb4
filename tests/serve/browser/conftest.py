"""One service and one browser for all tests of the page."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from screenshots.browser import MissingBrowser, find_browser, open_browser, resize
from screenshots.server import run_service
from setwise import SetClassifier

MARKUP = "<img src=x onerror=alert(1)>"
LONG_NAME = "__proto__of_a_name_that_is_too_long_for_a_narrow_page_and_has_no_space_to_be_cut_at"
WORDS = {
    "sport": ["match", "goal", "team", "league"],
    "harvest": ["wheat", "maize", "grain", "farmers"],
    MARKUP: ["script", "markup", "element", "browser"],
    LONG_NAME: ["inheritance", "property", "object", "prototype"],
}
FILLER = ["the", "a", "of", "in", "on", "said", "more", "last", "week", "today", "and", "with", "had"]
N_TRAINING, N_LABELED = 250, 150
NOISE = 0.1
"""Share of texts with an arbitrary label, so that nothing is certain."""
TARGET_ACCURACY = 0.75
SIZE = (1280, 900)
WAIT_SECONDS = 30


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train a model of four labels with a threshold of automation."""
    rng = random.Random(0)
    texts, labels = [], []
    for _ in range(N_TRAINING + N_LABELED):
        chosen = rng.sample(sorted(WORDS), rng.choice([1, 1, 2]))
        words = [rng.choice(WORDS[label]) for label in chosen for _ in range(4)] + rng.choices(FILLER, k=8)
        rng.shuffle(words)
        texts.append(" ".join(words))
        labels.append(rng.sample(sorted(WORDS), 1) if rng.random() < NOISE else chosen)
    classifier = SetClassifier("br", budget="quick").fit(texts[:N_TRAINING], labels[:N_TRAINING])
    found = classifier.automate(texts[N_TRAINING:], labels[N_TRAINING:], target_accuracy=TARGET_ACCURACY)
    assert found.threshold is not None
    path = tmp_path_factory.mktemp("model") / "topics.setwise"
    classifier.save(path)
    return path


@dataclass(frozen=True)
class Page:
    """The page of a running service in the browser."""

    browser: WebDriver
    address: str
    folder: Path

    @property
    def feedback(self) -> list[dict[str, Any]]:
        """The lines that the service has stored."""
        return [json.loads(line) for line in (self.folder / "feedback.jsonl").read_text().splitlines()]

    def open(self, path: str = "") -> None:
        self.browser.get(f"{self.address}/{path}")
        self.wait(lambda: self.all("#model option"))

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """Return what the elements contain, also of those that are out of sight."""
        return [one.get_property("textContent") for one in self.all(selector)]  # type: ignore[misc]

    def wait(self, condition: Callable[[], Any]) -> Any:
        return WebDriverWait(self.browser, WAIT_SECONDS, poll_frequency=0.02).until(lambda _: condition())

    def type(self, text: str) -> None:
        """Put a text into the box, as a paste does, and wait for its prediction and its explanation."""
        script = (
            "const box = document.getElementById('text'); box.focus(); box.value = arguments[0];"
            "box.dispatchEvent(new Event('input'));"
        )
        self.browser.execute_script(script, text)
        self.wait_for_labels()

    def wait_for_labels(self) -> None:
        self.wait(lambda: self.find("#result").get_attribute("aria-busy") == "false")
        self.wait(lambda: self.all("#labels button[aria-describedby]"))

    def choose(self, name: str, content: str | bytes) -> None:
        """Choose a file, as a user does in the dialog."""
        file = self.folder / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.find("#choose-file").send_keys(str(file))
        self.wait(lambda: self.find("#file-name").text == name)

    def download(self, format: str) -> bytes:
        """Download the predictions of a file, and return what was written."""
        known = set(self.folder.iterdir())
        self.find(f"#download-{format}").click()

        def arrived() -> Path | None:
            new = [path for path in self.folder.glob(f"*.{format}") if path not in known]
            # The browser reserves the name with an empty file, and moves the complete one there.
            return new[0] if new and new[0].stat().st_size > 0 else None

        path: Path = self.wait(arrived)
        content = path.read_bytes()
        path.unlink()
        return content

    def call(self, module: str, expression: str, *arguments: Any) -> Any:
        """Evaluate an expression with a module of the page as ``m`` and arguments as ``a``."""
        script = (
            "const [address, a, done] = [arguments[0], arguments[1], arguments[2]];"
            f"import(address).then(async (m) => done({{value: await ({expression})}}))"
            ".catch((error) => done({error: `${error.name}: ${error.message}`}));"
        )
        answer = self.browser.execute_async_script(script, f"{self.address}/{module}", arguments)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]


@pytest.fixture(scope="session")
def running_page(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    try:
        find_browser()
    except MissingBrowser as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("downloads")
    with (
        run_service(str(model), f"copy={model}", "--feedback", str(folder / "feedback.jsonl")) as address,
        open_browser(*SIZE, downloads=folder) as browser,
    ):
        yield Page(browser, address, folder)


@pytest.fixture
def page(running_page: Page) -> Iterator[Page]:
    """Open the page anew; at the end, nothing may have been complained about on its console."""
    resize(running_page.browser, *SIZE)
    running_page.open()
    yield running_page
    assert running_page.browser.get_log("browser") == []  # type: ignore[no-untyped-call]
