"""The HTTP service: label sets, how sure they are and why, over an interface for programs and on a page for people.

It needs the extra ``serve``: :func:`require_server` says so where that is not installed.
"""

from setwise.exceptions import Incompatible
from setwise.serve.settings import Limits, Settings

__all__ = ["Limits", "Settings", "require_server"]


def require_server() -> None:
    """Raise ``Incompatible`` if Starlette or uvicorn is not installed."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise Incompatible(
            'The service needs Starlette and uvicorn. Install them with: pip install "setwise[serve]".'
        ) from None
