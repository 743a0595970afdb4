"""Packages import only from the layers below them, and every package has its layer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_no_package_imports_from_a_layer_above_or_beside_it(repository: Path) -> None:
    result = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 kept, 0 broken" in result.stdout
