"""The fuzzer itself: whatever a case does to its process is reported as that case's fault, and the others run on."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from fuzz import workers
from fuzz.workers import Case, run_all

BEHAVIORS = ["used", "crash", "hang", "memory", "error", "spin", "used"]


@dataclass
class MisbehavingCases:
    """Cases that misbehave, each in its own way."""

    def load(self) -> None:
        workers.CPU_SECONDS = 1  # only in the worker's own process

    def make(self, number: int) -> Case:
        return Case(BEHAVIORS[number], {"behavior": BEHAVIORS[number].encode()})

    @staticmethod
    def check(path: Path) -> str:
        match path.read_text():
            case "crash":
                os.abort()
            case "hang":
                time.sleep(60)
            case "spin":
                while True:
                    pass
            case "memory":
                np.empty(2 * workers.MAX_ADDRESS_SPACE, dtype=np.uint8)
            case "error":
                raise KeyError("not a setwise error")
        return "used"


pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is limited on Linux alone")


def test_every_fault_is_reported_for_its_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CLOCK_SECONDS", 8.0)
    numbers = range(len(BEHAVIORS))
    outcomes = {outcome.number: outcome for outcome in run_all(MisbehavingCases(), numbers, tmp_path, 2)}
    faults = [str(outcomes[number].fault) for number in numbers]
    assert faults[1] == "the process died with exit code -6"
    assert faults[2] == "ran for more than 8 s"
    assert faults[3] == "asked for more than 4,294,967,296 bytes"
    assert faults[4] == "KeyError: 'not a setwise error'"
    assert faults[5] == "used more than 5 s of processor time"
    assert faults[0] == faults[6] == "None"


@dataclass
class LargeCases:
    """Cases that use a million and sixteen million numbers."""

    def load(self) -> None:
        workers.MAX_BYTES = 2**26  # only in the worker's own process

    def make(self, number: int) -> Case:
        return Case("large", {"exponent": str(20 + 4 * number).encode()})

    @staticmethod
    def check(path: Path) -> str:
        return str(np.ones(2 ** int(path.read_text())).size)


def test_a_memory_peak_is_a_fault(tmp_path: Path) -> None:
    small, large = sorted(run_all(LargeCases(), range(2), tmp_path, 1), key=lambda outcome: outcome.number)
    assert small.fault is None
    assert large.fault is not None
    assert large.fault.startswith("used 13")
