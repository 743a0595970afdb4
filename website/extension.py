"""The extension of Sphinx: the two references, and links that work on a forge and on the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.data import JsonLexer
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from website.api_reference import write_api_reference
from website.command_reference import command_reference
from website.docstrings import escape_bars
from website.repository_links import REPOSITORY, SHOWN, rewrite_links

__all__ = ["setup"]


class Commands(SphinxDirective):
    """The directive ``setwise-commands``: every command with its options, as ``--help`` describes them."""

    def run(self) -> list[nodes.Node]:
        """Return one section per command."""
        sections: list[nodes.Node] = self.parse_text_to_nodes(command_reference(), allow_section_headings=True)
        return sections


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect everything with Sphinx."""
    app.add_directive("setwise-commands", Commands)
    app.connect("config-inited", lambda app, config: write_api_reference(Path(app.srcdir) / "api"))
    app.connect("source-read", _rewrite_source)
    app.connect("autodoc-process-docstring", _escape_bars, priority=100)  # before numpydoc
    app.connect("autodoc-skip-member", _skip_member)
    app.add_lexer("jsonl", JsonLexer)
    for name in ("svm", "csv", "txt", "arff"):
        app.add_lexer(name, TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _rewrite_source(app: Sphinx, name: str, source: list[str]) -> None:
    """Show a file of the repository in place of a page that leads to it, and rewrite links."""
    place = Path(app.env.doc2path(name))
    if place.suffix != ".md":
        return
    page = place
    if name in SHOWN:
        page = REPOSITORY / SHOWN[name]
        app.env.note_dependency(page, docname=name)
        source[0] = page.read_text(encoding="utf-8")
    source[0] = rewrite_links(source[0], page, place)


def _escape_bars(app: Sphinx, what: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    lines[:] = escape_bars(lines)


def _skip_member(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what classes inherit from other libraries; their documentation describes it."""
    module = getattr(member, "__module__", None)
    return True if isinstance(module, str) and not module.startswith("setwise") else None
