"""Pictures of the site, which ``make docs`` has built: wide and on a phone, light and dark."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from screenshots.browser import open_browser, resize

__all__ = ["take"]

SITE = Path(__file__).resolve().parents[1] / "build" / "site"
WIDE, PHONE = (1400, 900), (360, 780)


@dataclass(frozen=True)
class Shot:
    """A picture of the top of a page."""

    page: str
    name: str
    size: tuple[int, int]
    dark: bool = False


SHOTS = (
    Shot("index.html", "site", WIDE),
    Shot("index.html", "site-phone-dark", PHONE, dark=True),
    Shot("gallery/index.html", "site-gallery-dark", WIDE, dark=True),
    Shot("api/generated/setwise.SetClassifier.html", "site-reference-phone", PHONE),
)


def take(folder: Path) -> Iterator[Path]:
    """Take the pictures, and yield the file of each; raise ``RuntimeError`` if a page has an error or is too wide."""
    if not (SITE / "index.html").exists():
        raise RuntimeError("The site is not built. Run `make docs` first.")
    with open_browser(*WIDE) as driver:
        for shot in SHOTS:
            resize(driver, *shot.size, shot.dark)
            driver.get((SITE / shot.page).as_uri())
            said: list[Any] = driver.get_log("browser")  # type: ignore[no-untyped-call]
            if errors := [one for one in said if one["level"] == "SEVERE"]:  # the theme also writes notes
                raise RuntimeError(f"{shot.page}: {errors[0]}")
            if driver.execute_script("return document.documentElement.scrollWidth") > shot.size[0]:
                raise RuntimeError(f"{shot.page} is wider than {shot.size[0]} pixels.")
            taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": False})
            file = folder / f"{shot.name}.png"
            file.write_bytes(base64.b64decode(taken["data"]))
            yield file
