"""docs/service.md names everything, and its examples work."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from setwise.cli.serve import serve
from setwise.serve.app import operations_of
from setwise.serve.settings import Limits, Settings
from tests.conftest import REPOSITORY
from tests.serve.small import app_client

PAGE = (REPOSITORY / "docs" / "service.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^curl (.*)$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def everything(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with app_client(model, feedback=str(tmp_path_factory.mktemp("page") / "f.jsonl"), annif=True) as client:
        yield client


def test_every_operation_is_in_the_table() -> None:
    table = re.findall(r"^\| `(GET|POST) (\S+)` \|", PAGE, re.MULTILINE)
    assert sorted(table) == sorted((one.method, one.path) for one in operations_of(Settings((), annif=True)))


def test_every_option_is_named() -> None:
    names = [name.replace("_", "-") for name in inspect.signature(serve).parameters if name != "models"]
    missing = [name for name in names if f"--{name}" not in PAGE]
    assert missing == []


def test_the_table_of_limits_has_the_defaults() -> None:
    rows = dict(re.findall(r"^\| `--([\w-]+)` \| ([\d,]+) \|", PAGE, re.MULTILINE))
    defaults = {name: parameter.default for name, parameter in inspect.signature(serve).parameters.items()}
    for option, number in rows.items():
        assert float(number.replace(",", "")) == defaults[option.replace("-", "_")], option
    limits = Limits()
    assert defaults["max_body"] == limits.max_body_bytes
    for name in ("max_texts", "max_text_length", "max_explained", "max_words", "max_concurrent", "max_connections"):
        assert defaults[name] == getattr(limits, name)
    assert defaults["request_seconds"] == limits.request_seconds
    assert defaults["shutdown_seconds"] == Settings(()).shutdown_seconds
    assert defaults["batch_ms"] == 1000 * Settings(()).batch_seconds


def test_every_metric_is_in_the_table(everything: TestClient) -> None:
    families = re.findall(r"^# TYPE (\S+) ", everything.get("/metrics").text, re.MULTILINE)
    assert re.findall(r"^\| `(setwise_\w+)` \|", PAGE, re.MULTILINE) == families


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_work(everything: TestClient, example: str) -> None:
    words = shlex.split(example)
    (url,) = (word for word in words if word.startswith("http://127.0.0.1:8080/"))
    is_json = "-H" in words
    content_type = "application/json" if is_json else "application/x-www-form-urlencoded"
    answer = everything.post(
        url.removeprefix("http://127.0.0.1:8080").replace("/topics/", "/news/"),
        content=words[words.index("-d") + 1].encode(),
        headers={"content-type": content_type},
    )
    assert answer.is_success, answer.text
