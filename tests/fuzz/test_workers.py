"""The fuzzer itself: whatever a case does to its process, it is told as that case's fault, and the others go on."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from fuzz import workers
from fuzz.workers import Case, checked, run_all

DEEDS = ["used", "crash", "hang", "memory", "error", "work", "used"]


@dataclass
class Deeds:
    """Cases that misbehave, each in its own way."""

    def load(self) -> None:
        workers.SECONDS = 1  # in the worker's own process

    def make(self, number: int) -> Case:
        return Case(DEEDS[number], {"deed": DEEDS[number].encode()})

    @staticmethod
    def check(path: Path) -> str:
        match path.read_text():
            case "crash":
                os.abort()
            case "hang":
                time.sleep(60)
            case "work":
                while True:
                    pass
            case "memory":
                np.empty(2 * workers.ADDRESS_SPACE, dtype=np.uint8)
            case "error":
                raise KeyError("no error of setwise")
        return "used"


pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is limited on Linux alone")


def test_every_fault_belongs_to_its_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CLOCK_SECONDS", 8.0)
    found = {outcome.number: outcome for outcome in run_all(Deeds(), range(len(DEEDS)), tmp_path, 2)}
    faults = [str(found[number].fault) for number in range(7)]
    assert faults[1] == "the process died with exit code -6"
    assert faults[2] == "it waited for more than 8 s"
    assert faults[3] == "it asked for more than 4,294,967,296 bytes"
    assert faults[4] == "KeyError: 'no error of setwise'"
    assert faults[5] == "it took more than 5 s"
    assert faults[0] == faults[6] == "None"


def test_a_peak_of_memory_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "BYTES", 2**26)
    assert checked(lambda path: str(np.ones(2**20).size), tmp_path, 0).fault is None
    fault = checked(lambda path: str(np.ones(2**24).size), tmp_path, 0).fault
    assert fault is not None
    assert fault.startswith("it took 13")
