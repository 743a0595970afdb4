"""Two thousand damaged model files: each is refused in one sentence, or loads and predicts."""

from __future__ import annotations

import random
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.exceptions import InvalidData
from setwise.persistence import Saved, load, save
from tests.persistence.damage import damaged
from tests.persistence.small import MODELS, TEXTS, answers, trained, trained_on_text

N_FILES = 2000
MOST_SECONDS = 5.0
MOST_MEGABYTES = 500

# Numbers that are absurd, but are numbers, overflow on the way to a probability: that is no harm.
pytestmark = [
    pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A file of every model, under the inferences that read most of it."""
    folder = tmp_path_factory.mktemp("whole")
    made: dict[str, tuple[Any, ...]] = {
        f"{model} {inference}": (trained(model, inference),)
        for model in MODELS
        for inference in (("exact",) if model.startswith("lsf") else ("support", "blend"))
    }
    made |= {f"{model} mode": (trained(model, "mode", "most_probable"),) for model in ("br", "pcc", "crf", "cbm")}
    made["text"] = trained_on_text()
    for name, parts in made.items():
        save(folder / name, *parts)
    return [folder / name for name in made]


def megabytes() -> float:
    """Give the most memory that this process ever had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def used(saved: Saved) -> None:
    """Predict for a few documents with as many features as the model says it has."""
    if saved.text is not None:
        documents = saved.text.transform(TEXTS)
    else:
        columns = np.linspace(0, saved.classifier.n_features_in_ - 1, 6).astype(np.int64)
        documents = sp.csr_array((np.linspace(-2, 2, 6), (np.arange(6) % 4, columns)), (4, columns[-1] + 1))
    answers(saved.classifier, documents)


def test_no_damage_brings_a_crash_a_hang_or_another_error(whole: list[Path], tmp_path: Path) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    before = megabytes()
    for random_state in range(N_FILES):
        source = random.Random(random_state)
        original, repaired = source.choice(whole), random_state % 4 > 0
        kind, content = damaged(original, source, repaired=repaired)
        path = tmp_path / "damaged.setwise"
        path.write_bytes(content)
        began = time.perf_counter()
        try:
            used(load(path))
        except InvalidData as refusal:
            seen[kind, "refused"] += 1
            message = str(refusal)
            assert message.startswith(f"{path} must be "), (random_state, kind, message)
            assert message.isprintable(), (random_state, kind, message)
            assert len(message) < 800, (random_state, kind, message)
        except BaseException as error:
            raise AssertionError(f"random_state {random_state}, {kind}: {type(error).__name__}: {error}") from error
        else:
            seen[kind, "used"] += 1
            assert repaired or content == original.read_bytes(), (random_state, kind)  # no change goes unnoticed
        assert time.perf_counter() - began < MOST_SECONDS, (random_state, kind)
    grown = megabytes() - before
    print(dict(sorted(seen.items())), f"memory grew by {grown:.0f} MB")
    assert grown < MOST_MEGABYTES
    assert sum(n for (_, what), n in seen.items() if what == "used") > N_FILES / 20  # damage reaches the core too
    assert all(seen[kind, "refused"] for kind, _ in seen if kind != "nudge_number")
