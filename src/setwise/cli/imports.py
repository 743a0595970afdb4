"""Imports of processes that only predict."""

from __future__ import annotations

from setwise._estimator import leave_out_sklearn

__all__ = ["import_for_predictions"]

UNUSED = ("ctypeslib", "f2py", "ma", "matlib", "polynomial", "testing")
"""Parts of NumPy that no prediction needs, and that NumPy itself imports when they are first used."""


def import_for_predictions() -> None:
    """Import NumPy and SciPy's sparse matrices without what predictions do not need, which takes longer to import.

    That is scikit-learn, and parts of NumPy. SciPy looks at every name of NumPy to offer it under a common interface of
    array libraries, and so would import them all. Whoever uses one later still finds it.
    """
    import numpy as np

    leave_out_sklearn()
    hidden = [name for name in UNUSED if name not in vars(np)]
    for name in hidden:
        setattr(np, name, None)
    try:
        import scipy.sparse  # noqa: F401
    finally:
        for name in hidden:
            if vars(np)[name] is None:  # what was imported all the same has its place by now
                delattr(np, name)
