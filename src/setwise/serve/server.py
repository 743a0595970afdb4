"""The process: models loaded, a socket that listens, and one worker or several that answer."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import uvicorn

from setwise.exceptions import InvalidParameter
from setwise.serve.app import create_app, operations_of
from setwise.serve.feedback import FeedbackFile
from setwise.serve.metrics import Metrics
from setwise.serve.models import LoadedModel, ModelStore
from setwise.serve.protocol import limited_protocol
from setwise.serve.service import Service
from setwise.serve.settings import Settings
from setwise.serve.workers import run_workers

__all__ = ["serve"]

BACKLOG = 2048
"""Connections that wait to be accepted."""

KEEP_ALIVE_SECONDS = 75
"""An idle connection stays open longer than those of usual proxies, so that no proxy uses one that is being closed."""

SECONDS_BETWEEN_SWITCHES = 0.0005
"""The loop waits as long for the thread that predicts; a tenth of what is usual in Python."""


def serve(
    settings: Settings,
    host: str,
    port: int,
    note: Callable[[str], object],
    load: Callable[[str, str], LoadedModel] = LoadedModel.load,
) -> int:
    """Answer requests until a signal ends the service, and return the exit code.

    Parameters
    ----------
    settings : Settings
    host : str
        Address to listen on.
    port : int
        0 takes a free one.
    note : callable
        Called with one sentence at a time: where the service listens, and which models were replaced.
    load : callable
        Called with name and path of a model; loads its file.
    """
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until somebody listens to it
    models = ModelStore(settings.models, note, load)
    if settings.feedback is not None:
        FeedbackFile(settings.feedback)  # an error shows before the service listens
    names = [operation.name for operation in operations_of(settings)]
    metrics = Metrics(names, [name for name, _ in settings.models], settings.workers)
    with listening_socket(host, port) as listening:
        listed = ", ".join(f"{model.name} {model.version}" for model in models)
        note(f"serving {listed} at {_url(listening)}")
        if settings.workers == 1:
            _run_worker(settings, models, metrics, listening, 0, None)
            return 0
        run = partial(_run_worker, settings, models, metrics, listening)
        return run_workers(settings.workers, run, listening.close, note)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why there is none."""
    try:
        options = {"type": socket.SOCK_STREAM, "proto": socket.IPPROTO_TCP, "flags": socket.AI_PASSIVE}
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, **options)[0]
        # With the protocol by its number, or asyncio does not see that it is TCP, and lets the system hold back the end
        # of each answer until the client has confirmed its beginning, which takes 40 milliseconds.
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(BACKLOG)
        except BaseException:
            listening.close()
            raise
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidParameter(f"The service cannot listen on {host}, port {port}: {reason}.") from None
    return listening


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _run_worker(
    settings: Settings,
    models: ModelStore,
    metrics: Metrics,
    listening: socket.socket,
    number: int,
    parent: int | None,
) -> None:
    """Answer requests until a signal ends the worker, or ``parent`` does."""
    sys.setswitchinterval(SECONDS_BETWEEN_SWITCHES)
    metrics.use_row(number)
    server: uvicorn.Server

    @asynccontextmanager
    async def lifespan(service: Service) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[None]] = set()

        def in_background(only_changed: bool) -> None:
            task = loop.create_task(service.reload(only_changed=only_changed))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        loop.add_signal_handler(signal.SIGHUP, in_background, False)
        in_background(True)  # a file may have changed since it was read, and its signal may have come too soon
        if parent is not None:
            loop.add_reader(parent, partial(_stop, loop, parent, server))
        watching = None if settings.watch_seconds is None else loop.create_task(_watch(service, settings.watch_seconds))
        yield
        if watching is not None:
            watching.cancel()
        for task in [*tasks]:
            with suppress(asyncio.CancelledError):
                await task

    service = Service(settings, models, metrics)
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(service, lifespan),
            http=limited_protocol(settings.limits),
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=settings.shutdown_seconds,
        )
    )
    # uvicorn listens to signals once its loop runs, and sends SIGTERM again once everything is answered.
    before = signal.signal(signal.SIGTERM, lambda *_: _end(server))
    try:
        server.run(sockets=[listening])
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(server: uvicorn.Server) -> None:
    """Let a server end once everything is answered, even if its loop does not run yet."""
    server.should_exit = True


def _stop(loop: asyncio.AbstractEventLoop, parent: int, server: uvicorn.Server) -> None:
    loop.remove_reader(parent)
    _end(server)


async def _watch(service: Service, seconds: float) -> None:
    """Load models again whose files change."""
    while True:
        await asyncio.sleep(seconds)
        await service.reload(only_changed=True)
