"""The check of a built site: every internal link has a target, and no page loads anything from another site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["check_site"]

ASSETS = {
    ("script", "src"),
    ("img", "src"),
    ("img", "srcset"),
    ("source", "src"),
    ("source", "srcset"),
    ("video", "src"),
    ("audio", "src"),
    ("iframe", "src"),
    ("embed", "src"),
    ("object", "data"),
    ("image", "href"),
    ("image", "xlink:href"),
    ("use", "href"),
    ("use", "xlink:href"),
}
"""What a browser loads as soon as it shows the page."""

LOADED_RELATIONS = {"stylesheet", "preload", "modulepreload", "prefetch", "icon", "preconnect", "dns-prefetch"}
"""Kinds of ``<link>`` that a browser loads, or opens a connection for."""

TEMPLATES = "_static"
"""The folder in which the theme leaves templates of pages, which are no pages."""

NOT_FILES = ("data", "mailto", "javascript", "about")

CSS_ADDRESS = re.compile(r"""url\(\s*["']?([^"')]+)["']?\s*\)|@import\s+["']([^"']+)["']""")


@dataclass
class Page:
    """The links, the assets and the targets of links of a page."""

    links: list[str] = field(default_factory=list)
    assets: list[str] = field(default_factory=list)
    targets: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    """Reads a page; the text of scripts and pictures inside the page are of no interest."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links, the assets and the targets of an element."""
        values = {name: value or "" for name, value in attrs}
        self.page.targets |= {values[name] for name in ("id", "name") if values.get(name)}
        self._in_style = tag == "style"
        if tag in ("a", "area") and "href" in values:
            self.page.links.append(values["href"])
        if tag == "link":
            loaded = LOADED_RELATIONS & set(values.get("rel", "").lower().split())
            (self.page.assets if loaded else self.page.links).append(values.get("href", ""))
        for name, value in values.items():
            if (tag, name) in ASSETS:
                self.page.assets += _of_set(value) if name == "srcset" else [value]
        self.page.assets += _of_css(values.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        """Leave a style sheet."""
        self._in_style = False

    def handle_data(self, data: str) -> None:
        """Note the assets of a style sheet inside the page."""
        if self._in_style:
            self.page.assets += _of_css(data)


def check_site(site: Path) -> tuple[int, list[str]]:
    """Return the number of pages, and one sentence per broken link or foreign asset."""
    files = [path for path in sorted(site.rglob("*.html")) if TEMPLATES not in path.relative_to(site).parts]
    pages = {path.resolve(): _read(path) for path in files}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        problems += [f"{name} loads {url} from another site." for url in page.assets if _is_elsewhere(url)]
        problems += [f"{name}: {reason}" for url in page.links + page.assets for reason in _faults(url, path, pages)]
    for path in sorted(site.rglob("*.css")):
        urls = _of_css(path.read_text(encoding="utf-8"))
        name = path.relative_to(site)
        problems += [f"{name} loads {url} from another site." for url in urls if _is_elsewhere(url)]
        problems += [f"{name}: {reason}" for url in urls for reason in _faults(url, path.resolve(), pages)]
    return len(pages), list(dict.fromkeys(problems))


def _read(path: Path) -> Page:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader.page


def _faults(url: str, path: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield what is wrong with an address: nothing if it is of another site, or leads to a file and a target in it."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return
    if parts.path.startswith("/"):
        yield f"{url} begins with a slash, and works only at the top of a host."
        return
    file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if file.is_dir():
        file /= "index.html"
    if not file.is_file():
        yield f"{url} leads to no file."
    elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].targets:
        yield f"{url} leads to no target in {file.name}."


def _is_elsewhere(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme not in NOT_FILES and bool(parts.scheme or parts.netloc)


def _of_set(value: str) -> list[str]:
    """Return the addresses of a set of pictures, each followed by a size."""
    return [one.split()[0] for one in value.split(",") if one.strip()]


def _of_css(text: str) -> list[str]:
    return [first or second for first, second in CSS_ADDRESS.findall(text) if not first.startswith("#")]
