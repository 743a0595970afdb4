"""The service as a process of its own: signals, workers, slow and malformed clients, swaps and kills under load."""

from __future__ import annotations

import http.client
import json
import os
import random
import shutil
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import uvicorn

from setwise import load
from setwise.serve import Limits, Settings
from setwise.serve.server import serve
from setwise.serve.snapshots import snapshot
from tests.cli.process import call, run
from tests.serve.small import JSON, TEXTS, Started, exchange, read_answer, started_service

PREDICT = "/v1/models/news/predict"
SECONDS = 30.0


def ask(connection: http.client.HTTPConnection, path: str, body: Any = None) -> tuple[int, Any]:
    """Send a request and return the status and the value of the answer."""
    if body is None:
        connection.request("GET", path)
    else:
        connection.request("POST", path, json.dumps(body), JSON)
    answer = connection.getresponse()
    content = answer.read()
    return answer.status, json.loads(content) if "json" in answer.headers["content-type"] else content.decode()


@contextmanager
def connected(service: Started) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=SECONDS)
    try:
        yield connection
    finally:
        connection.close()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = monotonic() + SECONDS
    while not condition():
        assert monotonic() < end
        sleep(0.02)


def head(path: str, length: int) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    ).encode()


@pytest.fixture(scope="module")
def impatient(model: Path) -> Iterator[Started]:
    """A service whose requests have to arrive within half a second."""
    with started_service(
        model, "--request-seconds", "0.5", "--max-connections", "5", "--max-body", "1000000"
    ) as service:
        yield service


