"""Two thousand damaged model files: each one is refused with a short message, or loads and predicts."""

from __future__ import annotations

import random
import resource
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from setwise import SetClassifier, load
from setwise.exceptions import InvalidData
from tests.persistence.damage import damaged
from tests.persistence.small import MODELS, TEXTS, answers, trained, trained_on_text

N_FILES = 2000
MAX_SECONDS = 5.0
MAX_MEGABYTES = 500

# Valid but absurd numbers may overflow before they become probabilities, which is harmless.
pytestmark = [
    pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


@pytest.fixture(scope="module")
def undamaged(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One file per model and inference."""
    folder = tmp_path_factory.mktemp("undamaged")
    models = {
        f"{model} {inference}": trained(model, inference)
        for model in MODELS
        if model != "spen"
        for inference in (("exact",) if model.startswith(("lsf", "fgfm")) else ("support", "blend"))
    }
    models |= {f"{model} mode": trained(model, "mode", "most_probable") for model in ("br", "pcc", "crf", "cbm")}
    models["spen"] = trained("spen", "exact", "threshold")
    models["text"] = trained_on_text()
    for name, classifier in models.items():
        classifier.save(folder / name)
    return [folder / name for name in models]


def peak_megabytes() -> float:
    """Return the peak memory of this process."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def predict_with(classifier: SetClassifier) -> None:
    """Predict a few texts, or a few documents with as many features as the model has."""
    if classifier.vectorizer_ is not None:
        answers(classifier, TEXTS)
        return
    columns = np.linspace(0, classifier.n_features_in_ - 1, 6).astype(np.int64)
    answers(classifier, sp.csr_array((np.linspace(-2, 2, 6), (np.arange(6) % 4, columns)), (4, columns[-1] + 1)))


def test_damage_causes_no_crash_hang_or_unexpected_error(undamaged: list[Path], tmp_path: Path) -> None:
    outcomes: Counter[tuple[str, str]] = Counter()
    before = peak_megabytes()
    for random_state in range(N_FILES):
        source = random.Random(random_state)
        original, repaired = source.choice(undamaged), random_state % 4 > 0
        kind, content = damaged(original, source, repaired=repaired)
        path = tmp_path / "damaged.setwise"
        path.write_bytes(content)
        began = time.perf_counter()
        try:
            predict_with(load(path))
        except InvalidData as refusal:
            outcomes[kind, "refused"] += 1
            message = str(refusal)
            assert message.startswith(f"Cannot load {path}. "), (random_state, kind, message)
            assert message.isprintable(), (random_state, kind, message)
            assert len(message) < 800, (random_state, kind, message)
        except BaseException as error:
            raise AssertionError(f"random_state {random_state}, {kind}: {type(error).__name__}: {error}") from error
        else:
            outcomes[kind, "used"] += 1
            assert repaired or content == original.read_bytes(), (random_state, kind)  # every changed byte is detected
        assert time.perf_counter() - began < MAX_SECONDS, (random_state, kind)
    grown = peak_megabytes() - before
    print(dict(sorted(outcomes.items())), f"memory grew by {grown:.0f} MB")
    assert grown < MAX_MEGABYTES
    assert (
        sum(n for (_, outcome), n in outcomes.items() if outcome == "used") > N_FILES / 20
    )  # some damage reaches the core
    assert all(outcomes[kind, "refused"] for kind, _ in outcomes if kind != "nudge_number")
