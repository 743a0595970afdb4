"""Names of tables and figures, which become names of files and targets of links."""

from __future__ import annotations

import re

from setwise.exceptions import InvalidParameter

__all__ = ["checked_name"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def checked_name(name: str) -> str:
    """Give the name back if it can stand in the name of a file, in a link and in a LaTeX label."""
    if not _NAME.fullmatch(name):
        raise InvalidParameter(
            "The name of a table or figure must begin with a letter or digit and go on with those, dots, dashes and "
            f"underscores; got {name!r}. Hint: other words belong into its title."
        )
    return name
