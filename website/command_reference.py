"""The reference of the command line, written from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

__all__ = ["command_reference"]

TYPED = re.compile(r"setwise |\$ |cat |[A-Z_]+=")
"""How lines begin that a user types."""

LEVEL = {1: "-", 2: "~"}
"""Underlines of the titles of groups and of the commands of a group."""


def command_reference() -> str:
    """Return reStructuredText with one section per command: its help, its usage, its arguments and options."""
    from setwise.cli.app import app

    group: Any = typer.main.get_command(app)
    return "\n".join(_sections(group, typer.Context(group, info_name="setwise"), 1))


def _sections(group: Any, context: Any, depth: int) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command.hidden:
            continue
        inner = command.make_context(name, [], parent=context, resilient_parsing=True)
        title = inner.command_path
        yield from (title, LEVEL[min(depth, 2)] * len(title), "", f".. program:: {title}", "")
        is_group = hasattr(command, "list_commands")
        if not is_group:
            yield from _code([inner.get_usage().removeprefix("Usage: ")])
        yield from _help(command.help or "")
        yield from _sections(command, inner, depth + 1) if is_group else _parameters(command, inner)


def _parameters(command: Any, context: Any) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or parameter.name == "help":
            continue  # hidden, or the same for all commands
        names, text = record
        yield from (f".. option:: {_signature(names)}", "", f"   {_plain(_with_choices(text))}", "")


def _signature(names: str) -> str:
    """Return the names of an option in one line, without the brackets of an argument that may be left out."""
    return re.sub(r"\s+", " ", names).strip().strip("[]")


def _with_choices(text: str) -> str:
    """Return the help of an option with the registered choices in place of their name in braces."""
    from setwise.cli.choices import _CHOICES

    for name, choices in _CHOICES.items():
        text = text.replace(f"{{{name}}}", ", ".join(choices()))
    return text


def _help(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; lines that call ``setwise`` are shown as they are typed."""
    typed: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.replace("\b\n", "").strip()):
        lines = [line.strip() for line in paragraph.splitlines()]
        if TYPED.match(lines[0] if lines else ""):
            typed += lines
            continue
        yield from _code(typed)
        typed = []
        if lines:
            yield from (_plain(" ".join(lines)), "")
    yield from _code(typed)


def _code(lines: list[str]) -> Iterator[str]:
    if lines:
        yield from (".. code-block:: sh", "", *(f"   {line}" for line in lines), "")


def _plain(text: str) -> str:
    """Return text in which no character has a meaning for reStructuredText."""
    return re.sub(r"([\\*`|_<>\[\]])", r"\\\1", text)
