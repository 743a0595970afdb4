"""``python -m website``: build the site and check it; a warning or a broken link is an error."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx_build

from website.check import check_site

SOURCE, SITE, DOCTREES = Path("docs"), Path("build/site"), Path("build/docs/doctrees")

OPTIONS = ("--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "-b", "html")


def main() -> int:
    """Return the exit code: 0 if no page has a warning, and no link or asset is missing or from another site."""
    exit_code: int = sphinx_build([*OPTIONS, "-d", str(DOCTREES), str(SOURCE), str(SITE)])
    if exit_code:
        return exit_code
    n_pages, problems = check_site(SITE)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f"{len(problems)} problems in {n_pages:,} pages.", file=sys.stderr)
        return 1
    print(f"{n_pages:,} pages; every internal link has a target, and no page loads anything from another site.")
    print(f"The site is in {SITE}; open {SITE / 'index.html'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
