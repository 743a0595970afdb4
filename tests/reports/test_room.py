"""What the room brings along when it is imported."""

from __future__ import annotations

import subprocess
import sys


def imported_with_reports() -> set[str]:
    program = "import sys, setwise.reports; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_importing_it_waits_for_no_drawing():
    assert not {"matplotlib", "jinja2"} & imported_with_reports()


def test_it_knows_no_other_room():
    rooms = {name.split(".")[1] for name in imported_with_reports() if name.startswith("setwise.")}
    assert rooms == {"reports", "exceptions"}
