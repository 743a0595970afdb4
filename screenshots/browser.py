"""A browser without a window: Debian's chromium, driven by Selenium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.chrome.webdriver import WebDriver

__all__ = ["MissingBrowser", "find_browser", "open_browser", "resize"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DRIVERS = ("chromedriver", "chromium.chromedriver")

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",  # it needs rights that containers lack, and only own pages are opened
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--lang=en",
)

LOAD_SECONDS = 20
"""Time for a page to load, or a script to end, even on a busy machine."""


class MissingBrowser(Exception):
    """There is no browser, or no driver for it."""


def find_browser() -> tuple[str, str]:
    """Return the paths of a browser and of its driver; raise ``MissingBrowser`` with what to install."""
    browser, driver = (next(filter(None, map(shutil.which, names)), None) for names in (BROWSERS, DRIVERS))
    if browser is None or driver is None:
        missing = "chromium" if browser is None else "chromedriver"
        raise MissingBrowser(f"{missing} is not installed. On Debian: apt-get install chromium chromium-driver.")
    return browser, driver


@contextmanager
def open_browser(width: int, height: int, dark: bool = False, downloads: Path | None = None) -> Iterator[WebDriver]:
    """Open a browser with a fresh profile, and close it at the end.

    Parameters
    ----------
    width, height : int
        Size of the page in CSS pixels; see :func:`resize`.
    dark : bool
        Whether pages are told that dark colors are preferred.
    downloads : Path, optional
        Folder for downloaded files.

    Yields
    ------
    driver : WebDriver
        ``driver.get_log("browser")`` has what pages wrote on the console.
    """
    browser, executable = find_browser()
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        if downloads is not None:
            options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        driver = webdriver.Chrome(options=options, service=Service(executable))
        try:
            driver.set_page_load_timeout(LOAD_SECONDS)
            driver.set_script_timeout(LOAD_SECONDS)
            resize(driver, width, height, dark)
            yield driver
        finally:
            driver.quit()


def resize(driver: WebDriver, width: int, height: int, dark: bool = False) -> None:
    """Set the size of the page, however large a window can be, and whether dark colors are preferred."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
