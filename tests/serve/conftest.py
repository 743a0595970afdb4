"""One small model for all tests of the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.serve.small import app_client, save_model


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("serve") / "news.setwise")


@pytest.fixture(scope="session")
def other_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose labels all begin with ``new ``."""
    return save_model(tmp_path_factory.mktemp("serve") / "other.setwise", random_state=1, prefix="new ")


@pytest.fixture(scope="module")
def client(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with app_client(model, feedback=str(tmp_path_factory.mktemp("feedback") / "f.jsonl"), annif=True) as found:
        yield found
