"""A quick start of the commands: they import what their work needs, and nothing else."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from setwise._estimator import leave_out_sklearn

__all__ = ["CommandGroup", "LazyConversions", "import_for_predictions"]

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


class LazyConversions(TyperCommand):
    """Command whose parameters take values of their own type as they are: text, and most defaults.

    Some versions of Typer convert every value by Pydantic, which takes as long to import as NumPy. Here they import it
    for a value that must be converted or checked. Other versions of Typer stay as they are.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with that of the help."""
        return _convert_lazily(super().get_params(ctx))


class CommandGroup(TyperGroup):
    """Group of commands whose parameters take values of their own type as they are, as :class:`LazyConversions`."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with that of the help."""
        return _convert_lazily(super().get_params(ctx))


def _convert_lazily(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if hasattr(parameter, "get_runtime_param") and "get_runtime_param" not in vars(parameter):
            conversion = _LazyConversion(parameter)
            parameter.get_runtime_param = conversion.itself
    return parameters


class _LazyConversion:
    """Stands in for the conversion of a parameter, which is built when a value needs it."""

    def __init__(self, parameter: Any) -> None:
        self._build = parameter.get_runtime_param
        descriptor = parameter.type_descriptor
        self._type = None if descriptor.parameter_info.parser is not None else descriptor.annotation
        self._none = () if parameter.multiple or parameter.nargs == -1 else None

    def itself(self) -> _LazyConversion:
        return self

    def coerce(self, value: Any, **options: Any) -> Any:
        """Return the value as the command receives it."""
        if value is None:
            return self._none
        return value if type(value) is self._type else self._build().coerce(value, **options)
