"""Check that everything that names the version of a release names the same one."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

__all__ = ["main", "stated_versions"]


def stated_versions(repository: Path) -> dict[str, str]:
    """Return the version that each file names; an empty string where it names none."""
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = re.search(r"^version: (\S+)$", (repository / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    changes = re.search(r"^## (\S+), (\S.*)$", (repository / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {
        "pyproject.toml": project["version"],
        "CITATION.cff": citation[1] if citation else "",
        "CHANGELOG.md": changes[1] if changes else "",
    }


def main(tag: str, repository: Path) -> None:
    """Exit with a sentence unless the tag, such as v1.2.3, names the version of every file, which has a date."""
    for file, version in stated_versions(repository).items():
        if tag != f"v{version}":
            sys.exit(f"The tag is {tag}, but {file} names version {version or '(none)'}. Change one of them.")
    if re.search(rf"^## {re.escape(tag[1:])}, not released", (repository / "CHANGELOG.md").read_text(), re.MULTILINE):
        sys.exit(f"CHANGELOG.md says that {tag[1:]} is not released yet. Write the date there.")


if __name__ == "__main__":
    main(sys.argv[1], Path(__file__).resolve().parent.parent)
