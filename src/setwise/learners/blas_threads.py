"""Products of matrices that no number of threads can change."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread", "use_one_blas_thread"]


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which BLAS uses one thread: with several, it may add up in another order."""
    return _controller().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


def use_one_blas_thread() -> None:
    """Let BLAS use one thread from now on, in all threads of this process."""
    one_blas_thread()  # the limit holds until the context is left, which is never entered


@cache
def _controller() -> ThreadpoolController:
    """Return the controller of the libraries that are loaded, which takes longer to build than a batch to train."""
    import scipy.linalg  # noqa: F401 - it has a BLAS of its own, which has to be loaded to be found

    return ThreadpoolController()
