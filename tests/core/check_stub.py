"""Run mypy's stubtest on the compiled module: ``python -m tests.core.check_stub``.

stubtest does not recognize the functions of nanobind, and cannot ask for their signatures. Both are added here: a
function says its signature in ``__nb_signature__``, as the text of a ``def``. The metaclass and the layout of classes,
which are nanobind's own, are not compared.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

from mypy import stubtest

MODULE = "setwise._core._native"


def nanobind_signature(function: Any) -> inspect.Signature | None:
    """Return the signature of a function of nanobind; None where it is overloaded or another kind of object."""
    overloads = getattr(function, "__nb_signature__", None)
    if overloads is None or len(overloads) != 1:
        return None
    definition, _, defaults = overloads[0]
    arguments = definition.partition("(")[2].rpartition(") ->")[0]
    left = iter(defaults or ())
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = []
    for argument in _split(arguments, ","):
        name = argument.partition(":")[0].strip()
        has_default = len(_split(argument, "=")) > 1
        default = next(left) if has_default else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, kind, default=default))
    return inspect.Signature(parameters)


def _split(text: str, separator: str) -> list[str]:
    """Split text at a character that stands outside all brackets; empty text has no parts."""
    depth, parts = 0, [""]
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts if text else []


def main() -> int:
    """Return the exit code of stubtest."""
    is_function, signature = stubtest.is_probably_a_function, stubtest.safe_inspect_signature
    stubtest.is_probably_a_function = lambda runtime: hasattr(runtime, "__nb_signature__") or is_function(runtime)
    stubtest.safe_inspect_signature = lambda runtime: nanobind_signature(runtime) or signature(runtime)
    for name in ("_verify_metaclass", "_verify_disjoint_base"):
        setattr(stubtest, name, lambda *_, **__: iter(()))
    return stubtest.test_stubs(stubtest.parse_options([MODULE, "--concise"]))


if __name__ == "__main__":
    sys.exit(main())
