"""Every error and warning that setwise raises on purpose.

A message is one or two plain sentences: what must hold, what came, and where it helps, what to do.
"""

__all__ = [
    "Incompatible",
    "InvalidData",
    "InvalidParameter",
    "NotConverged",
    "SetwiseError",
    "WorkerFailure",
    "WorkerRestarted",
]


class SetwiseError(Exception):
    """The parent of all errors below: catch it to catch them all."""


class InvalidParameter(SetwiseError, ValueError):
    """A parameter lies outside the values it may take."""


class InvalidData(SetwiseError, ValueError):
    """An array, a list of labels or a file does not hold what it must."""


class Incompatible(SetwiseError, TypeError):
    """Two parts that cannot work together, such as an inference and a model without the method it needs."""


class WorkerFailure(SetwiseError, RuntimeError):
    """Work that was sent to another process cannot be done there: workers are lost, or run out of memory."""


class NotConverged(UserWarning):
    """A fit stopped before its optimality conditions held to the tolerance asked for."""


class WorkerRestarted(UserWarning):
    """A worker was lost or ran out of memory, and its task is done again; the result is the same."""