class TestClients:
    def test_prints_where_it_listens_and_one_line_per_request(self, model: Path) -> None:
        with started_service(model) as service, connected(service) as connection:
            with snapshot(str(model)) as copy:
                assert service.notes == [f"serving news {copy.version} at http://127.0.0.1:{service.port}"]
            status, answer = ask(connection, PREDICT, {"texts": TEXTS[:3]})
            assert status == 200
            assert [one["labels"] for one in answer["predictions"]] == load(model).predict(TEXTS[:3])
            wait_until(lambda: len(service.log) == 1)
            assert json.loads(service.log[0])["worker"] == service.process.pid

    def test_a_slow_body_is_given_up(self, impatient: Started) -> None:
        answer = exchange(impatient.port, head(PREDICT, 100) + b'{"texts"')
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"connection: close" in answer.lower()
        assert b"The request did not arrive within 0.5 seconds; send it again." in answer

    @pytest.mark.parametrize("start", [b"", b"GET /v1/mod", b"GET /v1/models HTTP/1.1\r\nhost: x\r\n"])
    def test_a_slow_head_is_given_up(self, impatient: Started, start: bytes) -> None:
        answer = exchange(impatient.port, start)
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"application/problem+json" in answer

    def test_a_slow_head_after_an_answer_is_given_up_too(self, impatient: Started) -> None:
        with socket.create_connection(("127.0.0.1", impatient.port), timeout=SECONDS) as connection:
            connection.sendall(b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert read_answer(connection).startswith(b"HTTP/1.1 200 ")
            sleep(0.8)  # an idle connection stays open
            connection.sendall(b"GET /health/live HTTP/1.1\r\n")
            assert read_answer(connection).startswith(b"HTTP/1.1 408 ")

    def test_the_rest_of_a_refused_body_is_not_waited_for(self, impatient: Started) -> None:
        with socket.create_connection(("127.0.0.1", impatient.port), timeout=SECONDS) as connection:
            connection.sendall(head(PREDICT, 2_000_000) + b" " * 10)
            assert read_answer(connection).startswith(b"HTTP/1.1 413 ")
            started = monotonic()
            while connection.recv(2**16):
                pass
            assert monotonic() - started < 10.0

    @pytest.mark.parametrize(
        "request_",
        [b"\x00\x01\x02\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", b"x" * 200_000],
    )
    def test_what_is_no_http(self, impatient: Started, request_: bytes) -> None:
        answer = exchange(impatient.port, request_)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert b"The request is no valid HTTP." in answer

    @pytest.mark.parametrize("host", [b"[", b"a b", b"\xff", b"a:b:c", b"@", b"http://x/"])
    def test_odd_host_headers(self, impatient: Started, host: bytes) -> None:
        for path, statuses in ((b"/nowhere", b"404"), (b"/health/live", b"421")):
            answer = exchange(impatient.port, b"GET %s HTTP/1.1\r\nhost: %s\r\n\r\n" % (path, host))
            assert answer.startswith((b"HTTP/1.1 %s " % statuses, b"HTTP/1.1 400 "))
        assert len(impatient.notes) == 1

    def test_more_connections_than_the_limit_are_refused(self, impatient: Started) -> None:
        def open_one() -> socket.socket:
            return socket.create_connection(("127.0.0.1", impatient.port), timeout=SECONDS)

        connections = [open_one() for _ in range(5)]
        try:
            wait_until(lambda: exchange(impatient.port, b"").startswith(b"HTTP/1.1 503 "))
        finally:
            for connection in connections:
                connection.close()
        with connected(impatient) as later:
            wait_until(lambda: _status(later) == 200)

    def test_who_goes_away_leaves_nothing_behind(self, impatient: Started) -> None:
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", impatient.port), timeout=SECONDS) as connection:
                connection.sendall(head(PREDICT, 100) + b'{"texts"')
        with connected(impatient) as connection_:
            wait_until(lambda: "setwise_in_progress 1\n" in ask(connection_, "/metrics")[1])
        assert len(impatient.notes) == 1


def _status(connection: http.client.HTTPConnection) -> int:
    try:
        return ask(connection, "/health/live")[0]
    except (OSError, http.client.HTTPException):
        connection.close()
        return 0


class TestStart:
    def test_errors_are_one_sentence(self, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMP_NUM_THREADS", "1")  # restored at the end
        (tmp_path / "empty").touch()
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            for arguments, message in (
                ((tmp_path / "none.setwise",), "none.setwise"),
                ((model, "--port", str(port)), f"The service cannot listen on 127.0.0.1, port {port}: Address already"),
                ((model, "--host", "no.such.host.invalid"), "The service cannot listen on no.such.host.invalid, port "),
                ((model, model), "Two models have the name 'news'."),
                ((model, "--feedback", tmp_path), str(tmp_path)),
                ((model, "--feedback", model), "news.setwise"),
                ((model, "--token-file", tmp_path / "token"), "Cannot read "),
                ((model, "--token-file", tmp_path / "empty"), f"{tmp_path / 'empty'} has no token; write one to it"),
            ):
                result = call("serve", *arguments)
                assert result.returncode in (1, 2)
                assert result.stderr.splitlines()[-1].startswith("error: ")
                assert message in result.stderr

    def test_a_missing_extra_is_named(self, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "uvicorn.py").write_text("raise ImportError\n", encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        result = run("serve", model)
        expected = 'The service needs Starlette and uvicorn. Install them with: pip install "setwise[serve]".'
        assert (result.returncode, result.stderr) == (1, f"error: {expected}\n")

    def test_other_machines_are_warned_of(self, model: Path, tmp_path: Path) -> None:
        with started_service(model, "--host", "0.0.0.0") as service:
            assert service.notes[0].startswith("warning: everybody who reaches 0.0.0.0 can use the service; ")
        (tmp_path / "token").write_text("secret\n", encoding="utf-8")
        with started_service(model, "--host", "0.0.0.0", "--token-file", tmp_path / "token") as service:
            assert len(service.notes) == 1
            with connected(service) as connection:
                assert ask(connection, "/v1/models")[0] == 401

    def test_a_name_of_another_site_is_refused(self, model: Path) -> None:
        with started_service(model, "--allow-host", "Proxy.Example") as service:
            for name, status in (("evil.example", 421), ("proxy.example", 200), ("localhost:1", 200)):
                request = f"GET /health/live HTTP/1.1\r\nhost: {name}\r\n\r\n".encode()
                assert exchange(service.port, request).startswith(f"HTTP/1.1 {status} ".encode())


class TestEnd:
    @pytest.mark.parametrize("workers", ["1", "2"])
    def test_running_requests_are_answered_first(self, model: Path, workers: str) -> None:
        with started_service(model, "--workers", workers) as service:
            body = json.dumps({"texts": TEXTS}).encode()
            with socket.create_connection(("127.0.0.1", service.port), timeout=SECONDS) as connection:
                expecting = head(PREDICT, len(body)).replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")
                connection.sendall(expecting)
                # The request runs as soon as its body is asked for; one that waits to be accepted would be refused.
                assert connection.recv(2**16).startswith(b"HTTP/1.1 100 ")
                connection.sendall(body[:50])
                service.send(signal.SIGTERM)
                sleep(0.3)
                with pytest.raises(OSError, match="refused"):
                    socket.create_connection(("127.0.0.1", service.port), timeout=SECONDS)
                connection.sendall(body[50:])
                received = b""
                while chunk := connection.recv(2**16):
                    received += chunk
            assert received.startswith(b"HTTP/1.1 200 ")
            answer = json.loads(received.partition(b"\r\n\r\n")[2])
            assert len(answer["predictions"]) == len(TEXTS)
            assert service.wait() == 0

    def test_a_client_that_never_ends_is_not_waited_for(self, model: Path) -> None:
        with (
            started_service(model, "--shutdown-seconds", "1") as service,
            socket.create_connection(("127.0.0.1", service.port), timeout=SECONDS) as connection,
        ):
            connection.sendall(head(PREDICT, 100) + b"{")
            sleep(0.3)
            started = monotonic()
            service.send(signal.SIGTERM)
            assert service.wait() == 0
            assert monotonic() - started < 10.0

    def test_ctrl_c_says_so(self, model: Path) -> None:
        with started_service(model) as service:
            service.send(signal.SIGINT)
            assert service.wait() == 130
            assert service.notes[-1] == "error: interrupted."


def test_a_signal_that_comes_before_the_loop_runs_is_obeyed(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_server = uvicorn.Server.run

    def run_late(server: uvicorn.Server, sockets: list[socket.socket] | None = None) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        too_late = threading.Timer(SECONDS, setattr, (server, "should_exit", True))
        too_late.start()
        run_server(server, sockets)
        too_late.cancel()

    monkeypatch.setattr(uvicorn.Server, "run", run_late)
    started = monotonic()
    settings = Settings((("news", str(model)),), Limits(), access_log=False)
    before = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)]
    try:
        assert serve(settings, "127.0.0.1", 0, print) == 0
    finally:
        for one, handler in zip((signal.SIGTERM, signal.SIGHUP), before, strict=True):
            signal.signal(one, handler)
    assert monotonic() - started < SECONDS


class TestWorkers:
    def test_a_worker_that_is_killed_is_replaced(self, model: Path) -> None:
        with started_service(model, "--workers", "2", "--feedback", model.with_name("killed.jsonl")) as service:
            seen: set[int] = set()
            for _ in range(3):
                for _ in range(10):
                    _try(service, seen)
                killed = _worker(service)
                os.kill(killed, signal.SIGKILL)
                wait_until(lambda killed=killed: not Path(f"/proc/{killed}").exists() or _is_gone(killed))  # type: ignore[misc]
            wait_until(lambda: len([note for note in service.notes if "is started again" in note]) == 3)
            with connected(service) as connection:
                text = ask(connection, "/metrics")[1]
            assert "setwise_workers 2\n" in text
            service.send(signal.SIGTERM)
            assert service.wait() == 0

    def test_workers_end_with_their_parent(self, model: Path) -> None:
        with started_service(model, "--workers", "2") as service:
            worker = _worker(service)
            service.send(signal.SIGKILL)
            service.process.wait()
            wait_until(lambda: _is_gone(worker))


def _try(service: Started, seen: set[int]) -> None:
    """Ask for a prediction on a connection of its own; a worker that is killed may break it."""
    try:
        with connected(service) as connection:
            assert ask(connection, PREDICT, {"texts": TEXTS[:1]})[0] == 200
    except (OSError, http.client.HTTPException):
        pass


def _worker(service: Started) -> int:
    """Return the process of a worker that has answered."""
    before = len(service.log)
    wait_until(lambda: _answered(service) and len(service.log) > before)
    return int(json.loads(service.log[-1])["worker"])


def _answered(service: Started) -> bool:
    with connected(service) as connection:
        return _status(connection) == 200


def _is_gone(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


class Asking:
    """Asks for predictions over several connections until it is ended, and notes every answer."""

    def __init__(self, service: Started, n_connections: int) -> None:
        self.answers: list[tuple[int, Any]] = []
        self.failures: list[Exception] = []
        self._service, self._ended = service, threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(n_connections)]

    def __enter__(self) -> Asking:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        with connected(self._service) as connection:
            while not self._ended.is_set():
                try:
                    self.answers.append(ask(connection, PREDICT, {"texts": TEXTS[:8]}))
                except (OSError, http.client.HTTPException) as error:
                    self.failures.append(error)


@pytest.mark.parametrize("how", ["SIGHUP", "--watch"])
def test_models_are_swapped_under_load(model: Path, other_model: Path, tmp_path: Path, how: str) -> None:
    swap_under_load(model, other_model, tmp_path, 4 if how == "SIGHUP" else 2, how)


@pytest.mark.slow
def test_a_hundred_swaps_under_load(model: Path, other_model: Path, tmp_path: Path) -> None:
    swap_under_load(model, other_model, tmp_path, 100, "SIGHUP")


def swap_under_load(model: Path, other_model: Path, tmp_path: Path, n: int, how: str) -> None:
    """Replace the file again and again: every answer is one of the two models', and none is lost."""
    expected = {}
    for file in (model, other_model):
        with snapshot(str(file)) as copy:
            expected[copy.version] = load(file).predict(TEXTS[:8])
    served = Path(shutil.copy(model, tmp_path / "news.setwise"))
    options = ["--watch"] if how == "--watch" else []
    with started_service(served, *options) as service, Asking(service, 3) as asking:
        for k in range(n):
            file = (other_model, model)[k % 2]
            if k % 3 == 2:
                served.write_bytes(file.read_bytes())
            else:
                os.replace(shutil.copy(file, tmp_path / "next"), served)
            if how == "SIGHUP":
                service.send(signal.SIGHUP)
            wait_until(lambda k=k: len(service.notes) > k + 1)  # type: ignore[misc]
        sleep(0.1)
    assert asking.failures == []
    assert {status for status, _ in asking.answers} == {200}
    assert {answer["version"] for _, answer in asking.answers} == set(expected)
    for _, answer in asking.answers:
        assert [one["labels"] for one in answer["predictions"]] == expected[answer["version"]]
    swaps = [note for note in service.notes[1:] if "was replaced by" in note]
    if how == "SIGHUP":
        assert len(swaps) == n


def test_no_confirmed_feedback_is_lost_in_kills(model: Path, tmp_path: Path) -> None:
    kill_while_feedback_is_written(model, tmp_path / "feedback.jsonl", 3)


@pytest.mark.slow
def test_no_confirmed_feedback_is_lost_in_a_hundred_kills(model: Path, tmp_path: Path) -> None:
    kill_while_feedback_is_written(model, tmp_path / "feedback.jsonl", 100)


def kill_while_feedback_is_written(model: Path, file: Path, n: int) -> None:
    """Kill the service again and again while it writes: every line is whole, and every confirmed one is there."""
    confirmed: list[str] = []
    random_source = random.Random(0)
    for kill in range(n):
        with started_service(model, "--feedback", file, "--no-access-log") as service:
            threads = [
                threading.Thread(target=_send_feedback, args=(service, f"{kill}-{number}", confirmed))
                for number in range(4)
            ]
            for thread in threads:
                thread.start()
            sleep(random_source.uniform(0.1, 0.4))
            service.send(signal.SIGKILL)
            for thread in threads:
                thread.join()
            assert service.wait() == -signal.SIGKILL
    with started_service(model, "--feedback", file):
        pass
    lines = file.read_bytes().split(b"\n")
    assert lines.pop() == b""
    stored = [json.loads(line)["id"] for line in lines]
    assert len(confirmed) > 5 * n
    assert len(set(stored)) == len(stored)
    assert set(confirmed) <= set(stored)


def _send_feedback(service: Started, name: str, confirmed: list[str]) -> None:
    """Send corrections of all sizes until the service is gone."""
    with connected(service) as connection:
        for k in range(10_000):
            body = {"text": "word " * (1 + 5000 * (k % 4)), "labels": ["sport"], "id": f"{name}-{k}"}
            try:
                if ask(connection, "/v1/models/news/feedback", body)[0] == 202:
                    confirmed.append(str(body["id"]))
            except (OSError, http.client.HTTPException):
                return
