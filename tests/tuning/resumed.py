"""Helpers for tests of resumed searches."""

from __future__ import annotations

from typing import Any

import pytest

from setwise.models import BinaryRelevance
from setwise.tuning.search import _Run


def refuse_to_search_br_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a setting of BR is evaluated that a checkpoint has; the best ones are trained again."""
    train = _Run.path

    def path(run: Any, *arguments: Any) -> Any:
        if isinstance(run.model, BinaryRelevance):
            pytest.fail("a finished setting was evaluated again")
        return train(run, *arguments)

    monkeypatch.setattr(_Run, "path", path)
