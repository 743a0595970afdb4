"""A run that is killed at any moment loses no finished setting, and ends in the same choice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import sys
from setwise.labels import LabelMatrix
from setwise.learners import critical_strength
from setwise.models import BinaryRelevance, elastic_paths
from setwise.tuning import Validation, best_of, search
from tests.models.corpora import small_corpus

X, y = small_corpus(n=1500)
labels = LabelMatrix.of(y)
paths = elastic_paths(critical_strength(X, labels), (0.0, 0.3, 0.6, 1.0), 12)
print("ready", flush=True)
parts = Validation(random_state=0).parts(X, labels)
trials = search(BinaryRelevance(n_jobs=1), paths, parts, checkpoint=sys.argv[1])
best = best_of(trials)
print(best.setting.values, best.value)
"""


def start(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def finished_lines(path: Path) -> list[bytes]:
    content = path.read_bytes() if path.exists() else b""
    return content[: content.rfind(b"\n") + 1].splitlines()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_twenty_kills_lose_nothing(tmp_path: Path) -> None:
    alone = start(tmp_path / "alone")
    answer, _ = alone.communicate(timeout=120)
    moment = random.Random(0)
    before: list[bytes] = []
    kills, seen = 0, []
    for _ in range(20):
        process = start(tmp_path / "killed")
        n_lines = len(before) + moment.choice((0, 0, 1, 2, 4))  # by what is finished, not by the clock of this machine
        while process.poll() is None and len(finished_lines(tmp_path / "killed")) < n_lines:
            time.sleep(0.001)
        time.sleep(moment.uniform(0.0, 0.02))
        kills += process.poll() is None
        process.kill()
        process.communicate()
        now = finished_lines(tmp_path / "killed")
        assert now[: len(before)] == before  # finished settings stay unchanged
        before = now
        seen.append(len(now))
    assert kills >= 5  # later ones may come when the run is done
    assert any(1 < n < 1 + 48 for n in seen)  # some came between the first setting and the last
    ended = start(tmp_path / "killed")
    assert ended.communicate(timeout=120)[0] == answer
    assert len(finished_lines(tmp_path / "killed")) == 1 + 48
