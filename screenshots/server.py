"""The real service, as users start it, on a free port of the loopback interface."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

__all__ = ["run_service"]

START_SECONDS = 60
STOP_SECONDS = 10
POLL_SECONDS = 0.05


@contextmanager
def run_service(*arguments: str) -> Iterator[str]:
    """Run ``setwise serve`` with arguments until the end of the context, and return its address once it is ready."""
    port = _free_port()
    command = [str(Path(sys.executable).with_name("setwise")), "serve", *arguments, "--port", str(port)]
    address = f"http://127.0.0.1:{port}"
    with TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_until_ready(address, process)
            yield address
        except TimeoutError as error:
            log.seek(0)
            raise RuntimeError(f"{error} Its output:\n{log.read()}") from None
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_until_ready(address: str, process: subprocess.Popen[bytes]) -> None:
    opener = build_opener(ProxyHandler({}))  # a proxy that the environment names is not for this machine
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise TimeoutError(f"The service ended with the exit code {process.returncode}.")
        try:
            with opener.open(f"{address}/health/ready", timeout=1):
                return
        except (URLError, OSError):
            time.sleep(POLL_SECONDS)
    raise TimeoutError(f"The service was not ready within {START_SECONDS} seconds.")
