"""Who may ask: the bearer token, the names that the Host header may have, and the headers that guard the page."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from setwise.serve.problems import Problem

__all__ = ["SECURITY_HEADERS", "check_host", "check_token"]

SECURITY_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
"""Sent with every answer: nothing but the page's own files is loaded or run, and no other site can frame it."""


def check_token(authorization: str | None, token: str | None) -> None:
    """Raise a problem unless the header has the token; the comparison takes as long whatever is wrong."""
    if token is None:
        return
    scheme, _, given = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode("latin-1"), token.encode()):
        what = "needs a token" if authorization is None else "has a wrong token"
        detail = f"The request {what}; send the header Authorization: Bearer TOKEN."
        raise Problem(401, detail, {"www-authenticate": "Bearer"})


def check_host(host: str | None, allowed: Sequence[str] | None) -> None:
    """Raise a problem where a request came under a name that is not the service's own.

    A page of another site may point its own name at the loopback address; the browser then takes the service for a part
    of that site.
    """
    if allowed is None:
        return
    name = (host or "").rpartition(":")[0] if _has_port(host or "") else (host or "")
    if name.lower() not in allowed:
        detail = f"The service has no name {name[:100]!r}. Start it with --allow-host {name[:100] or 'NAME'}."
        raise Problem(421, detail)


def _has_port(host: str) -> bool:
    """Return whether a port follows; the colons of an address in brackets are none."""
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")
