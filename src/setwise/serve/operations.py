"""One operation of the service as data: the routes, the checks of requests and the OpenAPI document come from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from setwise.serve.models import LoadedModel
    from setwise.serve.service import Service

__all__ = ["Call", "Handler", "Operation", "Reply"]


@dataclass(frozen=True, eq=False)
class Call:
    """A request that has been let in, read and checked."""

    model: LoadedModel | None
    """Of operations whose path names one."""
    body: Any
    """What the body says; None where the operation has none."""

    @property
    def named_model(self) -> LoadedModel:
        """The model that the path names."""
        assert self.model is not None
        return self.model


@dataclass(frozen=True)
class Reply:
    """The answer to a request."""

    body: bytes
    media_type: str = "application/json"


Handler = Callable[["Service", Call], Awaitable[Reply]]


@dataclass(frozen=True)
class Operation:
    """What one method of one path does."""

    method: Literal["GET", "POST"]
    path: str
    """With ``{model}`` where the name of a model stands."""
    name: str
    summary: str
    handler: Handler
    answer: str
    """Schema of the answer; of media types other than JSON, the text says what it is."""
    request: str | None = None
    """Schema of the body; None where there is none."""
    form: bool = False
    """Whether the body is a form instead of JSON."""
    status: int = 200
    media_type: str = "application/json"
    is_open: bool = False
    """Whether no token is needed, and no limit of concurrent requests holds."""
    errors: tuple[int, ...] = ()
    """Statuses of its own, beside those that follow from the fields above."""

    @property
    def names_model(self) -> bool:
        """Whether the path has the name of a model."""
        return "{model}" in self.path
