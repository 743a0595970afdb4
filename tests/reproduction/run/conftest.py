"""A CBM with few components, which trains faster."""

from __future__ import annotations

import pytest

from reproduction.plan import grids


@pytest.fixture(autouse=True)
def few_components(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grids, "N_COMPONENTS", 3)
