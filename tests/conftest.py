"""Fixtures of all tests: the repository and the corpora; settings of hypothesis."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from setwise.data import DEFAULT_FOLDER, Corpus, find_corpus
from setwise.exceptions import InvalidData

# On a busy machine the time of an example says nothing; the blob lets a failure be reproduced elsewhere. Where CI is
# set the same examples are drawn each time, so that a change is judged by what it changed; elsewhere they are new.
hypothesis.settings.register_profile(
    "setwise",
    deadline=None,
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("setwise")

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Corpus]:
    """``corpus("bibtex")`` finds a corpus, and skips the test with a reason where it is absent."""

    def find_or_skip(name: str) -> Corpus:
        try:
            return find_corpus(name, default_folder=REPOSITORY / DEFAULT_FOLDER)
        except InvalidData as absent:
            pytest.skip(str(absent))

    return find_or_skip
