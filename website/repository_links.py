"""Links that work on a forge and on the site.

Pages are read on forges too, so their links lead to files of the repository: ``../CONTRIBUTING.md``. The site has some
of these files in other places. Links of a page are therefore rewritten when Sphinx reads it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["SHOWN", "rewrite_links"]

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"

SHOWN = {"changelog": "CHANGELOG.md", "contributing": "CONTRIBUTING.md", "security": "SECURITY.md"}
"""Pages of the site that show a file of the repository; in ``docs/`` they have nothing but a link to it."""

PLACES = {REPOSITORY / "README.md": "index.md", **{REPOSITORY / file: f"{name}.md" for name, file in SHOWN.items()}}
"""Files of the repository outside ``docs/``, and the pages of the site that have their text."""

LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")


def rewrite_links(text: str, page: Path, place: Path) -> str:
    """Return the Markdown of a page with links that lead to what the site has.

    Parameters
    ----------
    text : str
        Markdown.
    page : Path
        The file that it comes from, to which its links are relative.
    place : Path
        The file in ``docs/`` whose place it has on the site.

    Returns
    -------
    text : str
        The same text with links relative to ``place``.
    """

    def rewritten(match: re.Match[str]) -> str:
        target, fragment = match[1], match[2] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        file = Path(os.path.normpath(page.parent / target))
        return os.path.relpath(DOCS / PLACES[file] if file in PLACES else file, place.parent) + fragment

    return LINK.sub(rewritten, text)
