"""``python -m screenshots [NAME ...]``: take the pictures of the documentation; all of them without a name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from screenshots import report, service, site
from screenshots.browser import MissingBrowser

FOLDER = Path("docs/images")
MAX_BYTES = 250_000
"""Larger pictures make a clone of the repository slow."""

PAGES: dict[str, Callable[[Path], Iterable[Path]]] = {
    "report": report.take,
    "service": service.take,
    "site": site.take,
}
"""Each takes its pictures into a folder, and yields their files."""


def main(names: list[str]) -> str | None:
    """Take the pictures of the named pages; return what went wrong."""
    unknown = [name for name in names if name not in PAGES]
    if unknown:
        return f"There are no pictures of {unknown[0]}. Choose from: {', '.join(PAGES)}."
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        taken = [path for name in names or PAGES for path in PAGES[name](FOLDER)]
    except MissingBrowser as error:
        return str(error)
    for path in taken:
        print(f"{path}: {path.stat().st_size:,} bytes")
    large = [str(path) for path in taken if path.stat().st_size > MAX_BYTES]
    return f"Larger than {MAX_BYTES:,} bytes: {', '.join(large)}. Show less on them." if large else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
