"""``setwise serve``: answer requests over HTTP, and serve a page."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from setwise.cli.runtime import print_note

__all__ = ["serve"]

LIMITS = "limits"
"""Title of the options that bound what requests may ask for."""

TOKEN_VARIABLE = "SETWISE_TOKEN"

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine for itself."""


def serve(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL", help="Model files; NAME=FILE gives one another name.")
    ],
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 is reached from other machines.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8080,
    workers: Annotated[int, typer.Option(min=1, help="Processes that answer requests.")] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Threads per process for large batches.")] = 1,
    watch: Annotated[
        bool, typer.Option("--watch", help="Replace a model when its file changes; SIGHUP does it at once.")
    ] = False,
    feedback: Annotated[
        str | None, typer.Option(metavar="FILE", help="Append corrected label sets to this file; off by default.")
    ] = None,
    token_file: Annotated[
        str | None,
        typer.Option(metavar="FILE", help=f"File with the token that requests must have; or ${TOKEN_VARIABLE}."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Name under which the service is reached, such as that of a proxy."),
    ] = None,
    annif: Annotated[bool, typer.Option("--annif", help="Answer requests of Annif's clients at /v1/projects.")] = False,
    access_log: Annotated[
        bool, typer.Option("--access-log/--no-access-log", help="Print a line of JSON per request.")
    ] = True,
    batch_ms: Annotated[
        float,
        typer.Option(min=0.0, max=1000.0, help="Milliseconds that a request waits for others to be predicted with."),
    ] = 2.0,
    max_body: Annotated[int, typer.Option(min=1, help="Bytes of a request.", rich_help_panel=LIMITS)] = 4 * 2**20,
    max_texts: Annotated[int, typer.Option(min=1, help="Texts of a request.", rich_help_panel=LIMITS)] = 256,
    max_text_length: Annotated[
        int, typer.Option(min=1, help="Characters of a text.", rich_help_panel=LIMITS)
    ] = 100_000,
    max_explained: Annotated[
        int, typer.Option(min=1, help="Texts of a request for explanations.", rich_help_panel=LIMITS)
    ] = 16,
    max_words: Annotated[
        int, typer.Option(min=0, help="Words of a request that are left out one by one.", rich_help_panel=LIMITS)
    ] = 1000,
    max_concurrent: Annotated[
        int, typer.Option(min=1, help="Requests that a process answers at a time.", rich_help_panel=LIMITS)
    ] = 64,
    max_connections: Annotated[
        int, typer.Option(min=1, help="Connections that a process has open.", rich_help_panel=LIMITS)
    ] = 512,
    request_seconds: Annotated[
        float,
        typer.Option(
            min=0.1, max=3600.0, help="Seconds for a request to arrive, and for its answer.", rich_help_panel=LIMITS
        ),
    ] = 30.0,
    shutdown_seconds: Annotated[
        int,
        typer.Option(min=0, help="Seconds for running requests once the service is to end.", rich_help_panel=LIMITS),
    ] = 30,
) -> None:
    """Answer requests over HTTP, and serve a page that shows label sets and why they were predicted.

    Listens on this machine alone unless --host says otherwise. SIGHUP loads
    changed models; SIGTERM and Ctrl-C end the service once running requests
    are answered. Needs the extra `serve`.

    Examples:

        setwise serve topics.setwise

        setwise serve topics.setwise news=v2.setwise --port 9000 --watch

        setwise serve topics.setwise --host 0.0.0.0 --token-file token

        setwise serve topics.setwise --workers 2 --feedback corrected.jsonl
    """
    from setwise.serve import Limits, Settings, require_server

    require_server()
    os.environ["OMP_NUM_THREADS"] = str(threads)  # before anything counts the threads that it may use
    from setwise.data import check_files
    from setwise.serve.models import model_names
    from setwise.serve.server import serve as run_service

    named = model_names(models)
    check_files([path for _, path in named], [] if feedback is None else [feedback])
    token = _token(token_file)
    is_local = host in ("127.0.0.1", "localhost", "::1")
    if not is_local and token is None:
        print_note(f"warning: everybody who reaches {host} can use the service; --token-file FILE asks for a token.")
    settings = Settings(
        models=named,
        limits=Limits(
            max_body_bytes=max_body,
            max_texts=max_texts,
            max_text_length=max_text_length,
            max_concurrent=max_concurrent,
            max_connections=max_connections,
            request_seconds=request_seconds,
            max_explained=max_explained,
            max_words=max_words,
        ),
        token=token,
        hosts=(*LOOPBACK, *(name.lower() for name in allow_host or ())) if is_local or allow_host else None,
        feedback=feedback,
        watch_seconds=1.0 if watch else None,
        batch_seconds=batch_ms / 1000.0,
        annif=annif,
        access_log=access_log,
        workers=workers,
        shutdown_seconds=shutdown_seconds,
    )
    code = run_service(settings, host, port, partial(print_note, always=True))  # what it says is its log
    if code:
        raise typer.Exit(code)


def _token(file: str | None) -> str | None:
    """Return the token of a file, or of the environment; None where neither has one."""
    from setwise.data import read_error
    from setwise.exceptions import InvalidParameter

    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        token = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise read_error(file, getattr(error, "strerror", None) or "it is no text") from None
    if not token:
        raise InvalidParameter(f"{file} has no token; write one to it, such as the output of `openssl rand -hex 32`.")
    return token
