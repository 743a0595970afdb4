"""Limits of time and of requests at a time, and what is counted."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from starlette.testclient import TestClient

from setwise.serve import predicting
from setwise.serve.metrics import SECONDS, SIZES, Metrics
from tests.serve.small import TEXTS, app_client

PREDICT = "/v1/models/news/predict"


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Predictions wait until the event is set."""
    may_go_on, rows = threading.Event(), predicting.predicted_rows

    def wait(*arguments: Any) -> Any:
        may_go_on.wait(20.0)
        return rows(*arguments)

    monkeypatch.setattr(predicting, "predicted_rows", wait)
    yield may_go_on
    may_go_on.set()


def ask(client: TestClient, *_: Any) -> Any:
    return client.post(PREDICT, json={"texts": TEXTS[:1]})


def test_more_requests_than_the_limit_are_asked_to_come_back(model: Path, held: threading.Event) -> None:
    with app_client(model, max_concurrent=2) as client, ThreadPoolExecutor(2) as threads:
        answers = [threads.submit(ask, client) for _ in range(2)]
        while "setwise_in_progress 2" not in _open_metrics(client):
            sleep(0.01)
        refused = ask(client)
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "1"
        assert refused.json()["detail"] == "2 requests are being answered; try again in a second."
        assert client.get("/health/live").status_code == 200
        held.set()
        assert [answer.result().status_code for answer in answers] == [200, 200]
        assert ask(client).status_code == 200


def _open_metrics(client: TestClient) -> str:
    """Return the metrics, without the request for them."""
    text = client.app.metrics.text([])  # type: ignore[attr-defined]
    return str(text)


def test_an_answer_that_takes_too_long_is_given_up(model: Path, held: threading.Event) -> None:
    with app_client(model, request_seconds=0.2) as client:
        late = ask(client)
        assert late.status_code == 503
        assert late.json()["detail"] == "There was no answer within 0.2 seconds; send less, or try again."
        held.set()
        assert ask(client).status_code == 200


def test_requests_texts_and_batches_are_counted(model: Path) -> None:
    with app_client(model, batch_seconds=0.2) as client:
        with ThreadPoolExecutor(3) as threads:
            assert [one.status_code for one in threads.map(lambda _: ask(client), range(3))] == [200] * 3
        client.post(PREDICT, json={"texts": 3})
        client.get("/nowhere")
        text = client.get("/metrics").text
        version = client.get("/v1/models/news").json()["version"]
    lines = text.splitlines()
    assert 'setwise_requests_total{operation="predict",status="200"} 3' in lines
    assert 'setwise_requests_total{operation="predict",status="422"} 1' in lines
    assert 'setwise_requests_total{operation="other",status="404"} 1' in lines
    assert 'setwise_texts_total{model="news"} 3' in lines
    assert "setwise_batch_texts_sum 3" in lines
    assert "setwise_in_progress 1" in lines  # the request for the metrics
    (loaded,) = (line for line in lines if line.startswith("setwise_model_loaded_timestamp_seconds{"))
    assert f'version="{version}"' in loaded
    for line in lines:
        assert line.startswith("# ") or len(line.rsplit(" ", 1)) == 2


def test_rows_of_all_workers_are_added_up() -> None:
    metrics = Metrics(["predict"], ["m"], 3)
    for worker in range(3):
        metrics.use_row(worker)
        metrics.count_in_progress(1)
        metrics.count_request("predict", 200, 0.003 * (worker + 1))
        metrics.count_request("predict", 599, 99.0)
        metrics.count_batch(33)
    metrics.use_row(1)  # the worker was started again: what it has counted stays, what it was answering does not
    text = metrics.text([])
    assert 'setwise_requests_total{operation="predict",status="200"} 3\n' in text
    assert 'setwise_requests_total{operation="predict",status="other"} 3\n' in text
    assert 'setwise_request_seconds_bucket{operation="predict",le="0.005"} 1\n' in text
    assert 'setwise_request_seconds_bucket{operation="predict",le="0.01"} 3\n' in text
    assert 'setwise_request_seconds_bucket{operation="predict",le="+Inf"} 6\n' in text
    assert 'setwise_request_seconds_count{operation="predict"} 6\n' in text
    assert 'setwise_batch_texts_bucket{le="64.0"} 3\n' in text
    assert "setwise_in_progress 2\n" in text
    assert list(SECONDS) == sorted(SECONDS)
    assert list(SIZES) == sorted(SIZES)


def test_the_access_log_has_one_line_per_request_and_no_text(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with app_client(model, access_log=True) as client:
        capfd.readouterr()
        client.post(PREDICT, json={"texts": ["a secret"]})
        client.get("/no%0A%22where")
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [(row["method"], row["path"], row["status"]) for row in rows] == [
        ("POST", PREDICT, 200),
        ("GET", '/no\n"where', 404),
    ]
    assert rows[0].keys() == {"time", "client", "method", "path", "status", "bytes", "ms", "worker"}
    assert "secret" not in str(rows)
