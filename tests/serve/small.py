"""A small model of the news corpus, an application around it, and a service in a process of its own."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from setwise import SetClassifier
from setwise.serve.app import create_app, operations_of
from setwise.serve.metrics import Metrics
from setwise.serve.models import ModelStore
from setwise.serve.service import Service
from setwise.serve.settings import Limits, Settings
from tests.cli.corpus import news
from tests.cli.process import COMMAND, restore_ctrl_c

__all__ = [
    "JSON",
    "TEXTS",
    "Started",
    "app_client",
    "exchange",
    "make_service",
    "read_answer",
    "save_model",
    "started_service",
]

TEXTS = [one["text"] for one in news(40, random_state=7)]
JSON = {"content-type": "application/json"}

START_SECONDS = 60


def save_model(path: Path, random_state: int = 0, prefix: str = "") -> Path:
    """Train on a small corpus and save the model, with a threshold of automation."""
    documents = news(160, random_state)
    labels = [[prefix + name for name in one["labels"]] for one in documents]
    classifier = SetClassifier("br", budget="quick", n_jobs=1).fit([one["text"] for one in documents], labels)
    labeled = news(80, random_state + 100)
    truth = [[prefix + name for name in one["labels"]] for one in labeled]
    classifier.automate([one["text"] for one in labeled], truth, target_f1=0.5)
    classifier.save(path, documents=160)
    return path


def make_service(model: Path, **settings: Any) -> Service:
    """Return a service with one model, named ``news``; limits are settings too."""
    limits = {name: settings.pop(name) for name in Limits.__dataclass_fields__ if name in settings}
    chosen = replace(Settings((("news", str(model)),), Limits(**limits), access_log=False), **settings)
    metrics = Metrics([one.name for one in operations_of(chosen)], ["news"])
    return Service(chosen, ModelStore(chosen.models, print), metrics)


@contextmanager
def app_client(model: Path, **settings: Any) -> Iterator[TestClient]:
    """Return a client of an application in this process; an error of the service fails the test."""
    service = make_service(model, **settings)
    with TestClient(create_app(service)) as client:
        yield client


class Started:
    """A service in a process of its own, with what it has printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.notes: list[str] = []
        self.log: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in ((process.stderr, self.notes), (process.stdout, self.log))
        ]
        self._listens = threading.Event()
        for reader in self._readers:
            reader.start()
        assert self._listens.wait(START_SECONDS), self.notes
        found = re.search(r"http://.*:(\d+)$", self.notes[-1])
        assert found, self.notes
        self.port = int(found[1])

    def _read(self, stream: Any, lines: list[str]) -> None:
        for line in stream:
            lines.append(line.rstrip("\n"))
            if "http://" in line:
                self._listens.set()
        self._listens.set()

    def send(self, one: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(one)

    def wait(self) -> int:
        """Wait until the process has ended, and return its exit code."""
        code = self.process.wait(timeout=START_SECONDS)
        for reader in self._readers:
            reader.join(timeout=START_SECONDS)
        return code


@contextmanager
def started_service(*arguments: str | Path) -> Iterator[Started]:
    """Run ``setwise serve`` on a free port until the block ends."""
    process = subprocess.Popen(
        [str(COMMAND), "serve", *map(str, arguments), "--port", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=restore_ctrl_c,
    )
    try:
        yield Started(process)
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=START_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def exchange(port: int, request: bytes, *, seconds: float = 20.0) -> bytes:
    """Send bytes over a connection of their own and return the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        with suppress(ConnectionError):  # what is refused at its beginning need not be read to its end
            connection.sendall(request)
        return read_answer(connection)


def read_answer(connection: socket.socket) -> bytes:
    """Return one answer, or what came of it before the connection was closed."""
    received = b""
    while chunk := connection.recv(2**16):
        received += chunk
        head, end, body = received.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        if end and length and len(body) >= int(length[1]):
            break
    return received
