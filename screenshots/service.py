"""Pictures of the page of ``setwise serve``: a text with its labels, light and dark, wide and narrow; and a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from screenshots.browser import open_browser, resize
from screenshots.server import run_service
from setwise import SetClassifier
from setwise.data import TextDocument, collect_docstrings, find_corpus, open_documents
from setwise.exceptions import InvalidData

__all__ = ["take"]

CACHE = Path("build/screenshots")
WIDE, NARROW = (1180, 1060), (360, 1500)
WAIT_SECONDS = 20

CORPUS = "reuters21578"
NEWS = (
    """Central bank buys dollars as yen climbs

The Bank of Japan bought dollars in Tokyo this morning after the currency fell below 150 yen, dealers said. Exporters \
fear that a stronger yen will cut their sales abroad.

The finance minister said that he would discuss the trade surplus and interest rates with his American colleague in \
Washington next week.""",
    """Central bank buys dollars

The central bank bought dollars this morning to keep the currency from rising, dealers said. It left its discount rate \
at 3 pct, though banks had expected a cut.

Exporters fear that a stronger currency will cut their sales abroad, and with them the trade surplus.""",
)
"""A text with a set that is not certain, and one with a set that is."""

DOCSTRINGS = (
    """Return the eigenvalues of a sparse matrix.

Parameters
----------
A : sparse matrix of shape (n, n)
k : int
    The number of eigenvalues.

Returns
-------
w : ndarray
""",
    """Run the tests of the suite, and return what they reported.

Raises
------
TypeError
    If it is no suite.
""",
)

N_DOCSTRINGS = 3000
DOCSTRING = """Return the eigenvalues of a sparse matrix.

Parameters
----------
A : sparse matrix of shape (n, n)
k : int
    The number of eigenvalues.

Returns
-------
w : ndarray

Examples
--------
>>> from scipy.sparse.linalg import eigs
"""

N_FILE_TEXTS = 400
TARGET_ACCURACY = 0.9


def take(folder: Path) -> Iterator[Path]:
    """Take the pictures, and yield the file of each."""
    model, (unsure, sure) = _model_and_texts()
    with (
        run_service(str(model), "--feedback", str(CACHE / "feedback.jsonl")) as address,
        open_browser(*WIDE) as browser,
    ):
        for scheme in ("light", "dark"):
            for name, size in (("wide", WIDE), ("narrow", NARROW)):
                resize(browser, *size, dark=scheme == "dark")
                browser.get(address)
                _type(browser, unsure)
                yield _save(browser, folder / f"service-{name}-{scheme}.png")
        resize(browser, *WIDE)
        browser.get(address)
        _type(browser, sure)
        _predict_file(browser, sure)
        yield _save(browser, folder / "service-file.png")


def _save(browser: WebDriver, path: Path) -> Path:
    path.write_bytes(browser.get_screenshot_as_png())
    return path


def _type(browser: WebDriver, text: str) -> None:
    """Type a text, wait for the answer, and point at the second label by the keyboard."""
    wait = WebDriverWait(browser, WAIT_SECONDS)
    wait.until(lambda page: page.find_elements(By.CSS_SELECTOR, "#model option"))
    browser.find_element(By.ID, "text").send_keys(text)
    labels = "#labels tbody button[aria-describedby]"
    wait.until(lambda page: len(page.find_elements(By.CSS_SELECTOR, labels)) > 1)
    browser.execute_script(
        "document.querySelectorAll(arguments[0])[1].focus({focusVisible: true, preventScroll: true})", labels
    )
    wait.until(lambda page: page.find_elements(By.CSS_SELECTOR, "#mirror mark"))


def _predict_file(browser: WebDriver, text: str) -> None:
    """Choose a file of texts, and wait until its predictions can be downloaded."""
    file = (CACHE / "stories.csv").resolve()
    words = text.split()
    rows = (f'{2000 + i % 25},"{" ".join(words[i % 20 : i % 20 + 30])}"\n' for i in range(N_FILE_TEXTS))
    file.write_text("year,text\n" + "".join(rows), encoding="utf-8")
    browser.find_element(By.ID, "choose-file").send_keys(str(file))
    WebDriverWait(browser, WAIT_SECONDS).until(lambda page: page.find_element(By.ID, "download-csv").is_displayed())


def _model_and_texts() -> tuple[Path, tuple[str, str]]:
    """Return a model of news where their corpus is at hand, else of docstrings, and texts for it."""
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        corpus = find_corpus(CORPUS).folder
    except InvalidData:
        return _trained(CACHE / "docstrings.setwise", _docstrings), DOCSTRINGS
    return _trained(CACHE / "news.setwise", lambda: (_read(corpus, "train"), _read(corpus, "test"))), NEWS


def _read(folder: Path, part: str) -> list[TextDocument]:
    with open_documents(folder / f"{part}.jsonl.gz") as documents:
        return [document for document in documents if isinstance(document, TextDocument)]


def _docstrings() -> tuple[list[TextDocument], list[TextDocument]]:
    found = collect_docstrings()
    step = max(1, len(found) // N_DOCSTRINGS)
    documents = [TextDocument(one.text, one.labels) for one in found[::step]]
    return documents[::2], documents[1::2]


def _trained(path: Path, read: Callable[[], tuple[list[TextDocument], list[TextDocument]]]) -> Path:
    """Train a small model, find its threshold of automation on other documents, and save it; once for all runs."""
    if path.exists():
        return path
    (X, y), (X_labeled, y_labeled) = (
        ([one.text for one in documents], [list(one.labels or ()) for one in documents]) for documents in read()
    )
    classifier = SetClassifier("br", "support", budget="quick").fit(X, y)
    classifier.automate(X_labeled, y_labeled, target_accuracy=TARGET_ACCURACY)
    classifier.save(path, documents=len(X))
    return path
