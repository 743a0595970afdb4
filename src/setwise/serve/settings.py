"""What an operator chooses: models, limits, and what else the service does. Plain data that reaches every worker."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Limits", "Settings"]


@dataclass(frozen=True)
class Limits:
    """How much one request, and all of them together, may ask for."""

    max_body_bytes: int = 4 * 2**20
    max_texts: int = 256
    max_text_length: int = 100_000
    """Characters, that is Unicode code points."""
    max_concurrent: int = 64
    """Requests that are answered at a time; others get 503 with Retry-After."""
    max_connections: int = 512
    """Connections that are open at a time, idle ones and those whose request has not arrived yet too."""
    request_seconds: float = 30.0
    """Time for a request to arrive, and again for its answer."""
    max_explained: int = 16
    """Texts per explanation request."""
    max_words: int = 1000
    """Words of one request that are left out one by one: each takes a prediction."""
    max_feedback_labels: int = 1000


@dataclass(frozen=True)
class Settings:
    """Everything that the application is built from."""

    models: tuple[tuple[str, str], ...]
    """Name and file of each model."""
    limits: Limits = field(default_factory=Limits)
    token: str | None = field(default=None, repr=False)
    """What requests must bring as a bearer token; None lets everybody in."""
    hosts: tuple[str, ...] | None = None
    """Names that the Host header may have; None lets every name through."""
    feedback: str | None = None
    """File that feedback is appended to; None refuses feedback."""
    watch_seconds: float | None = None
    """How often model files are looked at; None waits for SIGHUP."""
    batch_seconds: float = 0.002
    """How long a request waits for others that are predicted together with it."""
    annif: bool = False
    """Whether to answer requests of Annif's REST interface."""
    access_log: bool = True
    workers: int = 1
    shutdown_seconds: int = 30
    """How long running requests may take once the service is told to end."""
