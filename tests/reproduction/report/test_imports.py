"""What the reports import, and the error where an extra is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reproduction.report import draw_figures, html, html_page, require_report_extra
from setwise.exceptions import Incompatible


def test_importing_the_reports_does_not_import_matplotlib_or_jinja2(repository: Path) -> None:
    program = "import sys, reproduction.report; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=repository)
    modules = set(result.stdout.split())
    assert "reproduction.report" in modules
    assert not {"matplotlib", "jinja2"} & modules


@pytest.mark.parametrize("module", ["matplotlib", "jinja2"])
def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    message = rf'^Reports need {module}\. Install it with: pip install "setwise\[report\]"\.$'
    with pytest.raises(Incompatible, match=message):
        require_report_extra()
    with pytest.raises(Incompatible, match=message):
        draw_figures([])
    html._environment.cache_clear()
    with pytest.raises(Incompatible, match=message):
        html_page("title", [])
