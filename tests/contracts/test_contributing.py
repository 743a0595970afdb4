"""The model that CONTRIBUTING adds: its module, its line of the registry, and the program that uses it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from setwise.models import MODELS, BinaryRelevance, ModelEntry
from tests.conftest import REPOSITORY
from tests.contracts.test_models import (  # the suite of all models, on the ``estimator`` of this module
    TestAnswers,
    TestBadInput,
    TestDeclaration,
    TestOddData,
    TestState,
    TestTraining,
)
from tests.models.corpora import small_corpus
from tests.oracles.sets import every_set

__all__ = ["TestAnswers", "TestBadInput", "TestDeclaration", "TestOddData", "TestState", "TestTraining"]

PAGE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
MODULE, LINE, PROGRAM = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

NAMES: dict[str, Any] = {"__name__": "setwise.models.sized"}
exec(compile(MODULE, "CONTRIBUTING.md", "exec"), NAMES)
ENTRY: ModelEntry = eval(LINE, {**NAMES, "ModelEntry": ModelEntry})


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, ENTRY.name, ENTRY)


@pytest.fixture
def estimator() -> Any:
    return ENTRY.model().set_params(strength=0.01)


def test_equal_shares_give_br(estimator: Any) -> None:
    X, y = small_corpus(n=60)
    model = estimator.fit(X, y)
    model.shares_ = np.full_like(model.shares_, 1.0 / model.shares_.size)
    sets = every_set(y.shape[1])
    br = BinaryRelevance(strength=0.01).fit(X, y)
    assert_allclose(model.posterior(X).log_prob(sets), br.posterior(X).log_prob(sets), atol=1e-10)


def test_the_program_prints_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(PROGRAM, "CONTRIBUTING.md", "exec"), {})
    assert f"{PROGRAM}```\n\n```text\n{printed.getvalue()}```" in PAGE
