"""The benchmark of the service: its client counts what comes back, and malformed requests are refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from benchmarks.serve import ServeEffort, corpora
from benchmarks.serve.client import CLOSED, Connection, post, send_load
from benchmarks.serve.corpora import ServedCorpus
from benchmarks.serve.malformed import EXPECTED, Malformed, described
from benchmarks.serve.rows import batch_rows, malformed_rows, single_rows
from tests.benchmarks.small import number
from tests.serve.small import Started, save_model, started_service

PATH = "/v1/models/news/predict"
GOOD = post(PATH, orjson.dumps({"texts": ["a goal", "rain"]}))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    model = save_model(tmp_path_factory.mktemp("bench") / "news.setwise")
    with started_service(model, "--no-access-log") as started:
        yield started


def test_good_requests_are_counted_with_their_time(service: Started) -> None:
    load = asyncio.run(send_load(service.port, [GOOD], 3, 0.3))
    assert load.n_lost == 0
    assert load.statuses[200] == len(load.latencies) > 3
    assert 0.0 < load.percentile(50) <= load.percentile(99) < 5000.0
    assert load.seconds >= 0.3


def test_good_requests_that_are_refused_are_lost(service: Started) -> None:
    load = asyncio.run(send_load(service.port, [GOOD, post(PATH, b"{")], 1, 0.2))
    assert 0 < load.n_lost == load.statuses[400]
    assert abs(load.statuses[200] - load.statuses[400]) <= 1


def test_a_port_where_nobody_listens_loses_everything() -> None:
    load = asyncio.run(send_load(1, [GOOD], 1, 0.05))
    assert load.statuses.keys() == {CLOSED}
    assert load.n_lost > 0


def test_every_kind_of_malformed_request_is_refused(service: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.serve.malformed.PAUSE_SECONDS", 0.05)
    bad = Malformed(service.port, PATH)

    async def ask(kind: int) -> int:
        connection = Connection()
        status = await bad(connection, kind)
        connection.close()
        return status

    statuses = [asyncio.run(ask(kind)) for kind in range(5)]
    assert statuses == [400, 422, 413, 400, 400]
    assert set(statuses) <= EXPECTED
    load = asyncio.run(send_load(service.port, [GOOD], 2, 0.5, bad, bad_every=3))
    assert load.n_lost == 0
    assert 0 < load.bad_statuses.total() <= load.statuses.total() / 3 + 1
    assert "x 400" in described(load.bad_statuses)


@pytest.mark.slow
def test_both_services_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "N_SYNTHETIC", 300)
    monkeypatch.setattr(corpora, "N_ASKED", 64)
    corpus = ServedCorpus("synthetic_texts")
    for section in (batch_rows, single_rows, malformed_rows):
        ours, rival = section(corpus, ServeEffort(seconds=0.5, warm_up_seconds=0.1))
        assert (ours.entry, rival.entry) == ("setwise", "scikit-learn")
        assert number(ours, "lost") == number(rival, "lost") == 0
        assert number(rival, "relative") == pytest.approx(number(ours, "per second") / number(rival, "per second"))
        assert ours.verdict
        assert not rival.verdict


def test_synthetic_texts_of_the_parts_differ(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(corpora, "N_SYNTHETIC", 30)
    monkeypatch.setattr(corpora, "N_ASKED", 20)
    corpus = ServedCorpus("synthetic_texts")
    train, asked = corpus._documents("train"), corpus.texts
    assert (len(train), len(asked)) == (30, 20)
    assert not {text for text, _ in train} & set(asked)
    assert {len(text.split()) for text in asked} == {20}
